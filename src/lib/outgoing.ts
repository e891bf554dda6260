import {
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
  request as requestOverHttp,
} from 'node:http'
import { request as requestOverHttps } from 'node:https'
import { UnexpectedAnswer, withTimeout } from './host-call.js'

/** From the look-up of the name to the last byte of the answer. */
const maxMilliseconds = 5000

/** Of the answer's body, as it comes over the line. */
const maxBytes = 256 * 1024

/** A request to another server; headers with names of one spelling. */
export interface OutgoingRequest {
  readonly method: string
  readonly headers: Headers | Readonly<Record<string, string>>
  /** A text or a form. */
  readonly body?: unknown
}

/**
 * The one way to other servers. Sends a request over https, or over http to this machine, and
 * returns the answer: its status, `Content-Type` and body. It sends no cookies, follows no
 * redirect and decompresses nothing.
 *
 * @throws UnexpectedAnswer if the address is of another kind, for a redirect, and for an answer of
 * more than 256 KiB; another error if there is no whole answer within five seconds
 */
export async function outgoing(address: string, asked: OutgoingRequest): Promise<Response> {
  const url = new URL(address)
  if (!isSafeUrl(url)) throw new UnexpectedAnswer(`${url.host} is not asked without https.`)
  const abort = new AbortController()
  try {
    return await withTimeout(() => exchange(url, asked, abort.signal), maxMilliseconds)
  } catch (error) {
    // Whoever drips bytes would otherwise hold the connection after the timeout.
    abort.abort()
    throw error
  }
}

/** Whether a URL is one over https, or over http on this machine. */
export function isSafeUrl({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)
}

async function exchange(url: URL, asked: OutgoingRequest, signal: AbortSignal): Promise<Response> {
  const answer = await answerTo(url, asked, signal)
  const { statusCode: status = 0, headers } = answer
  // Its target is chosen by the other side: a metadata service, or a machine of the inner network.
  if (status >= 300 && status < 400) throw new UnexpectedAnswer(`${url.host} redirects.`)
  const body = await bodyOf(answer, url.host)
  const type = headers['content-type']
  return new Response(body.length === 0 ? null : body, {
    status,
    headers: type === undefined ? {} : { 'content-type': type },
  })
}

function answerTo(
  url: URL,
  { method, headers, body }: OutgoingRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const ask = url.protocol === 'https:' ? requestOverHttps : requestOverHttp
  const options: RequestOptions = { method, headers: headersOf(headers), signal }
  return new Promise((resolve, reject) => {
    const request: ClientRequest = ask(url, options, resolve)
    request.on('error', reject)
    request.end(isSent(body) ? String(body) : undefined)
  })
}

function isSent(body: unknown): body is string | URLSearchParams {
  return typeof body === 'string' || body instanceof URLSearchParams
}

function headersOf(given: OutgoingRequest['headers']): Record<string, string> {
  const headers = new Headers(given as Headers)
  // A few bytes of gzip are gigabytes.
  headers.set('accept-encoding', 'identity')
  return Object.fromEntries(headers)
}

// Content-Length is only what the other side says.
async function bodyOf(answer: IncomingMessage, host: string): Promise<Buffer<ArrayBuffer>> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of answer as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytes > maxBytes) throw new UnexpectedAnswer(`${host} answers more than ${maxBytes} bytes.`)
    parts.push(part)
  }
  return Buffer.concat(parts)
}
