// The doctor sees the example from outside: as it is, and with one thing wrong at a time.
import { beforeEach, describe, expect, it } from 'vitest'
import { checks } from '../../src/doctor/checks.js'
import { examine, reportOf } from '../../src/doctor/doctor.js'
import type { Patient } from '../../src/doctor/examine.js'
import { type Answered, patient, type Spoil, startFronted } from './fronted-example.js'

const { state, look } = await startFronted()
beforeEach(() => {
  state.spoil = () => {}
})

async function faultsOf(who: Patient = patient): Promise<readonly string[]> {
  const findings = await examine(who, look)
  return findings.filter(({ outcome }) => outcome === 'fault').map(({ check }) => check)
}

describe('the example as it is', () => {
  it('has no fault', async () => {
    const findings = await examine(patient, look)
    expect(findings.filter(({ outcome }) => outcome === 'fault')).toEqual([])
    // What does not concern it, or cannot be told.
    const skipped = findings.filter(({ outcome }) => outcome === 'skipped')
    expect(skipped.map(({ check }) => check)).toEqual(expect.arrayContaining(['own-origin']))
    expect(findings.map(({ check }) => check)).toEqual(checks.map(({ name }) => name))
  })
})

it('at another path is one fault, which tells where the router is', async () => {
  const baseUrl = new URL(patient.baseUrl.href.replace('/api/v1', '/api/v2'))
  const findings = await examine({ ...patient, baseUrl }, look)
  expect(findings.filter(({ outcome }) => outcome === 'fault')).toMatchObject([
    { check: 'router', problem: expect.stringContaining(`the router is at ${patient.baseUrl}`) },
  ])
})

it('where nothing listens says so, as one fault', async () => {
  const findings = await examine({ ...patient, baseUrl: new URL('http://127.0.0.1:1/api/v1') })
  expect(findings).toMatchObject([{ problem: expect.stringContaining('refused') }])
  expect(reportOf(findings)).toContain('\n1 fault, 0 right')
})

const isErrorOf = (path: string, method = 'POST') => ({
  at: (asked: Parameters<Spoil>[1]) => asked.path === `/api/v1${path}` && asked.method === method,
})
const login = isErrorOf('/login')

/** Answers as Express does where a parser of the host's comes before the router. */
function expressError(answered: Answered, status: number): void {
  answered.status = status
  answered.headers = { 'content-type': 'text/html; charset=utf-8' }
  answered.body = '<pre>SyntaxError: Unexpected token</pre>'
}

const inDocument = (answered: Answered, change: (document: Record<string, unknown>) => void) => {
  if (!answered.body.includes('"authorization_endpoint"')) return
  const document = JSON.parse(answered.body)
  change(document)
  answered.body = JSON.stringify(document)
}

const sets =
  (name: string, value: string | string[]): Spoil =>
  ({ headers }) => {
    headers[name] = value
  }

/** Each fault, by the check that has to find it. Others may find it, too. */
const faults: readonly (readonly [check: string, what: string, spoil: Spoil])[] = [
  [
    'router',
    'a page of the host stands where the router should',
    (answered, { path }) => {
      if (path === '/api/v1/me') expressError(answered, 404)
    },
  ],
  [
    'http-redirect',
    'port 80 answers',
    (answered, { method }) => {
      if (method === 'PLAIN') answered.status = 200
    },
  ],
  [
    'http-redirect',
    'port 80 leads to http',
    (answered, { method }) => {
      if (method === 'PLAIN') answered.headers['location'] = 'http://chat.example.com/'
    },
  ],
  ['hsts', 'HSTS is missing', ({ headers }) => void delete headers['strict-transport-security']],
  ['hsts', 'HSTS is switched off', sets('strict-transport-security', 'max-age=0')],
  [
    'clock',
    'the clock is an hour ahead',
    sets('date', new Date(Date.now() + 3_600_000).toUTCString()),
  ],
  [
    'clock',
    'the clock is a minute behind',
    sets('date', new Date(Date.now() - 60_000).toUTCString()),
  ],
  [
    'unknown-token',
    'every token is accepted',
    (answered, { path, method }) => {
      if (path === '/api/v1/me' && method === 'GET') answered.status = 200
    },
  ],
  [
    'unknown-path',
    'a single-page app answers every path',
    (answered, { path }) => {
      if (path.startsWith('/api/v1/doctor-')) answered.status = 200
    },
  ],
  [
    'unknown-path',
    'an unknown path is an error of the server',
    (answered, { path }) => {
      if (path.startsWith('/api/v1/doctor-')) answered.status = 500
    },
  ],
  [
    'method',
    'a form of the host stands at GET /login',
    (answered, { path, method }) => {
      if (path === '/api/v1/login' && method === 'GET') expressError(answered, 200)
    },
  ],
  ['method', 'Allow is taken away', ({ headers }) => void delete headers['allow']],
  [
    'malformed-body',
    'express.json() comes first',
    (answered, asked) => {
      if (login.at(asked) && asked.body === '{') expressError(answered, 400)
    },
  ],
  [
    'big-body',
    'the proxy refuses large bodies itself',
    (answered, asked) => {
      if (login.at(asked) && asked.body.length > 8192) expressError(answered, 413)
    },
  ],
  [
    'other-body',
    'a parser of the host takes text',
    (answered, asked) => {
      if (login.at(asked) && asked.body === 'x') expressError(answered, 400)
    },
  ],
  [
    'login',
    'a route of the host answers POST /login',
    (answered, asked) => {
      if (login.at(asked) && asked.body === '{}') expressError(answered, 500)
    },
  ],
  [
    'exchange',
    'the proxy knows nothing below /auth',
    (answered, { path }) => {
      if (path.startsWith('/api/v1/auth/')) expressError(answered, 404)
    },
  ],
  [
    'refresh',
    'refreshing is kept from the server',
    (answered, { path }) => {
      if (path === '/api/v1/auth/refresh') expressError(answered, 502)
    },
  ],
  [
    'stack',
    'an error shows its stack',
    (answered, { path }) => {
      if (path.startsWith('/api/v1/doctor-'))
        answered.body = 'Error: x<br> &nbsp; &nbsp;at f (/srv/app/node_modules/x/index.js:1:2)'
    },
  ],
  [
    'json',
    'a charset is added',
    ({ headers }) => {
      if (headers['content-type'] === 'application/json')
        headers['content-type'] = 'application/json; charset=utf-8'
    },
  ],
  ['no-store', 'answers may be kept', sets('cache-control', 'private')],
  ['no-store', 'answers come from a cache', sets('age', '12')],
  ['nosniff', 'nosniff is gone', ({ headers }) => void delete headers['x-content-type-options']],
  ['product', 'Express names itself', sets('x-powered-by', 'Express')],
  ['no-cookie', 'a load balancer sets a cookie', sets('set-cookie', ['AWSALB=x; Path=/'])],
  ['foreign-origin', 'cors() comes first', sets('access-control-allow-origin', '*')],
  [
    'foreign-credentials',
    'foreign pages may send cookies',
    sets('access-control-allow-credentials', 'true'),
  ],
  [
    'guarded',
    'a route answers before anybody is asked',
    (answered, { path }) => {
      if (path === '/api/v1/rooms') answered.status = 200
    },
  ],
  [
    'challenge',
    'a refusal leads nowhere',
    ({ headers }, { path }) => {
      if (path === '/api/v1/rooms') headers['www-authenticate'] = 'Bearer'
    },
  ],
  [
    'challenge',
    'the document of the API names another server',
    (answered, { path }) => {
      if (path.includes('/oauth-protected-resource'))
        answered.body = '{"authorization_servers":["https://evil.example"]}'
    },
  ],
  [
    'upgrade',
    'sockets are accepted before anybody is asked',
    (answered, { method }) => {
      if (method === 'UPGRADE') answered.status = 101
    },
  ],
  [
    'keys',
    'a private key is published',
    (answered, { path }) => {
      if (path === '/api/v1/auth/jwks.json') answered.body = '{"keys":[{"kty":"EC","d":"x"}]}'
    },
  ],
  [
    'change-password',
    'password managers are led away',
    (answered, { path }) => {
      if (path === '/.well-known/change-password')
        Object.assign(answered, { status: 302, headers: { location: 'https://evil.example/' } })
    },
  ],
  [
    'issuer',
    'the issuer is the address inside',
    (answered) =>
      inDocument(answered, (document) =>
        Object.assign(document, { issuer: 'http://10.0.0.5:3000' }),
      ),
  ],
  [
    'issuer',
    'the two documents name two issuers',
    (answered, { path }) => {
      if (path.endsWith('/openid-configuration'))
        inDocument(answered, (document) =>
          Object.assign(document, { issuer: `${document['issuer']}/` }),
        )
    },
  ],
  [
    'addresses',
    'an endpoint stands outside',
    (answered) =>
      inDocument(answered, (document) =>
        Object.assign(document, { jwks_uri: 'https://chat.example.com/jwks' }),
      ),
  ],
  [
    'endpoints',
    'the proxy knows nothing below /oauth',
    (answered, { path }) => {
      if (path.startsWith('/api/v1/oauth/')) expressError(answered, 404)
    },
  ],
  [
    'documents-anywhere',
    'documents are for one origin',
    ({ headers }, { path }) => {
      if (path.includes('/.well-known/')) delete headers['access-control-allow-origin']
    },
  ],
  [
    'signing',
    'another process has other keys',
    (answered, { path }) => {
      if (path === '/api/v1/auth/jwks.json')
        answered.body = answered.body.replaceAll('ES256', 'EdDSA')
    },
  ],
  [
    'page-headers',
    'pages can be framed',
    ({ headers }) => void delete headers['content-security-policy'],
  ],
  [
    'page-cookie',
    'the cookie is for all hosts of the domain',
    ({ headers }) => {
      const cookies = [headers['set-cookie'] ?? []].flat()
      if (cookies.length > 0)
        headers['set-cookie'] = cookies.map((cookie) => `${cookie}; Domain=example.com`)
    },
  ],
]

describe('the example with one thing wrong', () => {
  it.each(faults)('%s: %s', async (check, _what, spoil) => {
    state.spoil = spoil
    expect(await faultsOf()).toContain(check)
  })

  it('client: it is not registered', async () => {
    expect(await faultsOf({ ...patient, clientId: 'nobody' })).toEqual(['client'])
  })

  it('own-origin: it is not in the list', async () => {
    const origin = 'https://app.example.com'
    expect(await faultsOf({ ...patient, origin })).toEqual(['own-origin'])
    state.spoil = ({ headers }, { method }) => {
      if (method === 'OPTIONS') headers['access-control-allow-origin'] = origin
    }
    const findings = await examine({ ...patient, origin }, look)
    expect(findings.find(({ check }) => check === 'own-origin')?.outcome).toBe('right')
  })

  it('https: passwords are sent as they are', async () => {
    const baseUrl = new URL('http://chat.example.com/api/v1')
    expect(await faultsOf({ ...patient, baseUrl })).toContain('https')
  })

  it('reachable: nobody is there, and nothing else is said', async () => {
    const findings = await examine(patient, async () => null)
    expect(findings).toEqual([expect.objectContaining({ check: 'reachable', outcome: 'fault' })])
  })
})

describe('a fault of the trust in proxies', async () => {
  const trusting = await startFronted({ TRUST_PROXY: '1' })

  it('client-address: whoever asks makes up her address', async () => {
    const findings = await examine(patient, trusting.look)
    const faults = findings.filter(({ outcome }) => outcome === 'fault')
    expect(faults.map(({ check }) => check)).toEqual(['client-address'])
  })
})

it('each check finds a fault here', () => {
  const found = new Set(faults.map(([check]) => check))
  const alone = ['https', 'own-origin', 'client', 'client-address']
  for (const { name } of checks) expect([...found, ...alone]).toContain(name)
  expect(faults.length).toBeGreaterThanOrEqual(30)
})
