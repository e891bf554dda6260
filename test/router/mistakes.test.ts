// What a host is told of options that will not do: all of them at once, and what to write instead.
import { describe, expect, it } from 'vitest'
import {
  AuthConfigError,
  bcryptHasher,
  createAuthRouter,
  generateSigningKey,
  joseSigner,
  keyRing,
} from '../../src/index.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { encryptionKey } from '../support/host.js'
import { testUsers } from '../support/users.js'

const signer = joseSigner({
  issuer: 'https://chat.example.com',
  audience: 'chat',
  keys: [await generateSigningKey()],
})
const good = () => ({
  users: testUsers(),
  ...memoryStores(),
  signer,
  encryptionKeys: [encryptionKey],
})

function refusalOf(work: () => unknown): AuthConfigError {
  try {
    work()
  } catch (error) {
    if (error instanceof AuthConfigError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

const start = (change: object) =>
  refusalOf(() => createAuthRouter({ ...good(), ...change } as never))

describe('a number out of its range', () => {
  it.each<[unknown, RegExp]>([
    [
      '10m',
      /^lifetimes\.accessToken: is '10m', not a whole .+ 30 to 3600\. Remedy: pass seconds: 600\. /,
    ],
    [600_000, /is 600000, .+ Remedy: 600000 looks like milliseconds: pass seconds, 600\. /],
    [
      7200,
      /is 7200, .+ Remedy: pass seconds \(600 is 10 minutes\), or leave it out for the default\. /,
    ],
    [60.5, /is 60\.5, not a whole number of seconds/],
    [null, /is null, not/],
    [['600'], /is of the type object, not/],
  ])('%j is shown with the unit and what to pass', (accessToken, message) => {
    expect(start({ lifetimes: { accessToken } }).message).toMatch(message)
  })

  it.each<[object, RegExp]>([
    [
      { storeTimeout: 2 },
      /is 2, .+ from 10 to 60000\. Remedy: 2 looks like seconds: pass milliseconds, 2000\. /,
    ],
    [
      { purgeInterval: 'hourly' },
      /is of the type string, .+ 86400, nor 0\. Remedy: pass seconds \(600 is 10 minutes\)/,
    ],
    [
      { maxSessionsPerUser: 0 },
      /is 0, not a whole number from 1 to 1000\. Remedy: leave it out for the default\. /,
    ],
  ])('%j as well', (change, message) => {
    expect(start(change).message).toMatch(message)
  })

  it.each(['hunter2 is my password', encryptionKey, '12345678901234567890', 'sk-live-123'])(
    'a text that may be a secret is not repeated (%#)',
    (secret) => {
      const { message } = start({ storeTimeout: secret, lifetimes: { code: secret } })
      expect(message).not.toContain(secret)
      expect(message).toContain('is of the type string')
    },
  )

  it('the cost of bcrypt is from 10 to 15, and from 4 where that is allowed', () => {
    expect(refusalOf(() => bcryptHasher({ cost: 31 })).problem).toMatch(/from 10 to 15/)
    expect(refusalOf(() => bcryptHasher({ cost: 9 })).problem).toMatch(/is 9, .+ from 10 to 15/)
    const low = { cost: 3, dangerouslyAllowLowCost: true }
    expect(refusalOf(() => bcryptHasher(low)).problem).toMatch(/from 4 to 15/)
  })

  it('of a key ring too', () => {
    const options = { folder: '/tmp', longestToken: 1, encryptionKeys: [encryptionKey] }
    expect(refusalOf(() => keyRing(options as never)).message).toMatch(/is 1, .+ of seconds/)
  })
})

describe('a name that is no option', () => {
  it.each<[object, string, string]>([
    [{ throtle: {} }, 'throtle', 'throttle'],
    [{ BeforeLogin: () => {} }, 'BeforeLogin', 'beforeLogin'],
    [{ lifetimes: { accessTokens: 60 } }, 'lifetimes.accessTokens', 'accessToken'],
    [{ throttle: { networks: {} } }, 'throttle.networks', 'network'],
  ])('%j: the nearest one is named first', (change, option, means) => {
    const refusal = start(change)
    expect(refusal.option).toBe(option)
    expect(refusal.remedy).toMatch(`did you mean ${means}? Correct it, or remove it; known: `)
  })

  it.each([{ colour: 1 }, { ['x'.repeat(100_000)]: 1 }])('is like none: %#', (change) => {
    expect(start(change).remedy).toMatch(/^check the spelling, or remove it; known: /)
  })

  it('is told once where it is what is missing', () => {
    const refusal = start({ signer: undefined, signr: signer })
    expect([refusal.option, refusal.others]).toEqual(['signr', []])
  })

  it('of a text of the pages is told with the one that looks like it', () => {
    const texts = { en: { 'signin.title': 'Hello' } }
    const refusal = start({ pages: { texts } })
    expect(refusal.option).toBe('pages.texts.en.signin.title')
    expect(refusal.remedy).toMatch(/^did you mean sign-in\.title\?/)
  })
})

describe('several mistakes', () => {
  const change = {
    users: {},
    lifetimes: { accessToken: '10m', codes: 60 },
    encryptionKeys: [undefined, 'short'],
    passkeys: { rpId: '127.0.0.1' },
    pages: { brand: { name: '' }, texts: { en: { 'signin.title': 'Hello' } } },
    maxPasswordWait: 0,
  }

  it('are all told by one start, each with its remedy', () => {
    const refusal = start(change)
    const all = [refusal, ...refusal.others]
    expect(all.map(({ option }) => option).sort()).toEqual([
      'encryptionKeys[0]',
      'encryptionKeys[1]',
      'lifetimes.accessToken',
      'lifetimes.codes',
      'maxPasswordWait',
      'pages.brand.name',
      'pages.texts.en.signin.title',
      'passkeys.once',
      'passkeys.origins',
      'passkeys.rpId',
      'passkeys.store',
      'passkeys.verifier',
      'users',
    ])
    const [first, ...lines] = refusal.message.split('\n')
    expect(first).toMatch(/^13 options are at fault\. See \S+#configuration\.$/)
    expect(lines).toHaveLength(13)
    for (const line of lines) expect(line).toMatch(/^- \S+: .+ Remedy: .+\.$/)
    expect(refusal.message.match(/See /g)).toHaveLength(1)
  })

  it('are told of clients and of conflicts as well', () => {
    const lifetimes = { sessionIdle: 7200, sessionAbsolute: 3600, accessToken: 600 }
    const both = start({ lifetimes, pages: {}, clock: () => 'now' })
    expect([both, ...both.others].map(({ option }) => option)).toEqual([
      'lifetimes.sessionIdle',
      'pages',
      'clock',
    ])
  })

  it('one alone is one sentence, as before', () => {
    const refusal = start({ maxPasswordWait: 0 })
    expect(refusal.message).toMatch(/^maxPasswordWait: .+ Remedy: .+ See \S+#configuration\.$/)
    expect(refusal.others).toEqual([])
  })

  it('the guide is pointed at once', () => {
    expect(start({ users: {} }).message.match(/see /gi)).toHaveLength(1)
  })
})
