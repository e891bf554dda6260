import { freshToken } from './session.js'

/** How often the connection is tried, and how long an answer may take, in milliseconds. */
const [interval, answerTime] = [30_000, 10_000]

/**
 * Asks an open socket for a sign of life now and then, since a connection that is gone may look
 * open for minutes; and hands over each newer token, with which the socket lives on. `onSilent()`:
 * there was no answer. `onEnded()`: the sign-in is over.
 */
export function keepAlive(socket, token, { onSilent, onEnded }) {
  let given = token
  let silence

  async function beat() {
    // Without a newer token there is none to hand over. The socket says when the old one has ended.
    const newest = await freshToken().catch((error) => (error.status === 401 ? null : given))
    if (socket.readyState !== WebSocket.OPEN) return
    if (newest === null) return onEnded()
    socket.send(
      JSON.stringify(newest === given ? { type: 'ping' } : { type: 'renew', token: newest }),
    )
    given = newest
    clearTimeout(silence)
    silence = setTimeout(onSilent, answerTime)
  }

  const beating = setInterval(beat, interval)
  socket.addEventListener('message', ({ data }) => {
    clearTimeout(silence)
    if (JSON.parse(data).type === 'refused') onSilent()
  })
  socket.addEventListener('close', () => {
    clearInterval(beating)
    clearTimeout(silence)
  })
}
