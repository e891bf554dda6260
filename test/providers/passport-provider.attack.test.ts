import { afterEach, describe, expect, it, vi } from 'vitest'
import { AuthConfigError } from '../../src/index.js'
import { type PassportProviderOptions, passportProvider } from '../../src/providers/providers.js'

afterEach(() => void vi.useRealTimers())

/** What a strategy may do, and what it is asked with. */
interface Actions {
  redirect(url: unknown, status?: number): void
  success(profile: unknown, info?: unknown): void
  fail(challenge?: unknown, status?: number): void
  error(error: unknown): void
  pass(): void
}
interface Asked {
  query: Record<string, string>
  body: Record<string, string>
  headers: Record<string, string>
  session: Record<string, unknown>
  url: string
  originalUrl: string
  method: string
  protocol: string
  get(name: string): string | undefined
}
type Authenticate = (this: Actions, request: Asked, options: Record<string, unknown>) => unknown

const state = 'S'.repeat(43)
const callbackUrl = 'https://chat.example.com/auth/providers/corp/callback'
const away = 'https://idp.example.com/authorize?client_id=1'

function providerOf(authenticate: Authenticate, options: Partial<PassportProviderOptions> = {}) {
  return passportProvider({
    id: 'corp',
    name: 'Corp',
    strategy: { authenticate },
    issuer: 'corp',
    identity: (profile) => ({ subject: (profile as { id: string }).id }),
    ...options,
  })
}

const start = (authenticate: Authenticate, flow = {}) =>
  providerOf(authenticate).start({ state, callbackUrl, ...flow })

const finish = (
  authenticate: Authenticate,
  {
    options = {},
    ...flow
  }: { options?: Partial<PassportProviderOptions>; [name: string]: unknown } = {},
) =>
  providerOf(authenticate, options).finish({
    state,
    callbackUrl,
    method: 'GET',
    parameters: { state, code: 'c' },
    headers: {},
    keep: { session: {}, state: null },
    ...flow,
  })

const alice: Authenticate = function () {
  this.success({ id: 'alice-1' })
}
const identity = { issuer: 'corp', subject: 'alice-1' }

describe('a strategy of passport', () => {
  it('runs on a request of its own, without state in its options', async () => {
    let seen: [Asked, object] | undefined
    const { url, keep } = await start(
      function (request, options) {
        seen = [request, { ...options }]
        request.session['corp'] = { verifier: 'v' }
        this.redirect(away)
      },
      { prompt: 'login' },
    )
    const [request, options] = seen as [Asked, object]
    expect(options).toEqual({ prompt: 'login' })
    expect(Object.keys(request).sort()).toEqual(
      (
        'body get header headers host hostname method originalUrl protocol query secure session ' +
        'url'
      ).split(' '),
    )
    expect({ ...request.query }).toEqual({ RelayState: state })
    expect(request.url).toBe(`/auth/providers/corp/callback?RelayState=${state}`)
    expect([request.get('Host'), request.protocol]).toEqual(['chat.example.com', 'https'])
    expect(url).toBe(`${away}&state=${state}`)
    expect(keep).toEqual({ session: { corp: { verifier: 'v' } }, state: null })
  })

  it('gets its own state and session back, and ours never', async () => {
    const { url, keep } = await start(function (request) {
      request.session['corp'] = { state: 'theirs' }
      this.redirect(`${away}&state=theirs`)
    })
    expect(new URL(url).searchParams.getAll('state')).toEqual([state])
    for (const method of ['GET', 'POST'] as const) {
      let seen: Asked | undefined
      const finished = await finish(
        function (request) {
          seen = request
          this.success({ id: 'alice-1' })
        },
        {
          keep,
          method,
          headers: { cookie: 'a=b', 'x-forwarded-host': 'evil', accept: '*/*', host: 'evil' },
        },
      )
      expect(finished).toEqual({ outcome: 'identified', identity })
      const { query, body, url: asked, session, headers } = seen as Asked
      const sent = { code: 'c', state: 'theirs' }
      expect([{ ...query }, { ...body }]).toEqual(method === 'GET' ? [sent, {}] : [{}, sent])
      expect(asked).not.toContain(state)
      expect(session['corp']).toEqual({ state: 'theirs' })
      expect({ ...headers }).toEqual({ accept: '*/*', host: 'chat.example.com' })
    }
  })

  it('leaves a query with our RelayState as it is, as one that is signed', async () => {
    const signed = `https://idp.example.com/sso?SAMLRequest=a%2Bb&RelayState=${state}&Signature=x`
    const { url, keep } = await start(function () {
      this.redirect(signed)
    })
    expect([url, keep]).toEqual([signed, { session: {} }])
    const parameters = { RelayState: state, SAMLResponse: 'x' }
    expect((await finish(alice, { keep, parameters })).outcome).toBe('identified')
    for (const other of [{ RelayState: 'other' }, { state }, {}])
      expect(await finish(alice, { keep, parameters: { ...other, SAMLResponse: 'x' } })).toEqual({
        outcome: 'refused',
        reason: 'wrong-state',
      })
  })

  it('reads what the identity has, and nothing else', async () => {
    const answer = {
      ...identity,
      email: 'alice@example.com',
      emailVerified: 'true',
      name: 'Alice',
      isAdmin: true,
      amr: ['mfa'],
    }
    const options = { identity: () => answer as never }
    expect(await finish(alice, { options })).toEqual({
      outcome: 'identified',
      identity: {
        ...identity,
        email: 'alice@example.com',
        emailVerified: false,
        name: 'Alice',
        amr: ['mfa'],
      },
    })
  })
})

describe('a strategy that misbehaves', () => {
  const targets = [
    'javascript:alert(1)',
    'http://example.com/',
    'data:text/html,x',
    '/sign-in',
    '//example.com',
    '',
    undefined,
    { toString: () => 'ftp://example.com' },
  ]
  it.each(targets)('redirects nobody to %s', async (target) => {
    const redirecting = start(function () {
      this.redirect(target)
    })
    await expect(redirecting).rejects.toThrow('does not redirect to an address over https')
  })

  it('begins no flow without a redirect', async () => {
    for (const act of ['success', 'fail', 'pass'] as const)
      await expect(
        start(function () {
          this[act]({})
        }),
      ).rejects.toThrow('does not redirect')
  })

  it('calls success twice, or fails and throws afterwards: the first counts', async () => {
    expect(
      await finish(function () {
        this.success({ id: 'alice-1' })
        this.success({ id: 'mallory' })
        this.fail('no')
        this.error(new Error('late'))
        throw new Error('later')
      }),
    ).toEqual({ outcome: 'identified', identity })
    const later = finish(async function () {
      this.fail('no')
      await new Promise((resolve) => setImmediate(resolve))
      this.success({ id: 'mallory' })
      throw new Error('later')
    })
    expect(await later).toEqual({ outcome: 'refused', reason: 'fail' })
    await new Promise((resolve) => setImmediate(resolve))
  })

  it('fails, passes, redirects again or finds nobody: refused', async () => {
    for (const [act, reason] of [
      ['fail', 'fail'],
      ['pass', 'pass'],
      ['redirect', 'redirect'],
      ['success', 'no-profile'],
    ] as const)
      expect(
        await finish(function () {
          this[act](undefined)
        }),
      ).toEqual({ outcome: 'refused', reason })
  })

  it('has an error, throws, rejects: an outage', async () => {
    const broken: Authenticate[] = [
      function () {
        this.error(new Error('down'))
      },
      () => {
        throw new Error('down')
      },
      () => Promise.reject(new Error('down')),
    ]
    for (const authenticate of broken) {
      await expect(finish(authenticate)).rejects.toThrow('down')
      await expect(start(authenticate)).rejects.toThrow('down')
      const refusing = { options: { isRefusal: ({ message }: Error) => message === 'down' } }
      expect(await finish(authenticate, refusing)).toEqual({ outcome: 'refused', reason: 'error' })
      const other = { options: { isRefusal: () => false } }
      await expect(finish(authenticate, other)).rejects.toThrow('down')
    }
    await expect(
      finish(function () {
        this.error('a text')
      }),
    ).rejects.toThrow('failed without an error')
  })

  it('decides nothing in ten seconds: an outage, whatever the host takes for a refusal', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const options = { isRefusal: () => true }
    const waiting = expect(finish(() => {}, { options })).rejects.toThrow('no answer within')
    const starting = expect(start(() => {})).rejects.toThrow('no answer within')
    vi.advanceTimersByTime(10_000)
    await Promise.all([waiting, starting])
  })

  it('writes to the prototype of its session, and no other object has it', async () => {
    const { keep } = await start(function (request) {
      const session = request.session as { __proto__: object }
      // biome-ignore lint/suspicious/noProto: what is tried.
      session.__proto__ = { polluted: true }
      this.redirect(away)
    })
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
    let seen: Asked | undefined
    await finish(
      function (request) {
        seen = request
        this.fail()
      },
      { keep: JSON.parse(JSON.stringify(keep)) },
    )
    expect(Object.getPrototypeOf(seen?.session)).toBeNull()
    expect(seen?.session['polluted']).toBeUndefined()
  })

  it.each([
    ['of 100 KB', 'x'.repeat(100_000)],
    ['of 4 KiB', 'x'.repeat(4096)],
    ['that is no JSON', 1n],
  ])('keeps a session %s: refused before anything is stored', async (_what, value) => {
    const starting = start(function (request) {
      request.session['corp'] = value
      this.redirect(away)
    })
    await expect(starting).rejects.toThrow('keeps no JSON of up to 4096 bytes')
  })

  it('cannot be changed itself', async () => {
    const strategy = Object.freeze({ authenticate: alice })
    expect((await finish(alice, { options: { strategy } })).outcome).toBe('identified')
    expect(Object.keys(strategy)).toEqual(['authenticate'])
  })
})

describe('an answer for a strategy', () => {
  const never: Authenticate = () => {
    throw new Error('was asked')
  }

  it('is refused with another state, or an error', async () => {
    for (const [flow, reason] of [
      [{ parameters: { code: 'c' } }, 'wrong-state'],
      [{ parameters: { code: 'c', state: 'other' } }, 'wrong-state'],
      [{ parameters: { error: 'access_denied', state } }, 'access-denied'],
      [{ parameters: { error: 'server_error', state } }, 'server_error'],
      [{ parameters: { error: 'A story', state } }, 'unknown-error'],
    ] as const)
      expect(await finish(never, flow)).toEqual({ outcome: 'refused', reason })
  })

  it('is refused for an age that nobody proves, or that is too old', async () => {
    const now = Date.now()
    for (const [authenticatedAt, reason] of [
      [undefined, 'age'],
      [new Date(now - 90_000), 'age'],
      [new Date(Number.NaN), 'age'],
      [String(now), 'age'],
      [new Date(now), undefined],
    ]) {
      const options = {
        identity: () => ({ subject: 'a', authenticatedAt: authenticatedAt as Date }),
      }
      const keep = { session: {}, state: null, maxAge: 60 }
      expect(await finish(alice, { options, keep })).toMatchObject(
        reason === undefined ? { outcome: 'identified' } : { outcome: 'refused', reason },
      )
    }
  })

  it('is refused if it names another issuer than the options', async () => {
    const options = { identity: () => ({ issuer: 'https://accounts.google.com', subject: 'a' }) }
    const refused = { outcome: 'refused', reason: 'wrong-issuer' }
    expect(await finish(alice, { options })).toEqual(refused)
  })

  it('with a subject that cannot be one is refused; without one the host is at fault', async () => {
    for (const subject of ['', 'a'.repeat(256), 'a\0']) {
      const options = { identity: () => ({ subject }) }
      expect(await finish(alice, { options })).toEqual({ outcome: 'refused', reason: 'subject' })
    }
    for (const answer of [undefined, null, {}, { subject: 7 }, 'alice-1']) {
      const options = { identity: () => answer as never }
      await expect(finish(alice, { options })).rejects.toThrow('returned no subject')
    }
    const options = { identity: () => Promise.reject(new Error('table away')) }
    await expect(finish(alice, { options })).rejects.toThrow('table away')
  })

  it('is read without members of a polluted Object.prototype', async () => {
    const polluted = Object.prototype as unknown as Record<string, unknown>
    const names = ['RelayState', 'code', 'email', 'emailVerified', 'maxAge', 'amr']
    for (const name of names) polluted[name] = name === 'amr' ? ['mfa'] : true
    try {
      let seen: Asked | undefined
      const finished = await finish(
        function (request) {
          seen = request
          this.success({ id: 'alice-1' })
        },
        { parameters: { state } },
      )
      expect(finished).toEqual({ outcome: 'identified', identity })
      expect(seen?.query['code']).toBeUndefined()
    } finally {
      for (const name of names) delete polluted[name]
    }
  })
})

describe('passportProvider()', () => {
  it.each([
    ['strategy', { strategy: {} }],
    ['strategy', { strategy: undefined }],
    ['identity', { identity: 'nameID' }],
    ['id', { id: 'a b' }],
    ['sessions', { sessions: true }],
    ['isRefusal', { isRefusal: true }],
  ])('refuses a wrong %s', (name, options) => {
    const make = () => providerOf(alice, options as never)
    expect(make).toThrow(AuthConfigError)
    expect(make).toThrow(`passportProvider.${name}`)
  })
})
