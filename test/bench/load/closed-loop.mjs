// Clients that each wait for an answer before they ask again.
import { setTimeout as sleep } from 'node:timers/promises'
import { openConnection, requestBytes } from './connection.mjs'
import { requireAnswer } from './expect.mjs'
import { summary } from './summary.mjs'

/** The same requests over and over, for so long, and at least so many. */
export async function forSeconds({
  port,
  connections,
  seconds,
  warmUpSeconds,
  least = 0,
  requests,
  expected,
}) {
  const prepared = requests.map(requestBytes)
  const times = []
  const start = performance.now() + warmUpSeconds * 1000
  const end = start + seconds * 1000
  let turn = 0
  await withConnections(port, connections, async (connection) => {
    for (let from = performance.now(); from < end || turn < least; ) {
      const which = turn++ % prepared.length
      requireAnswer(await connection.send(prepared[which]), expected[which], 'a guarded request')
      const now = performance.now()
      if (from >= start && now <= end) times.push(now - from)
      from = now
    }
  })
  return summary(times, seconds)
}

/** Each request once. */
export async function eachOnce({ port, connections, requests, expected, retries503 = false }) {
  const prepared = requests.map(requestBytes)
  const times = []
  let turn = 0
  let refused = 0
  const started = performance.now()
  await withConnections(port, connections, async (connection) => {
    for (let which = turn++; which < prepared.length; which = turn++) {
      const from = performance.now()
      let answer = await connection.send(prepared[which])
      while (retries503 && answer.status === 503) {
        refused += 1
        await sleep(retryAfter(answer) * 1000)
        answer = await connection.send(prepared[which])
      }
      requireAnswer(answer, expected[which], requests[which].path)
      times.push(performance.now() - from)
    }
  })
  return { ...summary(times, (performance.now() - started) / 1000), refused }
}

function retryAfter({ head }) {
  return Number(/\r\nretry-after: *(\d+)/i.exec(head)?.[1] ?? 1)
}

async function withConnections(port, count, work) {
  const connections = await Promise.all(Array.from({ length: count }, () => openConnection(port)))
  try {
    await Promise.all(connections.map(work))
  } finally {
    for (const connection of connections) connection.close()
  }
}
