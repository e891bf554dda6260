// Headers and routes for what holds the event loop: all that is read, and how a stranger fills it.
import { bearer, logIn } from '../support/client.js'
import { type HostSettings, startHost, type TestHost } from '../support/host.js'
import { type Sent, send } from '../support/raw-requests.js'
import { stepsUntil } from '../support/steps.js'

const often = { points: 1_000_000, duration: 600 }
/** Never reached here. */
const throttle = {
  account: often,
  network: often,
  unknownNetworks: often,
  knownNetwork: often,
  endpoints: often,
}
/** Of no cost, so that only reading is measured. */
const passwords = {
  hash: async () => 'hash',
  verify: async (plain: string) => plain === 'right',
  needsRehash: () => false,
}

/**
 * A host behind proxies, with routes of its own behind each kind of guard, and a user who is signed
 * in.
 */
export async function startReading(
  settings: HostSettings = {},
): Promise<{ host: TestHost; token: string }> {
  const host = await startHost({
    ...settings,
    server: { maxHeaderSize: 80_000 },
    // An endless X-Forwarded-For is 400, whatever is asked.
    isBeyond: (fault) => fault.includes(' 400: '),
    options: { throttle, passwords, ...settings.options },
    before: (app, auth) => {
      app.set('trust proxy', 'loopback, uniquelocal')
      settings.before?.(app, auth)
    },
    after: (app, auth) => {
      app.get('/api/v1/guarded', auth.requireAuth(), (_request, response) => void response.end())
      app.get(
        '/api/v1/half-guarded',
        auth.requireAuth({ optional: true }),
        (_request, response) => void response.end(),
      )
      app.get('/api/v1/asked', (request, response) => {
        auth.authenticate(request).then(
          () => response.end(),
          () => response.end(),
        )
      })
    },
  })
  const { authToken: token } = await logIn(host, { username: 'alice', password: 'right' })
  return { host, token }
}

export const json = (value: object) => JSON.stringify(value)
export const verifier = 'v'.repeat(43)
/** Every route, and every guard on one of the host's. */
export const routes: readonly Sent[] = [
  { path: '/login', body: json({ username: 'nobody', password: 'x' }) },
  { path: '/auth/pkce/token', body: json({ authorizationCode: 'x', codeVerifier: verifier }) },
  { path: '/auth/refresh', body: json({ refreshToken: 'x' }) },
  { path: '/auth/pkce/authorize', body: json({ codeChallenge: verifier }) },
  { path: '/auth/totp', body: json({ password: 'x' }) },
  { path: '/auth/totp/confirm', body: json({ code: 'x' }) },
  { path: '/auth/totp/disable', body: json({ password: 'x', code: 'x' }) },
  { path: '/auth/totp/recovery-codes', body: json({ password: 'x', code: 'x' }) },
  { path: '/auth/socket-ticket' },
  { path: '/logout' },
  ...[
    '/me',
    '/auth/totp',
    '/auth/sessions',
    '/auth/jwks.json',
    '/guarded',
    '/half-guarded',
    '/asked',
  ].map((path) => ({
    method: 'GET',
    path,
  })),
  { method: 'DELETE', path: '/auth/sessions/x' },
  { method: 'PUT', path: '/login' },
]

/** Each header that is read, by the router or on its behalf, and how a value of it may begin. */
export const headers: readonly (readonly [name: string, ...beginnings: string[]])[] = [
  ['Content-Type', 'application/json;a=b', 'application/json; charset='],
  ['Content-Encoding', '', 'identity'],
  ['x-2fa-code', ''],
  ['Authorization', 'Bearer ', 'Bearer a'],
  ['X-Auth-Token', '', 'eyJhbGciOiJFUzI1NiJ9.'],
  ['X-User-Id', ''],
  ['Origin', 'https://', 'https://xn--'],
  ['Cookie', 'a='],
  ['User-Agent', '', 'Mozilla/5.0 ('],
  ['X-Forwarded-For', '', '203.0.113.7, '],
  ['Forwarded', 'for='],
  ['X-Request-Id', ''],
]

export const bytes = (text: string) => Buffer.from(text).toString('latin1')
export const marks = '\u0345\u0301\u0323\u0334'
const units = [' ', '\t', 'a', '0', '=', ',', ';', '[{', '.', '::1,', 'a/1 ', bytes(marks)]
/** Below the bounds of those that have one, and far above. */
const lengths = [500, 4000, 60_000]
export const filled = (unit: string, length: number) =>
  unit.repeat(Math.ceil(length / unit.length)).slice(0, length)

// The user's own credentials go along, so that what comes behind the guard reads the header, too.
export function withHeader(route: Sent, token: string, name: string, value: string): Sent {
  const isCredential = ['Authorization', 'X-Auth-Token', 'X-User-Id'].includes(name)
  const pair =
    name === 'X-Auth-Token'
      ? { 'X-User-Id': 'u-alice' }
      : name === 'X-User-Id'
        ? { 'X-Auth-Token': token }
        : {}
  return {
    ...route,
    headers: {
      ...(isCredential ? pair : route.path === '/logout' ? {} : bearer(token)),
      [name]: value,
    },
  }
}

/** Where reading goes from the end, and stops at what it does not know. */
const endOf = (name: string) => (name === 'X-Forwarded-For' ? '' : 'x')
/** Steps that a request takes at most that says little, and those for each byte of what it says. */
const stepsAtMost = 40_000
const stepsPerByte = 40
/**
 * Of these a few hundred characters are read, and no more: in X-Forwarded-For one address after the
 * other, and the name in an Origin or what a Content-Type says in steps that are quadratic.
 */
const costlyBeginning = ['X-Forwarded-For', 'Origin', 'Content-Type']
const forBeginning = 100_000

/** The steps that this may take of which each has a header of so many bytes. */
export const mostSteps = (name: string, lengths: readonly number[]) =>
  lengths.reduce(
    (sum, length) =>
      sum +
      stepsAtMost +
      stepsPerByte * length +
      (costlyBeginning.includes(name) ? forBeginning : 0),
    0,
  )

/** Every beginning of every header with each length, and the values that are to be sent. */
const headerValues = headers.flatMap(([name, ...beginnings]) =>
  beginnings.flatMap((beginning) =>
    lengths.map(
      (length) =>
        [
          `${name}: ${beginning}`,
          name,
          units.map((unit) => `${beginning}${filled(unit, length)}${endOf(name)}`),
        ] as const,
    ),
  ),
)
/** Of a length, only digits get past Node, and only one that fits the body. */
const lengthsOf = ({ body = '' }: Sent) => {
  const name = 'Content-Length'
  return [name, name, [String(Buffer.byteLength(body)).padStart(60_000, '0')]] as const
}

/** The headers of a route that take too many steps. */
export async function slowHeadersOf(route: Sent): Promise<string[]> {
  const { host, token } = await startReading()
  // Whatever is done once only is no part of a header.
  await send(host, withHeader(route, token, 'X-Nothing', ''))
  const slow: string[] = []
  for (const [what, name, values] of [...headerValues, lengthsOf(route)]) {
    const requests = values.map((value) => withHeader(route, token, name, value))
    const steps = await stepsUntil(async () => {
      for (const one of requests) await send(host, one)
    })
    const most = mostSteps(
      name,
      values.map(({ length }) => length),
    )
    if (steps > most) slow.push(`${what}, ${values[0]?.length} bytes: ${steps} steps, not ${most}`)
  }
  return slow
}
