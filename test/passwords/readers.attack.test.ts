import '../support/steps.js'
import { afterAll, describe, expect, it } from 'vitest'
import { pbkdf2, preDigestedBcrypt, scrypt } from '../../src/index.js'
import { argon2 } from '../../src/passwords/readers/argon2.js'
import { workerUrl } from '../support/host.js'
import { firebase } from '../support/old-hashes.js'
import { stepsOf } from '../support/steps.js'

const all = [
  pbkdf2({ iterations: [1000, 600_000] }),
  scrypt({ params: [{ N: 1024, r: 8, p: 1 }, { N: 16_384, r: 16, p: 1 }, firebase] }),
  preDigestedBcrypt('sha512-hex', { threads: 1, workerUrl }),
  argon2(),
]
afterAll(() => Promise.all(all.map((one) => 'close' in one && one.close?.())))

const isRead = (stored: unknown) =>
  all.some(({ settings }) => settings.some(({ canRead }) => canRead(stored as string)))
const b64 = (bytes: number) => Buffer.alloc(bytes, 7).toString('base64').replace(/=+$/, '')
const hex = (bytes: number) => Buffer.alloc(bytes, 7).toString('hex')

describe('a stored text cannot decide how much work is done', () => {
  it('since these would be read at the cost that was named', () => {
    for (const stored of [
      `pbkdf2_sha256$600000$salt$${b64(32)}`,
      `pbkdf2:sha256:600000$salt$${hex(32)}`,
      `$pbkdf2-sha256$i=600000$${b64(16)}$${b64(32)}`,
      `$scrypt$ln=10,r=8,p=1$${b64(16)}$${b64(64)}`,
      `scrypt:1024:8:1$salt$${hex(64)}`,
      `${hex(16)}:${hex(64)}`,
      `$firebase-scrypt$${b64(8)}$${b64(64)}`,
      `$2b$12$${'a'.repeat(53)}`,
      `$argon2id$v=19$m=19456,t=2,p=1$${b64(16)}$${b64(32)}`,
    ])
      expect(isRead(stored), stored).toBe(true)
  })

  it.each([
    ['iterations', `pbkdf2_sha256$2000000000$salt$${b64(32)}`],
    ['iterations', `pbkdf2:sha256:600001$salt$${hex(32)}`],
    ['iterations with zeros before', `pbkdf2:sha256:0600000$salt$${hex(32)}`],
    ['iterations as a power', `pbkdf2:sha256:6e5$salt$${hex(32)}`],
    ['few iterations', `pbkdf2_sha256$1$salt$${b64(32)}`],
    ['iterations of PHC', `$pbkdf2-sha256$i=999999999$${b64(16)}$${b64(32)}`],
    ['a long hash, which costs a block each', `pbkdf2:sha256:600000$salt$${hex(900)}`],
    ['a short hash, which is soon guessed', `pbkdf2:sha256:600000$salt$${hex(1)}`],
    ['no hash', 'pbkdf2:sha256:600000$salt$'],
    ['no salt', `pbkdf2:sha256:600000$$${hex(32)}`],
    ['a huge salt', `pbkdf2:sha256:600000$${'s'.repeat(257)}$${hex(32)}`],
    ['N', `$scrypt$ln=31,r=8,p=1$${b64(16)}$${b64(64)}`],
    ['r', `$scrypt$ln=10,r=4294967295,p=1$${b64(16)}$${b64(64)}`],
    ['p', `scrypt:1024:8:99999$salt$${hex(64)}`],
    ['a long scrypt hash', `$scrypt$ln=10,r=8,p=1$${b64(16)}$${b64(1000)}`],
    ['a long salt of better-auth', `${hex(17)}:${hex(64)}`],
    ['a huge salt of Firebase', `$firebase-scrypt$${b64(300)}$${b64(64)}`],
    ['bcrypt’s cost', `$2b$31$${'a'.repeat(53)}`],
    ['bcrypt’s cost, one more', `$2b$13$${'a'.repeat(53)}`],
    ['memory', `$argon2id$v=19$m=4194304,t=2,p=1$${b64(16)}$${b64(32)}`],
    ['passes', `$argon2id$v=19$m=19456,t=4294967295,p=1$${b64(16)}$${b64(32)}`],
    ['lanes', `$argon2id$v=19$m=19456,t=2,p=255$${b64(16)}$${b64(32)}`],
    ['an old version', `$argon2id$v=16$m=19456,t=2,p=1$${b64(16)}$${b64(32)}`],
    ['the order of parameters', `$argon2id$v=19$t=2,m=19456,p=1$${b64(16)}$${b64(32)}`],
    ['a huge salt of argon2', `$argon2id$v=19$m=19456,t=2,p=1$${b64(257)}$${b64(32)}`],
    ['a long hash of argon2', `$argon2id$v=19$m=19456,t=2,p=1$${b64(16)}$${b64(1024)}`],
    ['no text', 42],
    ['an object', { toString: () => `$2b$12$${'a'.repeat(53)}` }],
  ])('by its %s', (_name, stored) => {
    expect(isRead(stored)).toBe(false)
  })

  it('by its length: a long one is not even parsed', () => {
    const long = `pbkdf2_sha256$600000$${'$'.repeat(5_000_000)}`
    expect(isRead(long)).toBe(false)
    expect(stepsOf(() => isRead(long))).toBeLessThan(1000)
  })

  it('and verify does the named work for it, and refuses', async () => {
    for (const { settings } of all)
      for (const setting of settings)
        expect(await setting.verify('x', `$scrypt$ln=31,r=8,p=1$${b64(16)}$${b64(64)}`)).toBe(false)
  })
})

it('an all-zero hash, or that of the work for nobody, is nobody’s password', async () => {
  const reader = pbkdf2({ iterations: [1000] })
  const stored = `pbkdf2:sha256:1000$${'\u0001'.repeat(16)}$${'00'.repeat(32)}`
  for (const plain of ['x', '', '\0'])
    for (const setting of reader.settings) expect(await setting.verify(plain, stored)).toBe(false)
})

it('the main thread stays free while old hashes are compared', async () => {
  const reader = pbkdf2({ iterations: [600_000] })
  let compared = 0
  const all = Array.from({ length: 6 }, async () => {
    await reader.settings[0]?.verify('x', null)
    compared += 1
  })
  // What this thread did itself would be done as soon as it is free for the first time.
  for (let turn = 0; turn < 1000; turn += 1) await null
  expect(compared).toBe(0)
  await Promise.all(all)
  expect(compared).toBe(6)
})
