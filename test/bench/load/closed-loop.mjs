// Clients that each wait for an answer before they ask again.
import { setTimeout as sleep } from 'node:timers/promises'
import { openConnection, requestBytes } from './connection.mjs'
import { refreshTokenIn, requireAnswer } from './expect.mjs'
import { summary } from './summary.mjs'

/** The same requests over and over, for so long. */
export async function forSeconds({
  port,
  connections,
  seconds,
  warmUpSeconds,
  requests,
  expected,
}) {
  const prepared = requests.map(requestBytes)
  const times = []
  const start = performance.now() + warmUpSeconds * 1000
  const end = start + seconds * 1000
  let turn = 0
  await withConnections(port, connections, async (connection) => {
    for (let from = performance.now(); from < end; ) {
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

/**
 * Each connection refreshes one session again and again, every time with the token of the last
 * answer.
 */
export async function refreshing({ port, connections, count, chains, request, warmUp }) {
  const times = []
  let started = 0
  let turn = -warmUp
  await withConnections(port, connections, async (connection, index) => {
    while (turn < count) {
      if (turn++ === 0) started = performance.now()
      const counted = turn > 0
      const bytes = requestBytes({
        ...request,
        body: request.body.replace('%TOKEN%', encodeURIComponent(chains[index])),
      })
      const from = performance.now()
      const answer = await connection.send(bytes)
      requireAnswer(answer, { status: 200, tokens: true }, 'a refresh')
      if (counted) times.push(performance.now() - from)
      const next = refreshTokenIn(answer.body)
      if (next === chains[index])
        throw new Error('a refresh token was not replaced, so nothing here can be compared')
      chains[index] = next
    }
  })
  return { ...summary(times, (performance.now() - started) / 1000), chains }
}

async function withConnections(port, count, work) {
  const connections = await Promise.all(Array.from({ length: count }, () => openConnection(port)))
  try {
    await Promise.all(connections.map(work))
  } finally {
    for (const connection of connections) connection.close()
  }
}
