// Requests at fixed moments, whether or not the ones before have been answered. Each is timed from
// the moment it was due, so that a server which stands still is charged for every request it kept
// waiting, and not only for the first.
import { openConnection, requestBytes } from './connection.mjs'
import { requireAnswer } from './expect.mjs'
import { summary } from './summary.mjs'

/** Starts to ask. `stop()` waits for what is under way, and tells how long the answers took. */
export async function startOpenLoop({ port, perSecond, requests, expected }) {
  const prepared = requests.map(requestBytes)
  const idle = await Promise.all(Array.from({ length: 8 }, () => openConnection(port)))
  const all = [...idle]
  const times = []
  const underWay = new Set()
  const started = performance.now()
  let sent = 0

  async function ask(due, which) {
    const connection = idle.pop() ?? (await openAnother())
    requireAnswer(
      await connection.send(prepared[which]),
      expected[which],
      'a guarded request beside the logins',
    )
    times.push(performance.now() - due)
    idle.push(connection)
  }

  async function openAnother() {
    const connection = await openConnection(port)
    all.push(connection)
    return connection
  }

  const ticking = setInterval(() => {
    for (
      let due = started + (sent * 1000) / perSecond;
      due <= performance.now();
      due = started + (sent * 1000) / perSecond
    ) {
      const asked = ask(due, sent % prepared.length)
      sent += 1
      underWay.add(asked)
      asked.then(() => underWay.delete(asked)).catch(() => {})
    }
  }, 1)

  return async () => {
    clearInterval(ticking)
    const seconds = (performance.now() - started) / 1000
    try {
      await Promise.all(underWay)
    } finally {
      for (const connection of all) connection.close()
    }
    return summary(times, seconds)
  }
}
