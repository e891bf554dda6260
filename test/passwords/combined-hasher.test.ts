import { randomBytes } from 'node:crypto'
import bcrypt from 'bcryptjs'
import { afterAll, describe, expect, it } from 'vitest'
import {
  bcryptHasher,
  type CombinedHasherOptions,
  combinedHasher,
  type PasswordHasher,
  pbkdf2,
  preDigestedBcrypt,
  scrypt,
} from '../../src/index.js'
import { post } from '../support/client.js'
import { cheapHasher, password, passwordHash, startHost, workerUrl } from '../support/host.js'
import { meteorHash } from '../support/old-hashes.js'

const meteor = preDigestedBcrypt('sha256-hex', { maxStoredCost: 4, threads: 1, workerUrl })
const werkzeug = pbkdf2({ iterations: [1000] })
const betterAuth = scrypt({ params: [{ N: 16_384, r: 16, p: 1 }] })
afterAll(() => meteor.close?.())

const werkzeugHash =
  'pbkdf2:sha256:1000$saltsalt$0000000000000000000000000000000000000000000000000000000000000000'
const betterAuthHash =
  '60fac9ed4de6683095e6c1416227dfc0:6f427d1fb7ca2ad065f7afa6cad942d4df31ddf23c1b16b1ce1e4e255ed' +
  '810d6e56f4b875dd808f7337e55e4fd6449d20d1d29e80034caed606941611a8f1273'

const combined = (options: Partial<CombinedHasherOptions> = {}) =>
  combinedHasher({ current: cheapHasher, legacy: [meteor, werkzeug, betterAuth], ...options })

async function hostWith(hash: string | null, passwords: PasswordHasher = combined()) {
  const noLimit = { points: 1_000_000, duration: 86_400 }
  const throttle = {
    account: noLimit,
    network: noLimit,
    unknownNetworks: noLimit,
    accountTotal: noLimit,
    knownNetwork: noLimit,
  }
  const host = await startHost({ options: { passwords, throttle, maxPasswordWait: 30 } })
  host.users.change('u-alice', { passwordHash: hash })
  const logIn = (given = password) => post(host, '/login', { username: 'alice', password: given })
  const stored = () => host.users.rows.get('u-alice')?.passwordHash as string
  const count = (type: string) => host.events.filter((event) => event.type === type).length
  return { host, logIn, stored, count }
}

describe('a login with a hash of another system', () => {
  it.each([
    ['of Meteor, which looks like one of ours', meteorHash],
    ['of better-auth', betterAuthHash],
  ])('%s succeeds, and replaces it once', async (_name, hash) => {
    const { logIn, stored, count } = await hostWith(hash)
    expect((await logIn('wrong')).status).toBe(401)
    expect(stored()).toBe(hash)
    expect((await logIn()).status).toBe(200)
    const replaced = stored()
    expect(bcrypt.compareSync(password, replaced)).toBe(true)
    expect((await logIn()).status).toBe(200)
    expect(stored()).toBe(replaced)
    expect(count('password.rehashed')).toBe(1)
    expect((await logIn('wrong')).status).toBe(401)
  })

  it('of our own is let in as it is', async () => {
    const { logIn, stored, count } = await hostWith(passwordHash)
    expect((await logIn()).status).toBe(200)
    expect([stored(), count('password.rehashed')]).toEqual([passwordHash, 0])
  })

  it('20 times at once succeeds 20 times, and replaces it once', async () => {
    const { logIn, stored, count } = await hostWith(meteorHash)
    const answers = await Promise.all(Array.from({ length: 20 }, () => logIn()))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(count('password.rehashed')).toBe(1)
    expect(bcrypt.compareSync(password, stored())).toBe(true)
  })

  it('that nothing reads is refused, and an event names the user', async () => {
    const { logIn, count } = await hostWith('$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA')
    expect((await logIn()).status).toBe(401)
    expect(count('password.unreadable')).toBe(1)
  })
})

/** Readers whose work is noted, in front of a hasher whose work is, too. */
function noted(timing?: 'fast') {
  const work: string[] = []
  const current: PasswordHasher = {
    ...cheapHasher,
    verify: (plain, hash) => {
      work.push('current')
      return cheapHasher.verify(plain, hash)
    },
  }
  const legacy = [meteor, pbkdf2({ iterations: [1000, 2000] }), betterAuth].map((reader) => ({
    settings: reader.settings.map((setting) => ({
      ...setting,
      verify: (plain: string, hash: string | null) => {
        work.push(setting.name)
        return setting.verify(plain, hash)
      },
    })),
  }))
  const hasher = combinedHasher({ current, legacy, ...(timing ? { timing } : {}) })
  return { hasher, work }
}
const everything = [
  'current',
  'bcrypt of sha256-hex, cost 4',
  'pbkdf2-sha256, 1000 iterations',
  'pbkdf2-sha256, 2000 iterations',
  'scrypt, N 16384, r 16, p 1',
]

describe('each login does the work of every setting once, in the same order', () => {
  it.each<[string, string | null, string]>([
    ['with one of our own', passwordHash, password],
    ['with one of our own and a wrong password', passwordHash, 'wrong'],
    ['with one of Meteor', meteorHash, password],
    ['with one of Werkzeug', werkzeugHash, password],
    ['with one of better-auth', betterAuthHash, password],
    ['with one of better-auth and a wrong password', betterAuthHash, 'wrong'],
    ['with a digest for a password', meteorHash, 'a'.repeat(64)],
    ['with one that nothing reads', '{SSHA}abc', password],
    ['with one that is absurdly long', '$2b$04$'.repeat(1000), password],
    ['without a password', null, password],
  ])('%s', async (_name, hash, given) => {
    const { hasher, work } = noted()
    const { logIn } = await hostWith(hash, hasher)
    await logIn(given)
    expect(work.slice(0, everything.length)).toEqual(everything)
  })

  it('for nobody', async () => {
    const { hasher, work } = noted()
    const { host } = await hostWith(null, hasher)
    await post(host, '/login', { username: 'niemand', password })
    expect(work).toEqual(everything)
  })

  it('but with timing: fast only where the hash can be read', async () => {
    const { hasher, work } = noted('fast')
    const { logIn } = await hostWith(betterAuthHash, hasher)
    expect((await logIn('wrong')).status).toBe(401)
    expect(work).toEqual(['scrypt, N 16384, r 16, p 1'])
    expect((await logIn()).status).toBe(200)
  })
})

describe('combinedHasher', () => {
  it('takes 4 settings, and not 5', () => {
    expect(() =>
      combined({ legacy: [pbkdf2({ iterations: [1000, 2000, 3000, 4000] })] }),
    ).not.toThrow()
    expect(() =>
      combined({ legacy: [pbkdf2({ iterations: [1000, 2000, 3000, 4000] }), werkzeug] }),
    ).toThrow(/combinedHasher.legacy: has 5 settings, more than 4/)
  })

  it('refuses logins of more than 2 s, unless that is asked for by name', () => {
    const costly = { legacy: [pbkdf2({ iterations: [2_000_000], keyLength: 512 })] }
    expect(() => combined(costly)).toThrow(/pbkdf2-sha256, 2000000 iterations: 7040 ms/)
    expect(() => combined({ ...costly, timing: 'fast' })).not.toThrow()
    const dear = bcryptHasher({ cost: 15, workerUrl })
    expect(() =>
      combined({ current: dear, legacy: [preDigestedBcrypt('sha512-hex', { maxStoredCost: 14 })] }),
    ).toThrow(/current: 1638 ms/)
  })

  it.each<[string, object]>([
    ['combinedHasher.current', { current: {} }],
    ['combinedHasher.legacy', { legacy: [] }],
    ['combinedHasher.legacy[0]', { legacy: [cheapHasher] }],
    ['combinedHasher.timing', { timing: 'slow' }],
    ['combinedHasher.timming', { timming: 'fast' }],
  ])('names %s where it is wrong', (option, wrong) => {
    expect(() => combined(wrong)).toThrow(expect.objectContaining({ option }))
  })

  it.each<[string, () => unknown]>([
    ['pbkdf2.iterations', () => pbkdf2({} as never)],
    ['pbkdf2.iterations', () => pbkdf2({ iterations: [] })],
    ['pbkdf2.iterations[0]', () => pbkdf2({ iterations: [999] })],
    ['pbkdf2.digest', () => pbkdf2({ iterations: [1000], digest: 'md5' as never })],
    ['pbkdf2.keyLength', () => pbkdf2({ iterations: [1000], keyLength: 8 })],
    ['scrypt.params', () => scrypt({ params: [] })],
    ['scrypt.params[0].N', () => scrypt({ params: [{ N: 1000, r: 8, p: 1 }] })],
    ['scrypt.params[0]', () => scrypt({ params: [{ N: 1_048_576, r: 8, p: 1 }] })],
    [
      'scrypt.params[0].memCost',
      () =>
        scrypt({ params: [{ signerKey: 'A'.repeat(86), saltSeparator: '', rounds: 8 } as never] }),
    ],
    ['preDigestedBcrypt', () => preDigestedBcrypt('md5' as never)],
    ['bcryptHasher.acceptTruncated', () => bcryptHasher({ acceptTruncated: true })],
  ])('the readers name %s, too', (option, make) => {
    expect(make).toThrow(expect.objectContaining({ option }))
  })

  it('reads, with a current hasher that cannot tell, what no reader does', async () => {
    const { canRead: _none, ...current } = cheapHasher
    const { logIn } = await hostWith(betterAuthHash, combined({ current }))
    expect((await logIn()).status).toBe(200)
  })
})

describe('a password of more than 72 bytes', () => {
  const long = 'long passphrase '.repeat(6)
  // Made by bcryptjs, which has seen its first 72 bytes.
  const truncated = '$2b$10$KHSbxomQ49B0zjH6YmPRauM/2x2qOqfNzHBR2QsDNg8K7X9SXqjf.'
  const pepper = randomBytes(32).toString('base64')
  const low = { cost: 4, maxStoredCost: 10, threads: 1, dangerouslyAllowLowCost: true, workerUrl }

  it('is refused with a reason of its own, so that an operator can find its user', async () => {
    const hasher = bcryptHasher({ ...low, prehash: { pepper } })
    const { host, logIn } = await hostWith(truncated, hasher)
    expect((await logIn(long)).status).toBe(401)
    expect((await logIn('short')).status).toBe(401)
    await post(host, '/login', { username: 'niemand', password: long })
    expect(
      host.events.flatMap((event) => (event.type === 'login.failed' ? event.reason : [])),
    ).toEqual(['password-over-72-bytes', 'wrong-password', 'unknown-user'])
    await hasher.close()
  })

  it('is let in by acceptTruncated, once; then the whole of it counts', async () => {
    const hasher = bcryptHasher({ ...low, prehash: { pepper }, acceptTruncated: true })
    const { logIn, stored } = await hostWith(truncated, combined({ current: hasher }))
    expect((await logIn(`x${long}`)).status).toBe(401)
    expect((await logIn(long)).status).toBe(200)
    expect(stored()).toMatch(/^hmac-sha384:/)
    expect((await logIn(`${long}x`)).status).toBe(401)
    expect((await logIn(long)).status).toBe(200)
    await hasher.close()
  })
})
