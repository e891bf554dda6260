// Requests whose every byte a test chooses.
import { Agent, request } from 'node:http'
import type { TestHost } from './host.js'

/** A request, as bytes are sent: texts of headers have a byte in each character. */
export interface Sent {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  /** Without a Content-Length. */
  readonly chunked?: boolean
}

const agent = new Agent({ keepAlive: true })

/** Sends a request; resolves with its status once the whole answer is there. */
export function send(
  host: TestHost,
  { method = 'POST', path, headers = {}, body, chunked = false }: Sent,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const type = body === undefined ? {} : { 'Content-Type': 'application/json' }
    const length =
      body === undefined || chunked ? {} : { 'Content-Length': Buffer.byteLength(body) }
    const sent = request(
      `${host.url}${path}`,
      { method, agent, headers: { ...type, ...length, ...headers } },
      (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
      },
    )
    sent.on('error', reject)
    if (chunked) sent.write(String(body).slice(0, 1))
    sent.end(chunked ? String(body).slice(1) : body)
  })
}
