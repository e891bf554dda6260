// What the files every-call-1 and -2 beside this one do not ask: nonsense that nearly makes sense,
// what a failure half-way leaves, and what the log is told.
import { describe, expect, it } from 'vitest'
import { totpCode } from '../../src/testing/testing.js'
import { bearer, get, logIn, obtainCode, post } from '../support/client.js'
import { password, passwordHash, startHost, type TestHost, totpSecret } from '../support/host.js'
import { keptLog } from '../support/key-stores.js'
import { memoryKeyStore } from '../testing/memory-key-store.js'

type Part = 'users' | 'codes' | 'sessions' | 'secondFactors' | 'signer'

/** What the router reads the answers of, and a request on whose way it does. */
const callSites: [
  Part,
  string,
  (host: TestHost, ready: Ready) => PromiseLike<{ status: number; body: { error?: string } }>,
][] = [
  ['users', 'findByIdentifier', (host) => post(host, '/login', { username: 'alice', password })],
  ['users', 'findById', (host, { token }) => get(host, '/me', bearer(token))],
  ['codes', 'consume', (host, { code }) => post(host, '/auth/pkce/token', code)],
  ['sessions', 'find', (host, { token }) => get(host, '/me', bearer(token))],
  ['sessions', 'find', (host, { code }) => post(host, '/auth/pkce/token', code)],
  ['sessions', 'end', (host, { token }) => post(host, '/logout', undefined, bearer(token))],
  ['secondFactors', 'find', (host) => post(host, '/login', { username: 'alice', password })],
  [
    'secondFactors',
    'advanceStep',
    (host, { totp }) => post(host, '/login', { username: 'bob', password, code: totp }),
  ],
  [
    'secondFactors',
    'consumeRecoveryCode',
    (host, { recoveryCode }) =>
      post(host, '/login', { username: 'bob', password, code: recoveryCode }),
  ],
  ['signer', 'sign', (host) => post(host, '/login', { username: 'alice', password })],
  ['signer', 'sign', (host, { code }) => post(host, '/auth/pkce/token', code)],
  ['signer', 'verify', (host, { token }) => get(host, '/me', bearer(token))],
]

interface Ready {
  readonly token: string
  readonly code: { authorizationCode: string; codeVerifier: string; codeChallenge: string }
  readonly totp: string
  readonly recoveryCode: string | undefined
}

const secretMessage = 'connection refused for alice@example.com with "correct horse battery staple"'
const rejects = () => Promise.reject(new TypeError(secretMessage))

/** A host that is signed in to, whose parts can be replaced one by one afterwards. */
async function ready(): Promise<{
  host: TestHost
  ready: Ready
  replace: (part: Part, method: string, by: () => unknown) => () => void
}> {
  const { joseSigner, generateSigningKey } = await import('../../src/index.js')
  let now = () => new Date()
  const signer = {
    ...joseSigner({
      issuer: 'https://chat.example.com',
      audience: 'chat',
      keys: [await generateSigningKey()],
      clock: () => now(),
    }),
  }
  const host = await startHost({ options: { signer } })
  now = host.clock
  host.users.add({ id: 'u-bob', username: 'bob', passwordHash })
  const { recoveryCodes } = await host.auth.secondFactors.importTotp({
    userId: 'u-bob',
    secret: totpSecret,
  })
  const token = (await logIn(host)).authToken
  const code = await obtainCode(host, token)
  // What was read and verified so far is forgotten, so that each part is asked again.
  host.clock.advance(31)
  const parts = { ...host.stores, users: host.users, signer } as unknown as Record<
    Part,
    Record<string, unknown>
  >
  const replace = (part: Part, method: string, by: () => unknown) => {
    const before = parts[part][method]
    parts[part][method] = by
    return () => {
      parts[part][method] = before
    }
  }
  return {
    host,
    replace,
    ready: {
      token,
      code,
      totp: totpCode(totpSecret, host.clock()),
      recoveryCode: recoveryCodes[0],
    },
  }
}

describe('a part of the host that answers nonsense', () => {
  const nonsense: [string, unknown][] = [
    ['undefined', undefined],
    ['true', true],
    ['an empty object', {}],
    ['a consumed code without the code', { outcome: 'consumed' }],
    ['somebody else’s code', { outcome: 'consumed', code: { codeHash: 'other', userId: 'u-eve' } }],
    ['a user without a name', { id: 'u-alice', username: 'alice' }],
    ['a user whose id is a number', { id: 7, username: 'alice', name: 'Alice', passwordHash }],
    [
      'a user with a word for disabled',
      { id: 'u-alice', username: 'alice', name: 'Alice', passwordHash, disabled: 'no' },
    ],
    ['somebody else', { id: 'u-eve', username: 'eve', name: 'Eve', passwordHash: null }],
  ]
  it.each(nonsense)(
    '%s: 503 or 401 or a code that is invalid, but never a success',
    async (_name, answer) => {
      for (const [part, method, ask] of callSites) {
        const { host, ready: given, replace } = await ready()
        replace(part, method, async () => answer)
        const { status, body } = await ask(host, given)
        if (isWhatWasPromised(method, answer)) continue
        expect([`${part}.${method}`, status, body.error]).toEqual([
          `${part}.${method}`,
          expect.toBeOneOf([400, 401, 503]),
          expect.any(String),
        ])
        expect(host.unforeseen).toEqual([])
      }
    },
  )
})

/** Some nonsense is sense elsewhere: a store that lies within its contract is believed. */
function isWhatWasPromised(method: string, answer: unknown): boolean {
  const outcome = (answer as { outcome?: string } | undefined)?.outcome
  return (
    (method === 'end' && answer === true) ||
    (method === 'consumeRecoveryCode' && outcome === 'consumed')
  )
}

describe('a failure half-way', () => {
  it('leaves no session behind when the signer fails, and none is good when the store does', async () => {
    const { host, replace } = await ready()
    const started = () => host.events.filter(({ type }) => type === 'session.started').length
    const before = started()
    const restoreSigner = replace('signer', 'sign', rejects)
    await post(host, '/login', { username: 'alice', password })
    restoreSigner()
    replace('sessions', 'create', rejects)
    await post(host, '/login', { username: 'alice', password })
    expect(started()).toBe(before)
  })

  it('is not counted as a wrong password', async () => {
    const { host, replace } = await ready()
    const restore = replace('users', 'findByIdentifier', rejects)
    for (let i = 0; i < 10; i += 1)
      expect((await post(host, '/login', { username: 'alice', password: 'wrong' })).status).toBe(
        503,
      )
    restore()
    expect((await post(host, '/login', { username: 'alice', password })).status).toBe(200)
  })

  it('burns the code that was consumed: it cannot be used again', async () => {
    const { host, ready: given, replace } = await ready()
    const restore = replace('sessions', 'create', rejects)
    expect((await post(host, '/auth/pkce/token', given.code)).status).toBe(503)
    restore()
    expect((await post(host, '/auth/pkce/token', given.code)).body.error).toBe('invalid_grant')
  })
})

describe('an audit sink or logger that fails', () => {
  it.each<[string, () => void]>([
    [
      'throws',
      () => {
        throw new Error(secretMessage)
      },
    ],
    ['rejects', rejects as () => never],
    ['never answers', () => new Promise(() => {}) as never],
  ])('%s: sign-ins go on, and the log says once that events are lost', async (name, onEvent) => {
    const host = await startHost({ options: { onEvent } })
    for (let i = 0; i < 3; i += 1)
      expect((await post(host, '/login', { username: 'alice', password })).status).toBe(200)
    expect(host.log.filter(({ message }) => message.includes('onEvent'))).toHaveLength(
      name === 'never answers' ? 0 : 1,
    )
  })
})

describe('what a log is told of a part that fails', () => {
  const failing = async (error: unknown) => {
    const host = await startHost()
    host.users.findByIdentifier = () => Promise.reject(error)
    expect((await post(host, '/login', { username: 'alice', password })).status).toBe(503)
    const [event] = host.events.filter(({ type }) => type === 'host.failed')
    expect(host.log.find(({ message }) => message === 'host.failed')?.fields).toMatchObject({
      operation: 'users.findByIdentifier',
    })
    return event as { error: string; code?: string }
  }
  const withCode = (code: unknown) => Object.assign(new TypeError(secretMessage), { code })

  it.each<[string, unknown, string | undefined]>([
    ['of a socket', withCode('ECONNREFUSED'), 'ECONNREFUSED'],
    ['of PostgreSQL', withCode('23505'), '23505'],
    ['of MongoDB, which is a number', withCode(11_000), '11000'],
    [
      'of the cause, where a library wraps it',
      new Error(secretMessage, { cause: withCode('ECONNRESET') }),
      'ECONNRESET',
    ],
    ['that is a sentence: none', withCode(secretMessage), undefined],
    ['that is long: none', withCode('x'.repeat(65)), undefined],
    ['that is a thing: none', withCode({ password }), undefined],
    ['of what is no error: none', secretMessage, undefined],
    ['of nothing: none', undefined, undefined],
  ])('is the code %s', async (_name, error, code) => {
    const told = await failing(error)
    expect(told.code).toBe(code)
    expect(JSON.stringify(told)).not.toContain(password)
  })

  it('is no name that is a sentence', async () => {
    expect(
      (await failing(Object.assign(new Error('x'), { name: `${secretMessage}\n` }))).error,
    ).toBe('Error')
  })

  it('is the sentence that says what to do, where it is ours', async () => {
    const { joseSigner, keyRing } = await import('../../src/index.js')
    const store = memoryKeyStore()
    const logger = keptLog()
    const ringWith = (text: string) =>
      keyRing({
        store,
        encryptionKeys: [Buffer.from(text.padEnd(32, '.')).toString('base64')],
        logger,
      })
    await ringWith('the key of yesterday').list()
    const signer = joseSigner({
      issuer: 'https://chat.example.com',
      audience: 'chat',
      keys: ringWith('another key'),
    })
    const host = await startHost({ options: { signer } })
    expect((await post(host, '/login', { username: 'alice', password })).status).toBe(503)
    expect(host.events).toContainEqual(
      expect.objectContaining({
        type: 'host.failed',
        operation: 'signer.sign',
        error: expect.stringMatching(
          /signing key 1 cannot be opened with these encryption keys.* Remedy: /,
        ),
      }),
    )
  })
})
