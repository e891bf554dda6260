import { pbkdf2Sync, scryptSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, expect, it } from 'vitest'
import { pbkdf2, preDigestedBcrypt, scrypt } from '../../src/index.js'
import type { PasswordReader } from '../../src/passwords/contract.js'
import { password, workerUrl } from '../support/host.js'
import { firebase, oldHashes } from '../support/old-hashes.js'

const page = readFileSync(new URL('../../docs/moving.md', import.meta.url), 'utf8')
const [, rest = ''] = page.split('## Password hashes of other systems')
const [table = ''] = rest.split('\nIf two columns')
/** The readers of the table, by the system they are for, as they stand there. */
const rows = [...table.matchAll(/^\| ([^|]+) \| (`[^|]+) \|/gm)].map(
  ([, system = '', cell = '']) => [system, /`([^`]+)`/.exec(cell)?.[1] ?? ''] as const,
)

const made: PasswordReader[] = []
afterAll(() => Promise.all(made.map((reader) => reader.close?.())))

function readerOf(expression: string): PasswordReader {
  const digested = (form: 'sha256-hex' | 'sha512-hex') =>
    preDigestedBcrypt(form, { threads: 1, workerUrl })
  const names = { pbkdf2, scrypt, preDigestedBcrypt: digested, ...firebase }
  const reader = new Function(...Object.keys(names), `return ${expression}`)(
    ...Object.values(names),
  ) as PasswordReader
  made.push(reader)
  return reader
}

function withPbkdf2(iterations: number, digest: string, length: number, as = 'base64' as Form) {
  return pbkdf2Sync(password, 'sixteen of bytes', iterations, length, digest).toString(as)
}
type Form = 'base64' | 'hex'
function withScrypt() {
  const costs = { N: 65_536, r: 8, p: 1, maxmem: 256 * 1024 * 1024 }
  return scryptSync(password, 'sixteen of bytes', 32, costs).toString('base64')
}
const salt = Buffer.from('sixteen of bytes').toString('base64')
const madeHere = [
  [
    'Django',
    password,
    `pbkdf2_sha256$600000$sixteen of bytes$${withPbkdf2(600_000, 'sha256', 32)}`,
  ],
  [
    'Keycloak: `pbkdf2-sha512`',
    password,
    `$pbkdf2-sha512$210000$${salt}$${withPbkdf2(210_000, 'sha512', 64)}`,
  ],
  [
    'Keycloak: `pbkdf2-sha256`',
    password,
    `$pbkdf2-sha256$27500$${salt}$${withPbkdf2(27_500, 'sha256', 64)}`,
  ],
  [
    'Werkzeug, Flask: `pbkdf2:` (older)',
    password,
    `pbkdf2:sha256:600000$sixteen of bytes$${withPbkdf2(600_000, 'sha256', 32, 'hex')}`,
  ],
  [
    'passlib: `$scrypt$`',
    password,
    `$scrypt$ln=16,r=8,p=1$${salt}$${withScrypt()}`.replaceAll('=$', '$').replace(/=+$/, ''),
  ],
] as const

const titles: Readonly<Record<string, string>> = {
  'Rocket.Chat, Meteor': 'Meteor',
  'Werkzeug, Flask: `scrypt:`': 'scrypt of Werkzeug',
  'passlib: `$pbkdf2-sha256$`': 'passlib',
}

/** A password and its hash, as the system writes it. */
function sampleOf(system: string): readonly [plain: string, hash: string] {
  const own = madeHere.find(([name]) => name === system)
  if (own !== undefined) return [own[1], own[2]]
  const sample = oldHashes.find(([title]) => title.startsWith(titles[system] ?? system))
  if (sample === undefined) throw new Error(`no hash of ${system}`)
  return [sample[2], sample[3]]
}

it('docs/moving.md has a reader for each system it names', () => {
  expect(rows.map(([system]) => system)).toEqual([
    'passport-local-mongoose',
    'Rocket.Chat, Meteor',
    'NodeBB',
    'better-auth',
    'Django',
    'Werkzeug, Flask: `scrypt:`',
    'Werkzeug, Flask: `pbkdf2:` (older)',
    'Firebase',
    'Keycloak: `pbkdf2-sha512`',
    'Keycloak: `pbkdf2-sha256`',
    'passlib: `$pbkdf2-sha256$`',
    'passlib: `$scrypt$`',
  ])
})

it.each(rows)('the reader of docs/moving.md reads a hash of %s', async (system, expression) => {
  const [plain, hash] = sampleOf(system)
  const setting = readerOf(expression).settings.find(({ canRead }) => canRead(hash))
  expect(await setting?.verify(plain, hash)).toBe(true)
  expect(await setting?.verify(`${plain}x`, hash)).toBe(false)
})
