import { randomBytes } from 'node:crypto'
import bcrypt from 'bcryptjs'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { type BcryptHasherOptions, bcryptHasher } from '../../src/index.js'
import { workerUrl } from '../support/host.js'

const made: { close(): Promise<void> }[] = []
const hasher = (options: BcryptHasherOptions = {}) => {
  const one = bcryptHasher({
    cost: 4,
    threads: 1,
    dangerouslyAllowLowCost: true,
    workerUrl,
    ...options,
  })
  made.push(one)
  return one
}
/** Starting threads takes longer than a hash: what only reads and makes hashes shares them. */
const plain = hasher()
afterAll(() => Promise.all(made.map((one) => one.close())))

describe('bcryptHasher', () => {
  it('makes hashes that any bcrypt can read, at the cost it was given', async () => {
    const one = hasher({ cost: 5 })
    const hash = await one.hash('secret words')
    expect(hash).toMatch(/^\$2b\$05\$/)
    expect(bcrypt.compareSync('secret words', hash)).toBe(true)
    expect(await one.verify('secret words', hash)).toBe(true)
    expect(await one.verify('secret word', hash)).toBe(false)
  })

  it.each(['$2a$', '$2b$', '$2y$'])('reads hashes with the prefix %s', async (prefix) => {
    const hash = bcrypt.hashSync('secret words', 4).replace('$2b$', prefix)
    expect(await plain.verify('secret words', hash)).toBe(true)
  })

  it.each([
    ['another scheme', '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA'],
    ['another prefix', bcrypt.hashSync('x', 4).replace('$2b$', '$2x$')],
    ['a cost bomb', bcrypt.hashSync('x', 4).replace('$04$', '$31$')],
    ['a cost above the highest allowed', bcrypt.hashSync('x', 5)],
    ['a cost of 99', bcrypt.hashSync('x', 4).replace('$04$', '$99$')],
    ['a cost below bcrypt’s', bcrypt.hashSync('x', 4).replace('$04$', '$03$')],
    ['60 wrong characters', '!'.repeat(60)],
    ['a hash that is cut off', bcrypt.hashSync('x', 4).slice(0, 59)],
    ['a hash with something after it', `${bcrypt.hashSync('x', 4)}x`],
    ['nothing', ''],
    ['a number', 42],
    ['null', null],
    ['a prehashed one without the pepper', `hmac-sha384:${bcrypt.hashSync('x', 4)}`],
  ])(
    'says of %s that it cannot be read, and refuses it after the same work',
    async (_name, stored) => {
      expect(plain.canRead(stored as string)).toBe(false)
      expect(await plain.verify('x', stored as string)).toBe(false)
      expect(plain.needsRehash(stored as string)).toBe(true)
    },
  )

  it.each([
    ['x'.repeat(73)],
    ['ä'.repeat(37)],
    ['a\0b'],
    [''],
    ['\ud800'],
    [12 as never],
    [undefined as never],
  ])(
    'makes no hash of %j, which could not be told from another password, and never says it is ' +
      'right',
    async (password) => {
      await expect(plain.hash(password)).rejects.toMatchObject({ code: 'invalid-request' })
      expect(await plain.verify(password, await plain.hash('x'))).toBe(false)
    },
  )

  it('takes 72 bytes whole', async () => {
    const hash = await plain.hash('x'.repeat(72))
    expect(await plain.verify('x'.repeat(72), hash)).toBe(true)
    expect(await plain.verify('x'.repeat(71), hash)).toBe(false)
  })

  it('wants a hash replaced that is cheaper than its setting, not one that is dearer', () => {
    const one = hasher({ cost: 6 })
    expect(one.needsRehash(bcrypt.hashSync('x', 5))).toBe(true)
    expect(one.needsRehash(bcrypt.hashSync('x', 6))).toBe(false)
    expect(hasher({ cost: 6, maxStoredCost: 8 }).needsRehash(bcrypt.hashSync('x', 7))).toBe(false)
  })

  it(
    'does the same work for a cheap hash as for a dear one, and no more for the dearest that is ' +
      'allowed',
    async () => {
      vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
      const compareSync = vi.spyOn(bcrypt, 'compareSync')
      const hashSync = vi.spyOn(bcrypt, 'hashSync')
      // Without its worker file the hasher works in this thread, where its calls can be counted.
      const one = hasher({
        cost: 7,
        maxStoredCost: 9,
        workerUrl: new URL('file:///nowhere/worker.js'),
      })
      const [cheap, dear, dearest] = [4, 7, 9].map((cost) => bcrypt.hashSync('x', cost)) as [
        string,
        string,
        string,
      ]
      const rounds = async (stored: string) => {
        compareSync.mockClear()
        hashSync.mockClear()
        await one.verify('wrong', stored)
        const compared = compareSync.mock.calls.map(([, hash]) => 2 ** bcrypt.getRounds(hash))
        const toppedUp = hashSync.mock.calls.map(
          ([, salt]) => 2 ** bcrypt.getRounds(salt as string),
        )
        return [...compared, ...toppedUp].reduce((sum, work) => sum + work, 0)
      }
      for (const stored of [dear, cheap, 'rubbish', dearest, bcrypt.hashSync('x', 10)])
        expect(await rounds(stored)).toBe(2 ** 9)
      vi.restoreAllMocks()
    },
  )
})

describe('bcryptHasher({ prehash })', () => {
  const pepper = randomBytes(32).toString('base64')

  it('tells passwords of more than 72 bytes apart', async () => {
    const one = hasher({ prehash: { pepper } })
    const hash = await one.hash('x'.repeat(100))
    expect(hash).toMatch(/^hmac-sha384:\$2b\$04\$/)
    expect(await one.verify('x'.repeat(100), hash)).toBe(true)
    expect(await one.verify('x'.repeat(101), hash)).toBe(false)
    await expect(one.hash('a\0b')).rejects.toMatchObject({ code: 'invalid-request' })
  })

  it('still reads plain hashes and wants them replaced; another pepper opens nothing', async () => {
    const one = hasher({ prehash: { pepper } })
    const bare = bcrypt.hashSync('secret words', 4)
    expect(await one.verify('secret words', bare)).toBe(true)
    expect(one.needsRehash(bare)).toBe(true)
    const hash = await one.hash('secret words')
    expect(one.needsRehash(hash)).toBe(false)
    expect(
      await hasher({ prehash: { pepper: randomBytes(32).toString('base64') } }).verify(
        'secret words',
        hash,
      ),
    ).toBe(false)
  })
})

describe('the threads', () => {
  it('finishes what runs when it is closed, and then refuses', async () => {
    const one = hasher({ cost: 8 })
    const running = one.hash('secret words')
    await new Promise((resolve) => setTimeout(resolve, 20))
    await one.close()
    expect(await running).toMatch(/^\$2b\$08\$/)
    await expect(one.hash('secret words')).rejects.toMatchObject({
      code: 'temporarily-unavailable',
    })
  })

  it('finishes what it was given before it could start, as one pool', async () => {
    const one = hasher()
    const running = [one.hash('secret words'), one.hash('other words')]
    await one.close()
    for (const hash of await Promise.all(running)) expect(hash).toMatch(/^\$2b\$04\$/)
  })

  it('can be closed before it was used', async () => {
    await expect(hasher().close()).resolves.toBeUndefined()
  })
})

describe('where the worker file is not to be found', () => {
  it.each([new URL('file:///nowhere/worker.js'), new URL('https://example.com/worker.js')])(
    'hashes on the main thread, with one warning: %s',
    async (missing) => {
      const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
      const one = hasher({ workerUrl: missing })
      expect(warn).not.toHaveBeenCalled()
      const hashes = await Promise.all([one.hash('secret words'), one.hash('secret words')])
      expect(await one.verify('secret words', hashes[0])).toBe(true)
      expect(warn).toHaveBeenCalledTimes(1)
      expect(warn.mock.calls[0]?.[1]).toMatchObject({ code: 'MAR_HASHING_ON_MAIN_THREAD' })
      await one.close()
      warn.mockRestore()
    },
  )
})

describe('bcryptHasher does not start with', () => {
  it.each<[string, object, string]>([
    ['a cost of 9', { cost: 9 }, 'cost'],
    ['a cost of 16', { cost: 16 }, 'cost'],
    ['a cost of 12.5', { cost: 12.5 }, 'cost'],
    ['a cost that is text', { cost: '12' }, 'cost'],
    ['a cost that is no number', { cost: Number.NaN }, 'cost'],
    ['a cost of 3, whatever is allowed', { cost: 3, dangerouslyAllowLowCost: true }, 'cost'],
    ['stored hashes cheaper than its own', { cost: 12, maxStoredCost: 11 }, 'maxStoredCost'],
    ['text as worker', { workerUrl: './worker.js' }, 'workerUrl'],
    [
      'words as pepper',
      { prehash: { pepper: 'correct horse battery staple, and so on and on' } },
      'prehash.pepper',
    ],
    ['no threads', { threads: 0 }, 'threads'],
    ['a queue, which is the router’s', { maxQueue: 2 }, 'maxQueue'],
    ['a short pepper', { prehash: { pepper: 'c2hvcnQ=' } }, 'prehash.pepper'],
    ['no pepper', { prehash: {} }, 'prehash.pepper'],
    ['an option it does not know', { rounds: 12 }, 'rounds'],
  ])('%s', (_name, options, option) => {
    expect(() => bcryptHasher(options as never)).toThrow(
      expect.objectContaining({ name: 'AuthConfigError', option: `bcryptHasher.${option}` }),
    )
  })

  it('starts with a cost of 12', () => {
    expect(() => bcryptHasher()).not.toThrow()
  })
})
