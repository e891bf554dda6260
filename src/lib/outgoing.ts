import { promises as dns, type LookupAddress } from 'node:dns'
import {
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
  request as requestOverHttp,
} from 'node:http'
import { request as requestOverHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { bareHost, isAllowedAddress, isSafeUrl, type OfOthers } from './addresses.js'
import { boundedCache } from './bounded-cache.js'
import { UnexpectedAnswer, withTimeout } from './host-call.js'

/** From the look-up of the name to the last byte of the answer. */
const maxMilliseconds = 5000

/** The bytes of the answer's body, as they come over the line. */
const maxBytes = 256 * 1024

/** The headers of an answer that are passed on. */
const passedOn = ['content-type', 'cache-control'] as const

/** A request to another server; headers with names of one spelling. */
export interface OutgoingRequest {
  readonly method: string
  readonly headers: Headers | Readonly<Record<string, string>>
  /** A text or a form. */
  readonly body?: unknown
  /** The most bytes of the answer's body. Default 256 KiB. */
  readonly maxBytes?: number
  /** True asks over http as well: the host has written this address. Default false. */
  readonly allowsHttp?: boolean
}

/** The server has an address to which no app may direct this one. */
export class SpecialUseAddress extends UnexpectedAnswer {}

/**
 * The one way to other servers. Sends a request over https, or over http to this machine (or to
 * where the host allows it), and
 * returns the answer: its status, `Content-Type`, `Cache-Control` and body. It sends no cookies,
 * follows no redirect and decompresses nothing.
 *
 * @param ofOthers - if somebody else has chosen the address: it must be one of the public internet.
 * The name is resolved once, and the connection goes to an address that was checked, so a name
 * whose second answer is another one gains nothing (DNS rebinding)
 * @throws UnexpectedAnswer if the address is of another kind, for a redirect, and for an answer of
 * more than `maxBytes`; another error if there is no whole answer within five seconds
 */
export async function outgoing(
  address: string,
  asked: OutgoingRequest,
  ofOthers?: OfOthers,
  lookUp: LookUp = lookUpOfOthers,
): Promise<Response> {
  const url = new URL(address)
  const mayBeHttp = Object.hasOwn(asked, 'allowsHttp') && asked.allowsHttp === true
  if (!isSafeUrl(url) && !(mayBeHttp && url.protocol === 'http:'))
    throw new UnexpectedAnswer(`${url.host} is not asked without https.`)
  const abort = new AbortController()
  const { signal } = abort
  const work = async () => {
    const route = ofOthers === undefined ? {} : await checkedRoute(url, ofOthers, lookUp, signal)
    return exchange(url, asked, { ...route, signal })
  }
  try {
    return await withTimeout(work, maxMilliseconds)
  } catch (error) {
    // A server that drips bytes would otherwise hold the connection after the timeout.
    abort.abort()
    throw error
  }
}

// A connection of its own: one that is kept open may lead elsewhere.
async function checkedRoute(
  url: URL,
  ofOthers: OfOthers,
  lookUp: LookUp,
  signal: AbortSignal,
): Promise<RequestOptions> {
  const host = bareHost(url)
  const family = isIP(host)
  const isPrivate = ofOthers.privateHosts?.has(host) === true
  const addresses =
    family === 0
      ? await (isPrivate ? lookUpPrivate : lookUp)(host, signal)
      : [{ address: host, family }]
  const [first] = addresses
  const isAllowed = (one: LookupAddress) => isPrivate || isAllowedAddress(one.address, ofOthers)
  if (first === undefined || !addresses.every(isAllowed))
    throw new SpecialUseAddress(`${url.host} has an address that is not of the public internet.`)
  const lookup: LookupFunction = (_hostname, { all }, done) =>
    all === true ? done(null, [...addresses]) : done(null, first.address, first.family)
  return { agent: false, lookup }
}

async function exchange(
  url: URL,
  asked: OutgoingRequest,
  route: RequestOptions,
): Promise<Response> {
  const answer = await answerTo(url, asked, route)
  const { statusCode: status = 0, headers } = answer
  // Its target is chosen by the other side: a metadata service, or a machine of the inner network.
  if (status >= 300 && status < 400) throw new UnexpectedAnswer(`${url.host} redirects.`)
  const body = await bodyOf(answer, url.host, asked.maxBytes ?? maxBytes)
  const passed = new Headers()
  for (const name of passedOn) {
    const value = headers[name]
    if (value !== undefined) passed.set(name, value)
  }
  return new Response(body.length === 0 ? null : body, { status, headers: passed })
}

function answerTo(
  url: URL,
  { method, headers, body }: OutgoingRequest,
  route: RequestOptions,
): Promise<IncomingMessage> {
  const ask = url.protocol === 'https:' ? requestOverHttps : requestOverHttp
  const options: RequestOptions = { ...route, method, headers: headersOf(headers) }
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
async function bodyOf(
  answer: IncomingMessage,
  host: string,
  most: number,
): Promise<Buffer<ArrayBuffer>> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of answer as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytes > most) throw new UnexpectedAnswer(`${host} answers more than ${most} bytes.`)
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** All addresses of a name. Gives up when the signal aborts. */
type LookUp = (hostname: string, signal: AbortSignal) => Promise<readonly LookupAddress[]>

/** As long as the first pause of a message that was not taken. */
const failedSeconds = 5
const mostFailed = 200

/** Asks the name servers of this machine, and nothing else but them. */
const byNameServers: LookUp = async (hostname, signal) => {
  // Not `dns.lookup`: a name server that says nothing holds one of the two threads that all
  // look-ups of this process share, and no signal frees it.
  const resolver = new dns.Resolver({ timeout: 2000, tries: 1 })
  const cancel = () => resolver.cancel()
  signal.addEventListener('abort', cancel)
  const [four, six] = await Promise.allSettled([
    resolver.resolve4(hostname),
    resolver.resolve6(hostname),
  ])
  signal.removeEventListener('abort', cancel)
  if (four.status === 'rejected' && six.status === 'rejected') throw four.reason
  return [
    ...(four.status === 'fulfilled' ? four.value : []).map((address) => ({ address, family: 4 })),
    ...(six.status === 'fulfilled' ? six.value : []).map((address) => ({ address, family: 6 })),
  ]
}

/**
 * Looks up like the rest of this process, with `/etc/hosts`, too. For names that the operator has
 * chosen.
 */
const bySystem: LookUp = (hostname) => dns.lookup(hostname, { all: true })

/**
 * Looks up names that others have chosen: each once at a time, and one that failed not again for
 * five seconds. Names in `/etc/hosts` and search domains are not for others.
 * @internal
 */
export function createLookUp(ask: LookUp = byNameServers): LookUp {
  const underWay = new Map<string, Promise<readonly LookupAddress[]>>()
  const failed = boundedCache<{ readonly cause: unknown }>(mostFailed, failedSeconds)

  async function askNow(hostname: string, signal: AbortSignal): Promise<readonly LookupAddress[]> {
    try {
      return await ask(hostname, signal)
    } catch (cause) {
      failed.set(hostname, { cause }, new Date())
      throw cause
    } finally {
      underWay.delete(hostname)
    }
  }

  return async (hostname, signal) => {
    // No name server knows it, and none should be asked (RFC 6761 §6.3).
    if (/^(?:.+\.)?localhost\.?$/.test(hostname))
      return [
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
      ]
    const failure = failed.get(hostname, new Date())
    if (failure !== undefined) throw failure.cause
    // The first caller gives up first, so its signal counts.
    const asking = underWay.get(hostname) ?? askNow(hostname, signal)
    underWay.set(hostname, asking)
    return asking
  }
}

const lookUpOfOthers = createLookUp()
const lookUpPrivate = createLookUp(bySystem)
