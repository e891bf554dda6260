import { client } from './auth.js'

/**
 * Listens for new messages, for as long as the sign-in lasts.
 *
 * - `catchUp()` fetches what was missed; it runs each time that a connection stands.
 * - `onMessage(message)`, `onConnected()`, `onLost(reason)`; `onEnded()` is the last call of all.
 */
export function listen({ catchUp, onMessage, onConnected, onLost, onEnded }) {
  const stopping = new AbortController()
  const socket = client.socket('/ws', {
    onOpen: async () => {
      await catchUp()
      onConnected()
    },
    onStatus: (status) => status === 'waiting' && lost(),
    onMessage: receive,
    onEnded,
    renewal: (token) => JSON.stringify({ type: 'renew', token }),
    ping: () => '{"type":"ping"}',
  })

  function lost() {
    onLost(navigator.onLine ? 'Connection lost, trying again.' : 'This device is offline.')
  }

  function receive(data) {
    const { type, message } = JSON.parse(data)
    if (type === 'message') onMessage(message)
    if (type === 'refused') socket.reconnect()
  }

  addEventListener('offline', lost, stopping)
  // What was open before may only look so.
  addEventListener('online', socket.reconnect, stopping)
  return {
    /** For when something was missed after all. */
    reconnect: socket.reconnect,
    stop() {
      stopping.abort()
      socket.close()
    },
  }
}
