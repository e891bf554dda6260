import { bcryptHasher, type ThrottleOptions } from '../../src/index.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import {
  type HostSettings,
  password,
  startHost,
  type TestHost,
  totpSecret,
  workerUrl,
} from '../support/host.js'
import { codeRecord, sessionRecord } from '../support/records.js'
import { type TestUser, type TestUsers, testUsers } from '../support/users.js'

// A lower cost than anybody should have: one pair takes about 27 ms, and what is not hashing shows
// all the better.
const cost = 8
const hasherAt = (bcryptCost: number) =>
  bcryptHasher({
    cost: bcryptCost,
    threads: 1,
    dangerouslyAllowLowCost: true,
    workerUrl,
  })
const hasher = hasherAt(cost)
const passwordHash = await hasher.hash(password)

/** The lowest cost that a host may set without a `dangerously` option. */
const lowestCost = 10
/** A hasher at the lowest cost, and a user of it whose hash is of a lower one. */
export async function hostWithOldHashes() {
  const users = timedUsers()
  const add = (username: string, passwordHash: string) =>
    users.add({ id: `u-${username}`, username, email: `${username}@example.com`, passwordHash })
  const passwords = hasherAt(lowestCost)
  add('newer', await passwords.hash(password))
  add('older', await hasherAt(lowestCost - 2).hash(password))
  return startTimedHost({ options: { users, passwords } })
}

// Each of the failures counts; the limits are other tests' business.
const noLimit = { points: 1_000_000, duration: 86_400 }
/** Limits that no test reaches; each may set one that it means to reach. */
export const unlimited: ThrottleOptions = {
  account: noLimit,
  network: noLimit,
  unknownNetworks: noLimit,
  accountTotal: noLimit,
  knownNetwork: noLimit,
  secondFactor: noLimit,
  secondFactorTotal: noLimit.points,
  endpoints: noLimit,
}

/**
 * A user table with an account in each state that a refusal must not tell of. The names are of one
 * length.
 */
export function timedUsers(): TestUsers {
  const users = testUsers()
  const add = (username: string, account: Partial<TestUser>) =>
    users.add({ ...account, id: `u-${username}`, username, email: `${username}@example.com` })
  add('alice', { passwordHash })
  add('clara', { passwordHash })
  add('fired', { passwordHash, disabled: true })
  add('guest', { passwordHash: null })
  // One character is missing.
  add('rusty', { passwordHash: passwordHash.slice(0, -1) })
  return users
}

/**
 * Stores that take as long for a row that is there as for one that is not. How long a database
 * takes is the host's affair; what the router makes of the answer is not.
 */
export async function evenStores() {
  const { codes, sessions, ...rest } = memoryStores()
  const session = sessionRecord()
  const code = codeRecord()
  await sessions.create(session)
  await codes.save(code)
  return {
    ...rest,
    sessions: { ...sessions, find: (id: string) => evenly(sessions.find, id, session.id) },
    codes: { ...codes, find: (codeHash: string) => evenly(codes.find, codeHash, code.codeHash) },
  }
}

// One row that is there and one that is not, whatever is asked for.
async function evenly<Row>(
  find: (key: string) => Promise<Row | null>,
  key: string,
  known: string,
): Promise<Row | null> {
  const row = await find(key)
  await find(row === null ? known : 'nobody has this key')
  return row
}

/** A host without limits, whose hasher is at cost 8. The user clara has a second factor. */
export async function startTimedHost(settings: HostSettings = {}): Promise<TestHost> {
  const options = {
    users: timedUsers(),
    ...(await evenStores()),
    passwords: hasher,
    throttle: unlimited,
    ...settings.options,
  }
  const host = await startHost({ ...settings, options })
  await host.auth.secondFactors.importTotp({ userId: 'u-clara', secret: totpSecret })
  return host
}
