import { describe, expect, it } from 'vitest'
import { AuthError, createAuthRouter, generateSigningKey, joseSigner } from '../../src/index.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { encryptionKey } from '../support/host.js'
import { testUsers } from '../support/users.js'

const signer = joseSigner({
  issuer: 'https://chat.example.com',
  audience: 'chat',
  keys: [await generateSigningKey()],
})
const stores = memoryStores()
const hasher = { hash: () => '', verify: () => false, needsRehash: () => false }
const good = () => ({ users: testUsers(), ...stores, signer, encryptionKeys: [encryptionKey] })
const start = (change: object) => createAuthRouter({ ...good(), ...change } as never)

function withoutChildren() {
  const { endChildren: _left, ...sessions } = memoryStores().sessions
  return sessions
}

describe.each(['production', 'development', 'test', undefined])(
  'createAuthRouter in NODE_ENV %s',
  (environment) => {
    it.each<[string, object, string]>([
      ['no users', { users: undefined }, 'users'],
      ['users without findById', { users: { findByIdentifier: () => null } }, 'users'],
      ['no code store', { codes: undefined }, 'codes'],
      ['no session store', { sessions: null }, 'sessions'],
      ['half a second-factor store', { secondFactors: { find: () => null } }, 'secondFactors'],
      ['half a proof store', { proofs: { ...stores.proofs, takeTry: undefined } }, 'proofs'],
      ['no signer', { signer: undefined }, 'signer'],
      ['a secret as signer', { signer: 'secret' }, 'signer'],
      ['second factors without keys', { encryptionKeys: undefined }, 'encryptionKeys'],
      ['an empty list of keys', { encryptionKeys: [] }, 'encryptionKeys'],
      [
        'a key from a missing environment variable',
        { encryptionKeys: [undefined] },
        'encryptionKeys[0]',
      ],
      [
        'a key of 16 bytes',
        { encryptionKeys: [encryptionKey, Buffer.alloc(16, 'k').toString('base64')] },
        'encryptionKeys[1]',
      ],
      [
        'a key that is no base64',
        { encryptionKeys: ['correct horse battery staple 12345'] },
        'encryptionKeys[0]',
      ],
      [
        'a key of zeros',
        { encryptionKeys: [Buffer.alloc(32).toString('base64')] },
        'encryptionKeys[0]',
      ],
      ['a number as key', { encryptionKeys: [42] }, 'encryptionKeys[0]'],
      ['one key instead of a list', { encryptionKeys: encryptionKey }, 'encryptionKeys'],
      [
        'a watch over passwords without marks',
        { watchPasswordHash: true, sessions: { ...stores.sessions, addPasswordMark: undefined } },
        'watchPasswordHash',
      ],
      ['a watch over passwords as text', { watchPasswordHash: 'false' }, 'watchPasswordHash'],
      ['no wait at all', { maxPasswordWait: 0 }, 'maxPasswordWait'],
      ['a wait beyond what clients wait', { maxPasswordWait: 31 }, 'maxPasswordWait'],
      [
        'a hasher that does nothing at once',
        { passwords: { ...hasher, concurrency: 0 } },
        'passwords',
      ],
      [
        'a hasher that does everything at once',
        { passwords: { ...hasher, concurrency: Infinity } },
        'passwords',
      ],
      [
        'a hasher that names no text to compare for nobody',
        { passwords: { ...hasher, unmatchable: '' } },
        'passwords',
      ],
      ['half a hasher', { passwords: { hash: () => '' } }, 'passwords'],
      ['every origin', { cors: { origins: ['*'] } }, 'cors.origins'],
      ['an origin with a path', { cors: { origins: ['https://a.example/'] } }, 'cors.origins'],
      ['a list of no origins', { cors: { origins: [] } }, 'cors.origins'],
      [
        'credentials',
        { cors: { origins: ['https://a.example'], credentials: true } },
        'cors.credentials',
      ],
      ['a page of pages', { pagesOrigin: 'https://chat.example.com/' }, 'pagesOrigin'],
      ['pages in the clear', { pagesOrigin: 'http://chat.example.com' }, 'pagesOrigin'],
      ['a list of pages', { pagesOrigin: ['https://chat.example.com'] }, 'pagesOrigin'],
      ['a header as address', { clientAddress: 'x-real-ip' }, 'clientAddress'],
      ['an option it does not know', { session: {} }, 'session'],
      [
        'a lifetime it does not know',
        { lifetimes: { accessTokens: 60 } },
        'lifetimes.accessTokens',
      ],
      ['a code that lives an hour', { lifetimes: { code: 3600 } }, 'lifetimes.code'],
      ['a lifetime that is text', { lifetimes: { accessToken: '10m' } }, 'lifetimes.accessToken'],
      ['a lifetime of nothing', { lifetimes: { accessToken: 0 } }, 'lifetimes.accessToken'],
      ['a fraction of a second', { lifetimes: { sessionIdle: 60.5 } }, 'lifetimes.sessionIdle'],
      [
        'an idle time beyond the absolute one',
        { lifetimes: { sessionIdle: 7200, sessionAbsolute: 3600 } },
        'lifetimes.sessionIdle',
      ],
      [
        'tokens that outlive their session',
        { lifetimes: { sessionIdle: 60, sessionAbsolute: 60, accessToken: 600 } },
        'lifetimes.accessToken',
      ],
      ['a sign-in of a moment ago', { pkce: { maxAge: 29 } }, 'pkce.maxAge'],
      ['a sign-in of any age, by another word', { pkce: { maxAge: 'any' } }, 'pkce.maxAge'],
      ['true as the age of a sign-in', { pkce: { maxAge: true } }, 'pkce.maxAge'],
      ['half a wish', { pkce: { endWithIssuer: 'yes' } }, 'pkce.endWithIssuer'],
      [
        'ends that the store cannot bring about',
        { pkce: { endWithIssuer: true }, sessions: withoutChildren() },
        'pkce.endWithIssuer',
      ],
      ['purging all the time', { purgeInterval: 1 }, 'purgeInterval'],
      ['purging in words', { purgeInterval: 'hourly' }, 'purgeInterval'],
      ['no time for the store', { storeTimeout: 0 }, 'storeTimeout'],
      [
        'a throttle that lets everything through',
        { throttle: { account: { points: 0, duration: 60 } } },
        'throttle.account.points',
      ],
      ['half a limit', { throttle: { network: { points: 5 } } }, 'throttle.network.duration'],
      ['a throttle switch it does not know', { throttle: { enabled: false } }, 'throttle.enabled'],
      ['false as throttle', { throttle: false }, 'throttle'],
      [
        'a limit that is longer than a month',
        { throttle: { unknownNetworks: { points: 5, duration: 2_592_001 } } },
        'throttle.unknownNetworks.duration',
      ],
      [
        'half a try',
        { throttle: { knownNetwork: { points: 0.5, duration: 60 } } },
        'throttle.knownNetwork.points',
      ],
      [
        'an endless limit',
        { throttle: { endpoints: { points: 5, duration: Number.POSITIVE_INFINITY } } },
        'throttle.endpoints.duration',
      ],
      [
        'a limit with a word too many',
        { throttle: { account: { points: 5, duration: 60, window: 1 } } },
        'throttle.account.window',
      ],
      ['a trial run in words', { throttle: { dryRun: 'false' } }, 'throttle.dryRun'],
      ['a limiter that is no function', { throttle: { limiter: {} } }, 'throttle.limiter'],
      ['half a logger', { logger: { info: () => {} } }, 'logger'],
      ['a date as clock', { clock: new Date() }, 'clock'],
      ['text as onEvent', { onEvent: 'log' }, 'onEvent'],
    ])('does not start with %s, and names option and remedy', (_name, change, option) => {
      const before = process.env['NODE_ENV']
      if (environment === undefined) delete process.env['NODE_ENV']
      else process.env['NODE_ENV'] = environment
      try {
        expect(() => start(change)).toThrow(AuthError)
        expect(() => start(change)).toThrow(
          expect.objectContaining({
            name: 'AuthConfigError',
            code: 'configuration',
            option,
            message: expect.stringMatching(/^\S+: .+ Remedy: .+\. See \S+#configuration\.$/),
            remedy: expect.stringMatching(/\.$/),
          }),
        )
      } finally {
        process.env['NODE_ENV'] = before
      }
    })
  },
)

describe('createAuthRouter', () => {
  it('of cors, by the entry that is no origin, and how to write it', () => {
    const origins = ['https://a.example', 'https://eve:secret@b.example:8443/']
    const wrong = () => start({ cors: { origins } })
    expect(wrong).toThrow('write https://b.example:8443, without a / at the end.')
    expect(wrong).not.toThrow('secret')
  })

  it('starts with what is required, and with what is undefined', () => {
    expect(() =>
      start({ lifetimes: undefined, throttle: { account: undefined }, logger: undefined }),
    ).not.toThrow()
  })

  it('takes a host’s parts that are class instances', () => {
    class Users {
      async findByIdentifier() {
        return null
      }
      async findById() {
        return null
      }
    }
    expect(() => start({ users: new Users() })).not.toThrow()
  })

  it('takes no option from a polluted Object.prototype', () => {
    const prototype = Object.prototype as unknown as Record<string, unknown>
    prototype['beforeLogin'] = 'polluted'
    try {
      expect(() => start({})).not.toThrow()
    } finally {
      delete prototype['beforeLogin']
    }
  })

  it('repeats no key in what it throws', () => {
    const secret = 'correct horse battery staple 123'
    for (const encryptionKeys of [[secret], [encryptionKey, secret]]) {
      expect(() => start({ encryptionKeys })).toThrow(
        expect.not.objectContaining({ message: expect.stringContaining(secret) }),
      )
    }
  })

  it('hashes passwords the way logins check them, and closes what it started', async () => {
    const auth = start({})
    await expect(auth.hashPassword('x'.repeat(73))).rejects.toMatchObject({
      code: 'invalid-request',
    })
    await auth.close()
    await expect(auth.hashPassword('secret words')).rejects.toMatchObject({
      code: 'temporarily-unavailable',
    })
  })
})
