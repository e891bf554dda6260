import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { bcryptHasher, type PasswordRules } from '../../src/index.js'
import { minLengthFor } from '../../src/passwords/password-rules.js'
import { ada, judging } from './judging.js'

const good = 'correct horse battery staple'

describe('a password', () => {
  it('is accepted if nothing speaks against it, with any characters', async () => {
    const { reasonsOf } = judging()
    for (const plain of [
      good,
      'a sentence, 2 digits',
      'пароль из пяти слов',
      '🦉🐝🦉🐢🐙🦊🐻🐼🐨🐯🦁🐮🐷🐸🐵',
    ])
      expect(await reasonsOf(plain), plain).toEqual([])
  })

  it.each([
    ['a'.repeat(0), 15, 'too-short'],
    ['correct horses', 15, 'too-short'],
    ['correct horses!', 15, null],
    ['ÄÖÜäöüßáéíóúàè', 15, 'too-short'],
    ['🦉🐝🐢🐙🦊🐻🐼🐨🐯🦁🐮🐷🐸🐵', 15, 'too-short'],
    ['🦉🐝🐢🐙🦊🐻🐼🐨🐯🦁🐮🐷🐸🐵🐔', 15, null],
    ['kQ7-zx!', 8, 'too-short'],
    ['kQ7-zx!p', 8, null],
  ])('is measured in characters, not in units or bytes: %j of %i', async (plain, least, reason) => {
    const { reasonsOf } = judging({ minLength: least })
    expect(await reasonsOf(plain)).toEqual(reason === null ? [] : [reason])
  })

  it('may be shorter with a second factor', async () => {
    const { rules, reasonsOf } = judging()
    expect(await reasonsOf('kQ7-zx!p')).toEqual(['too-short'])
    expect(await reasonsOf('kQ7-zx!p', { hasSecondFactor: true })).toEqual([])
    expect(await reasonsOf('kQ7-zx!', { hasSecondFactor: true })).toEqual(['too-short'])
    expect([minLengthFor(rules, false), minLengthFor(rules, true)]).toEqual([15, 8])
  })

  it('is too long beyond maxLength, in characters', async () => {
    const { reasonsOf } = judging({ maxLength: 64 })
    const owls = ['🦉🐝'.repeat(31), '🐢'].join('')
    expect(await reasonsOf(`${owls}🐙`)).toEqual([])
    expect(await reasonsOf(`${owls}🐙🐙`)).toEqual(['too-long'])
    expect(await reasonsOf(`${owls}🐙${'x'.repeat(100)}`)).toEqual(['too-long'])
  })

  it('is too long where the hasher would cut it, and only there', async () => {
    const cheap = { cost: 4, threads: 1, dangerouslyAllowLowCost: true } as const
    const plainBcrypt = bcryptHasher(cheap)
    const prehashed = bcryptHasher({ ...cheap, prehash: { pepper: 'q'.repeat(44) } })
    const bytes72 = `${good} ${'é'.repeat(21)}!`
    expect(Buffer.byteLength(bytes72)).toBe(72)
    expect(await judging({}, plainBcrypt).reasonsOf(bytes72)).toEqual([])
    expect(await judging({}, plainBcrypt).reasonsOf(`${bytes72}?`)).toEqual(['too-long'])
    expect(await judging({}, prehashed).reasonsOf(`${bytes72}?`)).toEqual([])
    await Promise.all([plainBcrypt.close(), prehashed.close()])
  })
})

describe('a common password', () => {
  it.each([
    'aaaaaaaaaaaaaaa',
    'abcabcabcabcabc',
    'abcdefgabcdefga',
    'AbCaBcabcABCabc',
    '🦉🦉🦉🦉🦉🦉🦉🦉🦉🦉🦉🦉🦉🦉🦉🦉',
    'passwordpassword',
    'kiwi chat kiwi chat',
    'ada lovelace-ada lovelace',
  ])('is one character or one run repeated, blanks or not: %s', async (plain) => {
    expect(await judging().reasonsOf(plain)).toEqual(['common'])
  })

  it.each(['xyzpqrstxyzpqrs', 'aaaaaaaaaaaaaab', 'xabcabcabcabcabc'])(
    'is not one that repeats less than the whole: %s',
    async (plain) => {
      expect(await judging().reasonsOf(plain)).toEqual([])
    },
  )

  it.each([
    '123456789012345',
    '987654321098765',
    'abcdefghijklmnop',
    'qwertyuiopasdfghjkl',
    'qwertzuiop12345',
    'Azertyuiop 1234567890',
    'lkjhgfdsapoiuytrewq',
  ])('runs along the keys: %s', async (plain) => {
    expect(await judging().reasonsOf(plain)).toEqual(['common'])
  })

  it.each(['correct horse battery staple', 'qwerty is my favourite', '1234 chairs in abcdea'])(
    'does not run along the keys for a while only: %s',
    async (plain) => {
      expect(await judging().reasonsOf(plain)).toEqual([])
    },
  )

  it('is what the list has, whole and in whatever case or form', async () => {
    for (const blocklist of [
      new Set(['correct horse battery staple']),
      (folded: string) => folded === 'correct horse battery staple',
    ]) {
      const { reasonsOf } = judging({ blocklist })
      expect(await reasonsOf('Correct HORSE battery staple')).toEqual(['common'])
      expect(await reasonsOf('ｃｏｒｒｅｃｔ horse battery staple')).toEqual(['common'])
      expect(await reasonsOf('correct horse battery staple!')).toEqual([])
      expect(await reasonsOf('my correct horse battery staple')).toEqual([])
    }
  })
})

describe('a password made of what is known of its user', () => {
  const cases = ['example chat team', 'augusta-ada-king', 'ada.of.lovelace@mail.example']
  it.each([
    ['the name of the service', 'Example Chat Team'],
    ['the name of the service, and four characters', 'example chat team2026'],
    ['four characters, and the name of the service', '>>> Example Chat Team'],
    ['the user name', 'augusta-ada-king'],
    ['the user name without its hyphens', 'AugustaAdaKing1815'],
    ['the name', 'Countess of Lovelace'],
    ['the name in other characters', 'Ｃountess of Lovelace!'],
    ['the address', 'ada.of.lovelace@mail.example'],
    ['the address, and four characters', 'Ada.Of.Lovelace@mail.example1234'],
    ['the part before the @', 'ada.of.lovelace'],
    ['the part before the @, and four characters', '!!ada of lovelace!!'],
    ['a word of the host’s', 'analytical engine'],
  ])('is refused: %s', async (_what, plain) => {
    const { reasonsOf } = judging({ context: () => ['Analytical Engine'] })
    expect(await reasonsOf(plain)).toEqual(['context'])
  })

  it('is accepted with five characters more, or with nobody to compare with', async () => {
    const { reasonsOf } = judging({ context: () => ['Analytical Engine'] })
    for (const plain of [...cases, 'analytical engine'])
      expect(await reasonsOf(`${plain} 2026!`), plain).toEqual([])
    const nobody = { user: null, email: null }
    for (const plain of cases.slice(1)) expect(await reasonsOf(plain, nobody), plain).toEqual([])
  })

  it('is not every password of a user with a short name', async () => {
    const { reasonsOf } = judging()
    const short = { user: { ...ada, username: 'a', name: '-' }, email: 'o@x' }
    expect(await reasonsOf('a good passphrase', short)).toEqual([])
    expect(await reasonsOf('kQ7-zxap', { ...short, hasSecondFactor: true })).toEqual([])
  })

  it('is judged with the whole user of the host', async () => {
    const user = { ...ada, nickname: 'enchantress of number' }
    const context: NonNullable<PasswordRules['context']> = (one) => [(one as typeof user).nickname]
    const { reasonsOf } = judging({ context })
    expect(await reasonsOf('Enchantress of Number!', { user })).toEqual(['context'])
  })
})

describe('a leaked password', () => {
  const sha1 = (plain: string) => createHash('sha1').update(plain).digest('hex').toUpperCase()
  const other = `${'0'.repeat(35)}:7`

  it('is found by its range, of which the prefix alone leaves', async () => {
    const asked: unknown[] = []
    const breached = async (...given: unknown[]) => {
      asked.push(...given)
      return [other, `${sha1(good).slice(5)}:3`]
    }
    const { reasonsOf } = judging({ breached })
    expect(await reasonsOf(good)).toEqual(['breached'])
    expect(await reasonsOf(`${good}!`)).toEqual([])
    expect(asked).toEqual([sha1(good).slice(0, 5), sha1(`${good}!`).slice(0, 5)])
  })

  it.each<[string, (suffix: string) => Iterable<string>, boolean]>([
    ['a line without a count', (suffix) => [suffix], true],
    ['small letters', (suffix) => [`${suffix.toLowerCase()}:1`], true],
    ['lines that end with \\r', (suffix) => [`${suffix}:1\r`, ''], true],
    ['a set', (suffix) => new Set([other, suffix]), true],
    [
      'a generator',
      (suffix) =>
        (function* () {
          yield suffix
        })(),
      true,
    ],
    ['a line that only pads, with the count 0', (suffix) => [`${suffix}:0`], false],
    ['no lines', () => [], false],
    ['others', () => [other], false],
  ])('is compared with %s', async (_what, linesFor, isFound) => {
    const { reasonsOf, failures } = judging({ breached: async () => linesFor(sha1(good).slice(5)) })
    expect(await reasonsOf(good)).toEqual(isFound ? ['breached'] : [])
    expect(failures).toEqual([])
  })

  it('is not looked for if the password is refused anyway', async () => {
    const asked: string[] = []
    const breached = async (prefix: string) => {
      asked.push(prefix)
      return []
    }
    const { reasonsOf } = judging({ breached, blocklist: new Set([good]) })
    for (const plain of ['short', good, ada.username, 'x'.repeat(300)])
      expect(await reasonsOf(plain)).not.toEqual([])
    expect(asked).toEqual([])
  })

  it('has all reasons that were found, in one answer', async () => {
    const { reasonsOf } = judging({ blocklist: () => true })
    const short = { user: { ...ada, username: 'augusta' } }
    expect(await reasonsOf('augusta1815', short)).toEqual(['too-short', 'common', 'context'])
  })
})
