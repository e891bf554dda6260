// One keep-alive connection that has one request in flight. On bare sockets: Node's own client
// costs as much as the servers it would measure, and would be what is measured.
import { connect } from 'node:net'

const patienceMilliseconds = 60_000

/** The bytes of a request. */
export function requestBytes({ method, path, headers, body = '' }) {
  const length = method === 'GET' ? {} : { 'Content-Length': Buffer.byteLength(body) }
  const lines = Object.entries({ Host: '127.0.0.1', ...headers, ...length }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  return Buffer.from([`${method} ${path} HTTP/1.1`, ...lines, '', body].join('\r\n'))
}

/**
 * Opens a connection; `send` answers `{ status, head, body }`, the body as text of single bytes.
 */
export async function openConnection(port) {
  const socket = connect(port, '127.0.0.1')
  socket.setNoDelay(true)
  let waiting = null
  let text = ''
  const settle = (error, answer) => {
    const { resolve, reject } = waiting ?? {}
    waiting = null
    text = ''
    if (error) reject?.(error)
    else resolve?.(answer)
  }
  socket.on('data', (chunk) => {
    text += chunk.latin1Slice(0, chunk.length)
    const answer = answerIn(text)
    if (answer !== null) settle(null, answer)
  })
  socket.on('error', (error) => settle(error))
  socket.setTimeout(patienceMilliseconds, () =>
    settle(new Error(`no answer within ${patienceMilliseconds / 1000} s`)),
  )
  socket.on('close', () =>
    settle(new Error('the server closed the connection before it had answered')),
  )
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  return {
    send: (bytes) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        socket.write(bytes)
      }),
    close: () => socket.destroy(),
  }
}

// Null while it is not whole.
function answerIn(text) {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return null
  const head = text.slice(0, end)
  const rest = text.slice(end + 4)
  const status = Number(text.slice(9, 12))
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length !== undefined)
    return rest.length < Number(length) ? null : { status, head, body: rest }
  return rest.endsWith('0\r\n\r\n') ? { status, head, body: withoutChunks(rest) } : null
}

function withoutChunks(text) {
  let body = ''
  let at = 0
  for (;;) {
    const lineEnd = text.indexOf('\r\n', at)
    const size = Number.parseInt(text.slice(at, lineEnd), 16)
    if (size === 0) return body
    body += text.slice(lineEnd + 2, lineEnd + 2 + size)
    at = lineEnd + 4 + size
  }
}
