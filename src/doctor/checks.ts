import { isBelow, type Looked, type Seen, type SeenOAuth } from './examine.js'

/** One thing that may be wrong with a server as it is seen from outside. */
export interface Check {
  readonly name: string
  /** The description of the right state. */
  readonly promise: string
  /** The setting that repairs it. */
  readonly remedy: string
  /** The fault; null: none; undefined: the check does not concern this server. */
  judge(seen: Seen): string | null | undefined
}

const none = 'there is no answer within three seconds'

/** `wrong` if `isWrong`, else null. */
function unless(isRight: boolean, wrong: string): string | null {
  return isRight ? null : wrong
}

function isOurs(seen: Looked | null, status: number, error: string): string | null {
  if (seen === null) return none
  const told = seen.json?.['error']
  const shown = typeof told === 'string' ? told : 'of another form'
  return unless(
    seen.status === status && told === error,
    `the answer is ${seen.status} ${shown}, not ${status} ${error}`,
  )
}

function header(seen: Looked | null, name: string): string {
  return seen?.headers[name] ?? ''
}

function ofOAuth(judge: (oauth: SeenOAuth, seen: Seen) => string | null | undefined) {
  return (seen: Seen) => (seen.oauth === null ? undefined : judge(seen.oauth, seen))
}

function list(document: Looked | null, member: string): readonly unknown[] {
  const value = document?.json?.[member]
  return Array.isArray(value) ? value : []
}

/** A page without the reference, which differs each time. */
function pageOf(seen: Looked | null): string {
  return (seen?.text ?? '').replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '')
}

const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/
const isHttps = ({ patient: { baseUrl } }: Seen) => baseUrl.protocol === 'https:'

/** The checks of the address itself; they come first. */
export const connection: readonly Check[] = [
  {
    name: 'router',
    promise: 'the router is mounted at this address',
    remedy: "app.use('/api/v1', auth) with the path of this address, and a proxy that keeps it",
    judge({ me, oauth, patient: { baseUrl } }) {
      const wrong = isOurs(me, 401, 'Unauthorized')
      const told = oauth?.server.json?.['jwks_uri']
      const isHere = typeof told === 'string' && isBelow(told, baseUrl.origin)
      const place = isHere ? `; the router is at ${told.replace(/\/auth\/jwks\.json$/, '')}` : ''
      return wrong && `${wrong}${place}`
    },
  },
  {
    name: 'https',
    promise: 'the address is one over https, or of this machine',
    remedy: 'end TLS in front of the server: passwords and tokens are sent as they are',
    judge: (seen) =>
      unless(isHttps(seen) || loopback.test(seen.patient.baseUrl.hostname), 'it is http'),
  },
  {
    name: 'http-redirect',
    promise: 'over http there is nothing but a redirect to https',
    remedy: 'redirect port 80 to https in the proxy, or close it',
    judge({ plain, ...seen }) {
      if (!isHttps({ plain, ...seen })) return undefined
      if (plain === null) return null
      const isSent = plain.status >= 300 && plain.status < 400
      return unless(
        isSent && header(plain, 'location').startsWith('https:'),
        `port 80 answers ${plain.status}`,
      )
    },
  },
  {
    name: 'hsts',
    promise: 'browsers are told to use https alone',
    remedy: 'send Strict-Transport-Security: max-age=31536000 from the proxy',
    judge: (seen) =>
      isHttps(seen)
        ? unless(
            /max-age="?[1-9]\d{5}/.test(header(seen.me, 'strict-transport-security')),
            'Strict-Transport-Security is missing, or lasts less than days',
          )
        : undefined,
  },
  {
    name: 'clock',
    promise: "the server's clock is that of this machine, within five seconds",
    remedy: 'run an NTP client on the server, and on this machine',
    judge: ({ clockAhead }) =>
      clockAhead === null
        ? undefined
        : unless(Math.abs(clockAhead) <= 5000, `it differs by ${Math.round(clockAhead / 1000)} s`),
  },
]

const errors: readonly Check[] = [
  {
    name: 'unknown-token',
    promise: 'a token that nobody has is 401',
    remedy: 'let no middleware in front of the router answer for it',
    judge: ({ wrongToken }) => isOurs(wrongToken, 401, 'Unauthorized'),
  },
  {
    name: 'unknown-path',
    promise: 'a path that there is not is 404',
    remedy: 'let no catch-all of a single-page app answer below the path of the router',
    judge: ({ unknownPath }) =>
      unknownPath === null
        ? none
        : unless(unknownPath.status === 404, `it is ${unknownPath.status}`),
  },
  {
    name: 'method',
    promise: 'a wrong method is 405, with Allow',
    remedy: 'mount the router before the routes of the host that have the same paths',
    judge: ({ getLogin }) =>
      isOurs(getLogin, 405, 'method-not-allowed') ??
      unless(header(getLogin, 'allow').includes('POST'), 'Allow is missing'),
  },
  {
    name: 'malformed-body',
    promise: 'malformed JSON is a 400 of the router',
    remedy: 'mount the router before express.json()',
    judge: ({ brokenJson }) => isOurs(brokenJson, 400, 'invalid-request'),
  },
  {
    name: 'big-body',
    promise: 'a body of more than 8 KiB is a 413 of the router',
    remedy: 'mount the router before express.json()',
    judge: ({ bigBody }) => isOurs(bigBody, 413, 'payload-too-large'),
  },
  {
    name: 'other-body',
    promise: 'a body that is no JSON is a 415 of the router',
    remedy: 'mount the router before the body parsers of the host',
    judge: ({ textBody }) => isOurs(textBody, 415, 'unsupported-media-type'),
  },
  {
    name: 'login',
    promise: 'POST /login says what is missing',
    remedy: 'let no route of the host answer POST /login',
    judge: ({ emptyLogin }) => isOurs(emptyLogin, 400, 'invalid-request'),
  },
  {
    name: 'exchange',
    promise: 'POST /auth/pkce/token says what is missing',
    remedy: 'let no route of the host answer below /auth, and no proxy keep it from the server',
    judge: ({ emptyExchange }) => isOurs(emptyExchange, 400, 'invalid_request'),
  },
  {
    name: 'refresh',
    promise: 'POST /auth/refresh says what is missing',
    remedy: 'let no route of the host answer below /auth, and no proxy keep it from the server',
    judge: ({ emptyRefresh }) => isOurs(emptyRefresh, 400, 'invalid_request'),
  },
  {
    name: 'stack',
    promise: 'no error shows where it happened in the code',
    remedy: 'set NODE_ENV=production, or answer errors in an error handler of your own',
    judge: ({ unknownPath, brokenJson, bigBody, textBody }) =>
      unless(
        ![unknownPath, brokenJson, bigBody, textBody].some((one) =>
          /\bat [^\n]{1,200}:\d{1,9}:\d{1,9}|node_modules/.test(one?.text ?? ''),
        ),
        'an answer has a stack',
      ),
  },
]

const headers: readonly Check[] = [
  {
    name: 'json',
    promise: 'an answer is application/json, without a charset',
    remedy: 'let no proxy rewrite Content-Type',
    judge: ({ me }) =>
      unless(
        header(me, 'content-type') === 'application/json',
        `it is ${header(me, 'content-type')}`,
      ),
  },
  {
    name: 'no-store',
    promise: 'no cache keeps an answer',
    remedy: 'let neither a proxy nor a CDN change Cache-Control, nor cache below the router',
    judge: ({ me, emptyLogin }) =>
      unless(
        [me, emptyLogin].every((one) => /\bno-store\b/.test(header(one, 'cache-control'))) &&
          [me, emptyLogin].every((one) => header(one, 'age') === ''),
        'Cache-Control is not no-store, or an answer came from a cache',
      ),
  },
  {
    name: 'nosniff',
    promise: 'browsers do not guess what an answer is',
    remedy: 'let no proxy take X-Content-Type-Options away',
    judge: ({ me }) =>
      unless(header(me, 'x-content-type-options') === 'nosniff', 'nosniff is missing'),
  },
  {
    name: 'product',
    promise: 'no header names the product',
    remedy: "app.disable('x-powered-by')",
    judge: ({ unknownPath }) =>
      unless(header(unknownPath, 'x-powered-by') === '', 'X-Powered-By is sent'),
  },
  {
    name: 'no-cookie',
    promise: 'an answer of the API sets no cookie',
    remedy: 'keep session middleware and load balancers from setting cookies below the router',
    judge: ({ me, emptyLogin }) =>
      unless(
        [me, emptyLogin].every((one) => (one?.cookies.length ?? 0) === 0),
        'a cookie is set',
      ),
  },
  {
    name: 'client-address',
    promise: 'an X-Forwarded-For that a client has made up is not believed',
    remedy: 'set trust proxy to the number of proxies, or to their addresses; never to true',
    judge({ forwarded }) {
      const left = forwarded.map((one) => Number(header(one, 'ratelimit-remaining') || Number.NaN))
      const [first = Number.NaN, second = Number.NaN] = left
      if (Number.isNaN(first) || Number.isNaN(second)) return undefined
      return unless(second < first, 'two made-up addresses are counted apart: limits do not hold')
    },
  },
]

const origins: readonly Check[] = [
  {
    name: 'foreign-origin',
    promise: 'pages of a foreign origin may not call the API',
    remedy: 'use the option cors with its list of origins, and no cors() in front of the router',
    judge: ({ foreignPreflight, foreignPage }) =>
      unless(
        [foreignPreflight, foreignPage].every(
          (one) => header(one, 'access-control-allow-origin') === '',
        ),
        'Access-Control-Allow-Origin lets them',
      ),
  },
  {
    name: 'foreign-credentials',
    promise: 'no page sends cookies from a foreign origin',
    remedy: 'let no middleware and no proxy set Access-Control-Allow-Credentials',
    judge: ({ foreignPreflight, foreignPage }) =>
      unless(
        [foreignPreflight, foreignPage].every(
          (one) => header(one, 'access-control-allow-credentials') === '',
        ),
        'Access-Control-Allow-Credentials lets them',
      ),
  },
  {
    name: 'own-origin',
    promise: 'pages of the origin that was given may call the API',
    remedy: 'name it in the option cors.origins, and let the proxy add no CORS header',
    judge({ patient: { origin }, ownPreflight }) {
      if (origin === null) return undefined
      const allowed = header(ownPreflight, 'access-control-allow-origin')
      return unless(allowed === origin, `Access-Control-Allow-Origin is ${allowed || 'missing'}`)
    },
  },
  {
    name: 'guarded',
    promise: 'the route that was given is 401 without a token',
    remedy: 'put auth.requireAuth() before its handler',
    judge: ({ patient: { guardedPath }, guarded }) =>
      guardedPath === null
        ? undefined
        : unless(guarded?.status === 401, `it is ${guarded?.status ?? 'not answered'}`),
  },
  {
    name: 'upgrade',
    promise: 'a socket without credentials is refused with 401',
    remedy: 'hand upgrades to auth.sockets before the server of sockets accepts them',
    judge: ({ patient: { socketPath }, upgrade }) =>
      socketPath === null
        ? undefined
        : unless(upgrade?.status === 401, `it is ${upgrade?.status ?? 'not answered'}`),
  },
  {
    name: 'keys',
    promise: 'the public keys are published, and no private one',
    remedy: 'use joseSigner(), and let no proxy keep /auth/jwks.json from the server',
    judge({ keys }) {
      if (keys === null) return none
      const all = list(keys, 'keys') as readonly Readonly<Record<string, unknown>>[]
      if (keys.status !== 200 || all.length === 0) return `there are none: ${keys.status}`
      const isPublic = (key: unknown) =>
        typeof key === 'object' && key !== null && !('d' in key) && !('k' in key)
      return unless(all.every(isPublic), 'there is a private one')
    },
  },
  {
    name: 'change-password',
    promise: 'password managers find the page for a new password',
    remedy: 'app.use(auth.wellKnown) at the root of the site',
    judge({ changePassword, patient: { baseUrl } }) {
      if (changePassword === null || changePassword.status === 404) return undefined
      const to = header(changePassword, 'location')
      const isHere =
        URL.canParse(to, baseUrl.href) && new URL(to, baseUrl).origin === baseUrl.origin
      const isSent = changePassword.status >= 300 && changePassword.status < 400
      return unless(isSent && isHere, 'it leads nowhere on this origin')
    },
  },
]

const apps: readonly Check[] = [
  {
    name: 'issuer',
    promise: 'the issuer is of this origin, and the documents stand where it says',
    remedy: 'use the public https origin as issuer of joseSigner(), and app.use(auth.wellKnown)',
    judge: ofOAuth(({ server, openId }, { patient: { baseUrl } }) => {
      const issuer = server.json?.['issuer']
      if (typeof issuer !== 'string') return 'it is no text'
      if (!isBelow(issuer, baseUrl.origin) && issuer !== baseUrl.origin)
        return 'it is of another origin'
      const hasOpenId = list(server, 'id_token_signing_alg_values_supported').length > 0
      return unless(
        !hasOpenId || openId?.json?.['issuer'] === issuer,
        'openid-configuration is missing below it, or names another one',
      )
    }),
  },
  {
    name: 'addresses',
    promise: 'every published address is below the address of the router',
    remedy: 'set oauth.baseUrl to the public address, with the path that the router is mounted at',
    judge: ofOAuth(({ server }, { patient: { baseUrl } }) => {
      const base = baseUrl.href.replace(/\/$/, '')
      const told = Object.entries(server.json ?? {}).filter(
        ([name]) => name.endsWith('_endpoint') || name === 'jwks_uri',
      )
      const other = told.find(
        ([, address]) => typeof address !== 'string' || !isBelow(address, base),
      )
      return unless(other === undefined, `${other?.[0]} is not`)
    }),
  },
  {
    name: 'endpoints',
    promise: 'every published endpoint answers as itself',
    remedy: 'let no route of the host and no rule of the proxy answer below /oauth',
    judge: ofOAuth(({ token, revoke, introspect, userInfo, authorize }) => {
      const isApp = (seen: Looked | null) =>
        seen === null || (seen.json !== null && (seen.status === 400 || seen.status === 401))
      if (authorize === null || authorize.status !== 400) return 'authorization_endpoint does not'
      if (token === null || !isApp(token)) return 'token_endpoint does not'
      if (!isApp(revoke)) return 'revocation_endpoint does not'
      if (!isApp(introspect)) return 'introspection_endpoint does not'
      return unless(isApp(userInfo), 'userinfo_endpoint does not')
    }),
  },
  {
    name: 'documents-anywhere',
    promise: 'apps of every origin may read the documents',
    remedy: 'let the proxy keep Access-Control-Allow-Origin: * of the documents',
    judge: ofOAuth(({ server }) =>
      unless(header(server, 'access-control-allow-origin') === '*', 'they may not'),
    ),
  },
  {
    name: 'signing',
    promise: 'the published keys fit the algorithms of ID tokens',
    remedy: 'let all processes have the same keys, by the option keys or one file',
    judge: ofOAuth(({ server }, { keys }) => {
      const wanted = list(server, 'id_token_signing_alg_values_supported')
      const there = new Set(list(keys, 'keys').map((key) => (key as { alg?: unknown } | null)?.alg))
      return unless(
        wanted.every((name) => there.has(name)),
        'there is no key for one of them',
      )
    }),
  },
  {
    name: 'challenge',
    promise: 'a 401 leads to the document of the API, which names this server',
    remedy: 'app.use(auth.wellKnown), and an audience of joseSigner() that is a URL of this origin',
    judge: ofOAuth(({ resource, server }, { patient: { guardedPath } }) => {
      if (guardedPath === null) return undefined
      const isNamed = list(resource, 'authorization_servers').includes(server.json?.['issuer'])
      return unless(isNamed, 'there is no document, or it names another server')
    }),
  },
  {
    name: 'page-headers',
    promise: 'no page can be framed, and none is cached',
    remedy: 'let no middleware and no proxy change the headers of pages',
    judge: ofOAuth(({ authorize }) =>
      unless(
        /frame-ancestors 'none'/.test(header(authorize, 'content-security-policy')) &&
          /\bno-store\b/.test(header(authorize, 'cache-control')),
        'frame-ancestors or no-store is missing',
      ),
    ),
  },
  {
    name: 'page-cookie',
    promise: 'the cookie of the pages is of this host alone, and no script reads it',
    remedy: 'let the proxy rewrite no Set-Cookie: no Domain, no other Path',
    judge: ofOAuth(({ signIn }, seen) => {
      const ours = signIn?.cookies.filter((cookie) => /mar_/.test(cookie.split('=')[0] ?? '')) ?? []
      if (ours.length === 0) return undefined
      const isSafe = (cookie: string) =>
        /; *httponly/i.test(cookie) &&
        /; *samesite=(?:lax|strict|none)/i.test(cookie) &&
        !/; *domain=/i.test(cookie) &&
        (!isHttps(seen) || /; *secure/i.test(cookie))
      return unless(ours.every(isSafe), 'an attribute is missing, or Domain is set')
    }),
  },
  {
    name: 'client',
    promise: 'the client that was given is known',
    remedy: 'register it in oauth.clients, or enable it',
    judge: ofOAuth(({ client, authorize }, { patient: { clientId } }) => {
      if (clientId === null) return undefined
      // The page of a known client says that its redirect URI is missing.
      const isKnown = client !== null && pageOf(client) !== pageOf(authorize)
      return unless(isKnown, 'the page says that there is no such client')
    }),
  },
]

/** Every check, in the order of the report. */
export const checks: readonly Check[] = [...connection, ...errors, ...headers, ...origins, ...apps]
