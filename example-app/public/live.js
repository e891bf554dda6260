import { keepAlive } from './heartbeat.js'
import { call } from './page.js'
import { currentToken, freshToken } from './session.js'

const longestPause = 30
const address = `${location.origin.replace(/^http/, 'ws')}/ws`
/** Close codes: the session has ended; its token has, and a newer one opens the next socket. */
const [sessionEnded, tokenExpired] = [4401, 4408]

/**
 * Listens for new messages, and connects again for as long as the sign-in lasts.
 *
 * - `catchUp()` fetches what was missed; it runs each time that a connection stands.
 * - `onMessage(message)`, `onConnected()`, `onLost(reason)`; `onEnded()` is the last call of all.
 */
export function listen({ catchUp, onMessage, onConnected, onLost, onEnded }) {
  let socket = null
  let failures = 0
  let timer
  const stopping = new AbortController()

  async function connect() {
    timer = clearTimeout(timer)
    try {
      const opened = await openSocket({ onSilent: reconnect, onEnded: end })
      if (stopping.signal.aborted) opened.close()
      else watch(opened)
    } catch (error) {
      if (stopping.signal.aborted) return
      return error.status === 401 ? end() : retry(error.retryAfter)
    }
  }

  function watch(opened) {
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
      if (code === sessionEnded) end()
      else if (code === tokenExpired) void connect()
      else retry()
    })
  }

  function retry(atLeast) {
    socket = null
    onLost(navigator.onLine ? 'Connection lost, trying again.' : 'This device is offline.')
    const pause = Math.max(Math.min(2 ** failures, longestPause), atLeast ?? 0)
    failures += 1
    timer = setTimeout(connect, pause * 1000)
  }

  /**
   * For when something was missed after all. Does nothing while a connection is being made, which
   * will fetch it.
   */
  function reconnect() {
    if (socket?.readyState !== WebSocket.OPEN) return
    socket.close()
    retry()
  }

  function stop() {
    stopping.abort()
    clearTimeout(timer)
    socket?.close()
    socket = null
  }

  function end() {
    stop()
    onEnded()
  }

  addEventListener('offline', () => onLost('This device is offline.'), stopping)
  addEventListener('online', () => (timer === undefined ? reconnect() : connect()), stopping)
  void connect()
  return { reconnect, stop }
}

// A page cannot set the headers of a WebSocket, and a token in its address would end up in logs. So
// the token buys a ticket, which opens one socket within half a minute and then is void; it travels
// where the names of sub-protocols do.
async function openSocket(callbacks) {
  await freshToken()
  const { data } = await call('POST', '/auth/socket-ticket')
  const socket = new WebSocket(address, ['auth.ticket', data.ticket])
  keepAlive(socket, currentToken(), callbacks)
  return socket
}
