import { ownMembers } from '../lib/check-options.js'
import { UnexpectedAnswer } from '../lib/host-call.js'

type Texts = Readonly<Record<string, string>>

/** What a strategy sees instead of the request of the host. */
export interface StrategyRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly originalUrl: string
  readonly query: Texts
  readonly body: Texts
  readonly headers: Texts
  readonly protocol: string
  readonly secure: boolean
  readonly host: string
  readonly hostname: string
  readonly session: object
  get(name: string): string | undefined
  header(name: string): string | undefined
}

/** What the request is made of. */
interface ReturnedRequest {
  readonly method: 'GET' | 'POST'
  readonly callbackUrl: string
  /** The query of a GET, the form of a POST. */
  readonly parameters: Texts
  readonly headers: Texts
  readonly session: object
}

/**
 * A request of its own for a strategy: no `req.user`, `req.login` or cookies. Its address is that
 * of the callback, whatever the browser calls this server.
 */
export function strategyRequest(parts: ReturnedRequest): StrategyRequest {
  const { method, callbackUrl, parameters, session } = parts
  const { protocol, host, hostname, pathname } = new URL(callbackUrl)
  const headers: Texts = ownMembers({ ...withoutForwarding(parts.headers), host })
  const none: Texts = Object.create(null)
  const query = method === 'GET' ? parameters : none
  const search = new URLSearchParams({ ...query }).toString()
  const url = search === '' ? pathname : `${pathname}?${search}`
  const get = (name: string) => headers[String(name).toLowerCase()]
  return {
    method,
    url,
    originalUrl: url,
    query,
    body: method === 'POST' ? parameters : none,
    headers,
    protocol: protocol.slice(0, -1),
    secure: protocol === 'https:',
    host,
    hostname,
    session,
    get,
    header: get,
  }
}

// Strategies make addresses of them; a browser can send them.
function withoutForwarding(headers: Texts): Texts {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !/^(x-forwarded-.*|forwarded|cookie)$/i.test(name)),
  )
}

/** Of JSON, before it is stored. */
const maxKeepBytes = 4096

/**
 * A copy of what is kept, as JSON has it.
 *
 * @throws UnexpectedAnswer if it is too long, or no JSON
 */
export function keptJson<Keep extends object>(keep: Keep): Keep {
  const text = jsonOf(keep)
  if (text !== undefined && Buffer.byteLength(text) <= maxKeepBytes) return JSON.parse(text)
  throw new UnexpectedAnswer(`the strategy keeps no JSON of up to ${maxKeepBytes} bytes.`)
}

function jsonOf(value: object): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}
