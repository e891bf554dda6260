import { randomUUID } from 'node:crypto'
import { request as requestOverHttp } from 'node:http'
import { request as requestOverHttps } from 'node:https'

/** The server to look at, and the settings for it. */
export interface Patient {
  /** The address of the router, such as `https://chat.example.com/api/v1`. */
  readonly baseUrl: URL
  /** A page of this origin is one of the server's own; null: there is none but its own. */
  readonly origin: string | null
  /** A client of the option `oauth`; null: none is looked at. */
  readonly clientId: string | null
  /** The path of a route behind `requireAuth`, such as `/api/v1/rooms`; null: none is looked at. */
  readonly guardedPath: string | null
  /** The path of its sockets, such as `/live`; null: none is looked at. */
  readonly socketPath: string | null
}

type Answers<Name extends string> = Readonly<Record<Name, Looked | null>>

/**
 * All answers; null for each that did not come, or that the patient gives no cause to ask for.
 * `plain` is over http, and null also where the server is reached by http anyway.
 */
export interface Seen
  extends Answers<'guarded' | 'wrongToken' | 'unknownPath' | 'getLogin' | 'brokenJson' | 'bigBody'>,
    Answers<'textBody' | 'emptyLogin' | 'emptyExchange' | 'emptyRefresh' | 'foreignPreflight'>,
    Answers<'foreignPage' | 'ownPreflight' | 'keys' | 'plain' | 'changePassword' | 'upgrade'> {
  readonly patient: Patient
  readonly me: Looked
  /** Two wrong passwords of one name that nobody has, each from an address that was made up. */
  readonly forwarded: readonly (Looked | null)[]
  readonly oauth: SeenOAuth | null
  /** Milliseconds by which the server's clock is ahead; null if it does not tell the time. */
  readonly clockAhead: number | null
}

/** The answers of the option `oauth`. */
export interface SeenOAuth
  extends Answers<'openId' | 'resource' | 'authorize' | 'token' | 'revoke' | 'introspect'>,
    Answers<'userInfo' | 'signIn' | 'client'> {
  readonly server: Looked
}

/** An origin that nobody has. */
const foreignOrigin = 'https://doctor.invalid'

const json = { 'content-type': 'application/json' }

const form = { 'content-type': 'application/x-www-form-urlencoded' }

const preflight = {
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'content-type',
}

const upgrade = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'ZG9jdG9yZG9jdG9yZG9jdA==',
}

/** More than the router takes, and less than most parsers do. */
const bigBody = JSON.stringify({ username: 'doctor', password: 'x'.repeat(20_000) })

/**
 * Sends about thirty requests, most of them at once, and changes nothing but two counters of a name
 * that nobody has. Addresses that the server tells are asked only if they are its own. Null if
 * there is no answer to the first.
 */
export async function see(patient: Patient, lookAt: LookAt): Promise<Seen | null> {
  const base = patient.baseUrl.href.replace(/\/$/, '')
  const at: At = (path, look) => lookAt(`${base}${path}`, look)
  const began = Date.now()
  const me = await at('/me')
  if (me === null) return null
  const clockAhead = aheadOf(me, began, Date.now())
  const { baseUrl, guardedPath } = patient
  const guarded = guardedPath === null ? null : await lookAt(`${baseUrl.origin}${guardedPath}`)
  const [errors, origins, forwarded, oauth] = await Promise.all([
    seeErrors(at),
    seeOrigins(patient, at, lookAt),
    seeForwarded(at),
    seeOAuth(patient, guarded, lookAt),
  ])
  return { patient, me, guarded, clockAhead, ...errors, ...origins, forwarded, oauth }
}

async function seeErrors(at: At) {
  const post = (path: string, body: string, headers = json) =>
    at(path, { method: 'POST', headers, body })
  const errors = await together({
    wrongToken: at('/me', { headers: { authorization: 'Bearer doctor' } }),
    unknownPath: at(`/doctor-${randomUUID()}`),
    getLogin: at('/login'),
    brokenJson: post('/login', '{'),
    bigBody: post('/login', bigBody),
    textBody: post('/login', 'x', { 'content-type': 'text/plain' }),
    keys: at('/auth/jwks.json'),
  })
  const empty = await together({
    emptyLogin: post('/login', '{}'),
    emptyExchange: post('/auth/pkce/token', '{}'),
    emptyRefresh: post('/auth/refresh', '{}'),
  })
  return { ...errors, ...empty }
}

async function seeOrigins({ baseUrl, origin, socketPath }: Patient, at: At, lookAt: LookAt) {
  const from = (page: string, method: string, path: string, others = {}) =>
    at(path, { method, headers: { origin: page, ...others } })
  const overHttp = `http://${baseUrl.hostname}${baseUrl.pathname}`
  return together({
    foreignPreflight: from(foreignOrigin, 'OPTIONS', '/login', preflight),
    foreignPage: from(foreignOrigin, 'GET', '/me'),
    ownPreflight: origin === null ? null : from(origin, 'OPTIONS', '/login', preflight),
    plain: baseUrl.protocol === 'https:' ? lookAt(overHttp) : null,
    changePassword: lookAt(`${baseUrl.origin}/.well-known/change-password`),
    upgrade:
      socketPath === null ? null : lookAt(`${baseUrl.origin}${socketPath}`, { headers: upgrade }),
  })
}

/** Waits for all of them. */
async function together<Name extends string>(
  asked: Readonly<Record<Name, Promise<Looked | null> | null>>,
): Promise<Answers<Name>> {
  const answers = Object.entries<Promise<Looked | null> | null>(asked)
  const all = await Promise.all(answers.map(async ([name, answer]) => [name, await answer]))
  return Object.fromEntries(all)
}

type At = (path: string, look?: Look) => Promise<Looked | null>

// `Date` has whole seconds, and was written at some time between the two.
function aheadOf(seen: Looked, from: number, until: number): number | null {
  const told = Date.parse(seen.headers['date'] ?? '')
  if (Number.isNaN(told)) return null
  if (told > until) return told - until
  return told + 1000 < from ? told + 1000 - from : 0
}

async function seeForwarded(at: At): Promise<readonly (Looked | null)[]> {
  const body = JSON.stringify({ username: `doctor-${randomUUID()}`, password: randomUUID() })
  const as = (address: string) =>
    at('/login', { method: 'POST', headers: { ...json, 'x-forwarded-for': address }, body })
  return [await as('198.51.100.7'), await as('203.0.113.9')]
}

async function seeOAuth(
  { baseUrl, clientId }: Patient,
  guarded: Looked | null,
  lookAt: LookAt,
): Promise<SeenOAuth | null> {
  const base = baseUrl.href.replace(/\/$/, '')
  const path = base.slice(baseUrl.origin.length)
  const name = `${baseUrl.origin}/.well-known/oauth-authorization-server`
  const [atRoot, below] = await Promise.all([lookAt(name), lookAt(`${name}${path}`)])
  const server = [atRoot, below].find((one) => one?.status === 200 && one.json !== null) ?? null
  if (server === null) return null
  const told = (member: string): string | null => {
    const address = server.json?.[member]
    return typeof address === 'string' && isBelow(address, base) ? address : null
  }
  const at = (member: string, look?: Look, query = '') => {
    const address = told(member)
    return address === null ? null : lookAt(`${address}${query}`, look)
  }
  const posted = (grant: string): Look => ({ method: 'POST', headers: form, body: grant })
  const said = server.json?.['issuer']
  const issuer = typeof said === 'string' ? said : ''
  const pointer = pointerOf(guarded) ?? ''
  const documents = await together({
    openId: isBelow(`${issuer}/`, baseUrl.origin)
      ? lookAt(`${issuer}/.well-known/openid-configuration`)
      : null,
    resource: isBelow(pointer, baseUrl.origin) ? lookAt(pointer) : null,
    authorize: at('authorization_endpoint'),
    token: at('token_endpoint', posted('grant_type=authorization_code')),
    revoke: at('revocation_endpoint', posted('token=doctor')),
    introspect: at('introspection_endpoint', posted('token=doctor')),
    userInfo: at('userinfo_endpoint'),
    signIn: lookAt(`${base}/oauth/sign-in?return_to=${path}/account`),
    client:
      clientId === null
        ? null
        : at('authorization_endpoint', {}, `?client_id=${encodeURIComponent(clientId)}`),
  })
  return { server, ...documents }
}

/** The address of the API's document, as a challenge says it; null if it does not. */
function pointerOf(seen: Looked | null): string | null {
  const challenge = seen?.headers['www-authenticate'] ?? ''
  return /\bresource_metadata="([^"]{1,2000})"/.exec(challenge)?.[1] ?? null
}

/** Whether an address is a server's own, so that it may be asked. */
export function isBelow(address: string, base: string): boolean {
  if (!URL.canParse(address)) return false
  const { href, origin } = new URL(address)
  return origin === new URL(base).origin && (href === base || href.startsWith(`${base}/`))
}

/** The answer of a server. */
export interface Looked {
  readonly status: number
  /** Names in small letters; several of one name are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  readonly cookies: readonly string[]
  /** The text of the answer, at most 64 KiB. */
  readonly text: string
  /** Null if it is no JSON object. */
  readonly json: Readonly<Record<string, unknown>> | null
}

/** A request of the doctor. */
export interface Look {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Null if there was no whole answer in time, or none at all. */
export type LookAt = (url: string, look?: Look) => Promise<Looked | null>

const maxBytes = 64 * 1024
/** The time limit of one request. */
const maxMilliseconds = 3000
/** The time limit of all requests. */
const maxMillisecondsInAll = 4500

/** Limits the cost of an answer, whatever the other side sends: it may be hostile. */
export function createLookAt(): LookAt {
  const until = Date.now() + maxMillisecondsInAll
  return async (url, look = {}) => {
    const left = Math.min(maxMilliseconds, until - Date.now())
    return left > 0 ? lookFor(left, url, look) : null
  }
}

/** Sends one request. It follows nothing and decompresses nothing. */
function lookFor(
  milliseconds: number,
  url: string,
  { method = 'GET', headers = {}, body }: Look,
): Promise<Looked | null> {
  const ask = url.startsWith('https:') ? requestOverHttps : requestOverHttp
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(milliseconds)
    const asked = ask(url, { method, headers, signal, agent: false })
    const chunks: Buffer[] = []
    let bytes = 0
    const fail = () => {
      asked.destroy()
      resolve(null)
    }
    asked.once('error', fail)
    // A socket that a server upgrades is of no use here.
    asked.once('upgrade', (response, socket) => {
      socket.destroy()
      resolve(lookedAt(response.statusCode, response.headers, ''))
    })
    asked.once('response', (response) => {
      const end = () => resolve(lookedAt(response.statusCode, response.headers, textOf(chunks)))
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        chunks.push(chunk)
        if (bytes <= maxBytes) return
        asked.destroy()
        end()
      })
      response.once('end', end)
      response.once('error', fail)
    })
    asked.end(body)
  })
}

function textOf(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8')
}

function lookedAt(
  status: number | undefined,
  given: Readonly<Record<string, string | string[] | undefined>>,
  text: string,
): Looked {
  const headers = Object.entries(given).map(([name, value]) => [name, [value].flat().join(', ')])
  return {
    status: status ?? 0,
    headers: Object.fromEntries(headers) as Readonly<Record<string, string>>,
    cookies: [given['set-cookie'] ?? []].flat(),
    text,
    json: objectOf(text),
  }
}

function objectOf(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const parsed: unknown = JSON.parse(text)
    const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
    return isObject ? (parsed as Readonly<Record<string, unknown>>) : null
  } catch {
    return null
  }
}
