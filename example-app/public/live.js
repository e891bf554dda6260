import { call } from './page.js'

const longestPause = 30
const address = `${location.origin.replace(/^http/, 'ws')}/ws`

/** Why a sign-in is over, by the close code of its socket. */
const endings = new Map([
  [4401, 'You were signed out.'],
  [4408, 'Your sign-in has expired.'],
])

/** The same for a request that was answered with 401, which does not tell. */
export const signedOut = endings.get(4401)

/**
 * Listens for new messages, and connects again for as long as the sign-in lasts.
 *
 * - `catchUp()` fetches what was missed; it runs each time that a connection stands.
 * - `onMessage(message)`, `onConnected()`, `onLost()`; `onEnded(reason)` is the last call of all.
 */
export function listen({ catchUp, onMessage, onConnected, onLost, onEnded }) {
  let socket = null
  let failures = 0
  let timer
  let stopped = false

  // A page cannot set the headers of a WebSocket, and a token in its address would end up in logs. So the token buys a ticket, which
  // opens one socket within half a minute and then is void; it travels where the names of sub-protocols do.
  async function connect() {
    try {
      const { data } = await call('POST', '/auth/socket-ticket')
      if (!stopped) open(new WebSocket(address, ['auth.ticket', data.ticket]))
    } catch (error) {
      if (stopped) return
      if (error.status === 401) end(signedOut)
      else retry(error.retryAfter)
    }
  }

  function open(opened) {
    socket = opened
    opened.addEventListener('open', async () => {
      try {
        await catchUp()
        failures = 0
        if (opened === socket) onConnected()
      } catch {
        reconnect()
      }
    })
    opened.addEventListener('message', ({ data }) => {
      const { type, message } = JSON.parse(data)
      if (type === 'message' && opened === socket) onMessage(message)
    })
    opened.addEventListener('close', ({ code }) => {
      if (opened !== socket) return
      if (endings.has(code)) end(endings.get(code))
      else retry()
    })
  }

  function retry(atLeast) {
    socket = null
    onLost()
    const pause = Math.max(Math.min(2 ** failures, longestPause), atLeast ?? 0)
    failures += 1
    timer = setTimeout(connect, pause * 1000)
  }

  /** For when something was missed after all. Does nothing while a connection is being made, which will fetch it. */
  function reconnect() {
    if (socket?.readyState !== WebSocket.OPEN) return
    socket.close()
    retry()
  }

  function stop() {
    stopped = true
    clearTimeout(timer)
    socket?.close()
    socket = null
  }

  function end(reason) {
    stop()
    onEnded(reason)
  }

  void connect()
  return { reconnect, stop }
}
