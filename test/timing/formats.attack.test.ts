import { createHash, pbkdf2Sync, scryptSync } from 'node:crypto'
import bcrypt from 'bcryptjs'
import { afterAll, describe, it } from 'vitest'
import {
  bcryptHasher,
  type CombinedHasherOptions,
  combinedHasher,
  pbkdf2,
  preDigestedBcrypt,
  scrypt,
} from '../../src/index.js'
import { password, workerUrl } from '../support/host.js'
import { type Ask, expectSameTime, expectToldApart } from './measure.js'
import { startTimedHost, timedUsers } from './timed-host.js'

// Costs far below any real one, so that what is not hashing shows all the better.
const cost = 6
const current = bcryptHasher({ cost, threads: 1, dangerouslyAllowLowCost: true, workerUrl })
const legacy = [
  preDigestedBcrypt('sha256-hex', { maxStoredCost: cost, threads: 1, workerUrl }),
  pbkdf2({ iterations: [5000, 10_000] }),
  scrypt({ params: [{ N: 1024, r: 8, p: 1 }] }),
]
const even = combinedHasher({ current, legacy })
afterAll(() => even.close())

const salt = 'salt of sixteen.'
const hex = (bytes: Buffer) => bytes.toString('hex')
const hashes: Readonly<Record<string, string | null>> = {
  today: await current.hash(password),
  mitch: bcrypt.hashSync(createHash('sha256').update(password).digest('hex'), cost),
  djago: `pbkdf2:sha256:5000$${salt}$${hex(pbkdf2Sync(password, salt, 5000, 32, 'sha256'))}`,
  dkago: `pbkdf2:sha256:10000$${salt}$${hex(pbkdf2Sync(password, salt, 10_000, 32, 'sha256'))}`,
  scrip: `scrypt:1024:8:1$${salt}$${hex(scryptSync(password, salt, 64, { N: 1024, r: 8, p: 1 }))}`,
  bombs: `pbkdf2:sha256:2000000000$${salt}$${'00'.repeat(32)}`,
  empty: null,
}

async function start(timing: NonNullable<CombinedHasherOptions['timing']>) {
  const users = timedUsers()
  for (const [name, passwordHash] of Object.entries(hashes))
    users.add({ id: `u-${name}`, username: name, email: `${name}@example.com`, passwordHash })
  const passwords = timing === 'even' ? even : combinedHasher({ current, legacy, timing })
  return startTimedHost({ options: { users, passwords } })
}

const logIn = (username: string): Ask => ({
  path: '/login',
  body: { username, password: 'incorrect horse battery stable' },
})

describe('nobody learns by the clock of a refused login', () => {
  it.each([
    ['whether a user has a hash of today', 'niemo', 'today'],
    ['whether a user has a digested hash', 'niemo', 'mitch'],
    ['whether a user has a PBKDF2 hash', 'niemo', 'djago'],
    ['whether a user has a scrypt hash', 'niemo', 'scrip'],
    ['which of two formats a user has', 'today', 'scrip'],
    ['which of two costs a user has', 'djago', 'dkago'],
    ['whether a hash would cost too much', 'niemo', 'bombs'],
    ['whether a user of many formats has no password', 'scrip', 'empty'],
  ])('%s', async (name, one, other) => {
    const { url } = await start('even')
    const pair = { one: logIn(one), other: logIn(other) }
    await expectSameTime({ name, url, ...pair, hashes: true, status: 401 })
  })
})

it('the measurement finds the format where timing: fast has given it up', async () => {
  const { url } = await start('fast')
  const pair = { one: logIn('niemo'), other: logIn('dkago') }
  const name = 'control: timing: fast'
  await expectToldApart({ name, url, ...pair, hashes: true, status: 401 })
})
