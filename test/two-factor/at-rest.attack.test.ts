import { randomBytes } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createAuthRouter } from '../../src/index.js'
import { decodeBase32 } from '../../src/lib/typed-codes.js'
import { createSeedVault } from '../../src/two-factor/seed-vault.js'
import { bearer, get, logIn, post } from '../support/client.js'
import { databaseKind, openDatabase, type TestDatabase } from '../support/databases.js'
import { encryptionKey, password, passwordHash, startHost, type TestHost } from '../support/host.js'
import {
  attempt,
  begin,
  change,
  codeOf,
  confirm,
  confirmation,
  disabling,
  enrolled,
  expectAnswer,
  expectNoSecrets,
  expectUnharmed,
  noon,
  pendingOf,
  totp,
} from '../support/two-factor.js'

const key = Buffer.from(encryptionKey, 'base64')
const otherKey = randomBytes(32)
const text = (bytes: Buffer) => bytes.toString('base64')

async function openTables(): Promise<TestDatabase> {
  const database = await openDatabase(databaseKind('SQLite (libsql)'))
  onTestFinished(database.close)
  return database
}

const storesOf = ({ stores: { keys: _keys, ...stores } }: TestDatabase) => stores

/** All rows of all tables, as a thief of the database reads them. */
async function dump({ kysely, prefix }: TestDatabase): Promise<string> {
  const anything = kysely as never as {
    selectFrom(table: string): { selectAll(): { execute(): Promise<object[]> } }
  }
  const tables = [
    'authorization_codes',
    'sessions',
    'socket_tickets',
    'proofs',
    'second_factors',
    'enrolments',
    'recovery_codes',
  ]
  const rows = await Promise.all(
    tables.map((table) => anything.selectFrom(`${prefix}${table}`).selectAll().execute()),
  )
  return JSON.stringify(rows, (_name, value) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
  )
}

/** Every way in which bytes are written down, whole and as each half. */
function spellings(bytes: Buffer, base32: string): string[] {
  const plain = base32.replaceAll('-', '')
  const encoded = (['hex', 'base64', 'base64url', 'latin1', 'utf8'] as const).map((encoding) =>
    bytes.toString(encoding),
  )
  const whole = [
    base32,
    plain,
    plain.toLowerCase(),
    ...encoded,
    bytes.toString('hex').toUpperCase(),
    JSON.stringify([...bytes]),
  ]
  return [...whole, plain.slice(0, 12), plain.slice(-12), bytes.toString('hex').slice(0, 16)]
}

function expectHoldsNone(stolen: string, secrets: readonly string[]): void {
  for (const secret of secrets) {
    const bytes = decodeBase32(secret.replaceAll('-', '')) as Buffer
    for (const spelling of spellings(bytes, secret)) expect(stolen.includes(spelling)).toBe(false)
  }
}

describe('a thief of the database', () => {
  it('finds no seed and no recovery code in SQL, neither active nor waiting, in any spelling', async () => {
    const database = await openTables()
    const { host, secret, recoveryCodes } = await enrolled({ options: storesOf(database) })
    host.users.add({ id: 'u-bob', username: 'bob', passwordHash })
    const bob = await logIn(host, { username: 'bob', password })
    const waiting = await begin(host, bob.authToken)
    await attempt(host, codeOf(host, secret))
    const stolen = await dump(database)
    // It is the whole of it: both users are there, and ten hashes.
    expect(stolen).toContain('u-bob')
    expect(await database.stores.secondFactors.countRecoveryCodes('u-alice')).toBe(10)
    expectHoldsNone(stolen, [secret, waiting, ...recoveryCodes])
    expect(stolen).not.toContain(password)
    await expectUnharmed(host, recoveryCodes[0], secret, waiting, ...recoveryCodes)
  })

  it('finds none in what the memory stores were given and answer', async () => {
    const given: unknown[] = []
    const host = await startHost({ now: noon })
    for (const [name, method] of Object.entries(host.stores.secondFactors)) {
      const watched = async (...all: unknown[]) => {
        given.push(all)
        const answer: unknown = await (method as (...all: unknown[]) => Promise<unknown>)(...all)
        given.push(answer)
        return answer
      }
      Object.assign(host.stores.secondFactors, { [name]: watched })
    }
    const { authToken: token } = await logIn(host)
    const secret = await begin(host, token)
    const recoveryCodes = await confirm(host, token, secret)
    host.clock.advance(30)
    expectAnswer(await attempt(host, codeOf(host, secret)), 200)
    expectAnswer(await attempt(host, recoveryCodes[0]), 200)
    expect(given.length).toBeGreaterThan(10)
    expectHoldsNone(JSON.stringify(given), [secret, ...recoveryCodes])
    await expectUnharmed(host, recoveryCodes[1], secret, ...recoveryCodes)
  })

  it(
    'who can write as well gains nothing by swapping rows: the seed of another does not open, ' +
      'and an alert goes out',
    async () => {
      const database = await openTables()
      const { host, token, secret } = await enrolled({ options: storesOf(database) })
      host.users.add({ id: 'u-eve', username: 'eve', passwordHash })
      const eve = await logIn(host, { username: 'eve', password })
      const ofEve = await begin(host, eve.authToken)
      await confirm(host, eve.authToken, ofEve)
      host.clock.advance(30)
      const mine = await database.stores.secondFactors.find('u-alice')
      const hers = await database.stores.secondFactors.find('u-eve')
      await database.stores.secondFactors.reseal(
        'u-alice',
        mine?.sealedSeed ?? '',
        hers?.sealedSeed ?? '',
      )
      for (const code of [codeOf(host, ofEve), codeOf(host, secret), '000000']) {
        expectAnswer(await attempt(host, code), 503, 'temporarily-unavailable')
      }
      expectAnswer(
        await change(host, disabling, token, codeOf(host, ofEve)),
        503,
        'temporarily-unavailable',
      )
      expect(host.events.filter(({ type }) => type === 'second-factor.unreadable')).toHaveLength(4)
      await database.stores.secondFactors.reseal(
        'u-alice',
        hers?.sealedSeed ?? '',
        mine?.sealedSeed ?? '',
      )
      await expectUnharmed(host, codeOf(host, secret), secret, ofEve)
    },
  )

  it('nor by putting the waiting seed of another in', async () => {
    const { host, token } = await signedIn()
    host.users.add({ id: 'u-eve', username: 'eve', passwordHash })
    const eve = await logIn(host, { username: 'eve', password })
    const ofEve = await begin(host, eve.authToken)
    const pending = await pendingOf(host, eve.authToken)
    const { sessionId } = await host.auth.authenticateToken(token)
    await host.stores.secondFactors.savePending({
      ...(pending as NonNullable<typeof pending>),
      userId: 'u-alice',
      sessionId,
    })
    expectAnswer(
      await post(host, confirmation, { code: codeOf(host, ofEve) }, bearer(token)),
      503,
      'temporarily-unavailable',
    )
    expect(host.events.at(-1)).toMatchObject({
      type: 'second-factor.unreadable',
      userId: 'u-alice',
    })
    await expectUnharmed(host, undefined, ofEve)
  })
})

async function signedIn() {
  const host = await startHost({ now: noon })
  const { authToken: token } = await logIn(host)
  return { host, token }
}

/** The same server after a restart with other keys. */
const restarted = (host: TestHost, encryptionKeys: readonly string[]) =>
  startHost({ now: host.clock(), options: { ...host.stores, users: host.users, encryptionKeys } })

describe('a rotation of the encryption keys', () => {
  it('seals a seed anew when it is used, after which the old key can go', async () => {
    const { host, secret } = await enrolled()
    const before = await host.stores.secondFactors.find('u-alice')
    const both = await restarted(host, [text(otherKey), text(key)])
    expectAnswer(await attempt(both, codeOf(both, secret, -2)), 401, 'totp-invalid')
    expect(await host.stores.secondFactors.find('u-alice')).toEqual(before)
    expectAnswer(await attempt(both, codeOf(both, secret)), 200)
    await expect
      .poll(async () => (await host.stores.secondFactors.find('u-alice'))?.sealedSeed)
      .not.toBe(before?.sealedSeed)
    const onlyNew = await restarted(both, [text(otherKey)])
    onlyNew.clock.advance(30)
    await expectUnharmed(onlyNew, codeOf(onlyNew, secret), secret)
  })

  it('seals by a change of the factor too, and not twice', async () => {
    const { host, token, secret } = await enrolled()
    const both = await restarted(host, [text(otherKey), text(key)])
    expectAnswer(await change(both, '/auth/totp/recovery-codes', token, codeOf(both, secret)), 200)
    const resealed = async () =>
      (await host.stores.secondFactors.find('u-alice'))?.sealedSeed as string
    await expect
      .poll(async () => createSeedVault([otherKey]).open('u-alice', await resealed()))
      .toEqual(decodeBase32(secret))
    const once = await resealed()
    both.clock.advance(30)
    expectAnswer(await attempt(both, codeOf(both, secret)), 200)
    expect(await resealed()).toBe(once)
  })

  it('that threw the old key away too early is an outage and an alert; recovery codes still work', async () => {
    const { host, secret, recoveryCodes } = await enrolled()
    const lost = await restarted(host, [text(otherKey)])
    expectAnswer(await attempt(lost, codeOf(lost, secret)), 503, 'temporarily-unavailable')
    expect(lost.events).toContainEqual(
      expect.objectContaining({ type: 'second-factor.unreadable', userId: 'u-alice' }),
    )
    expectAnswer(await attempt(lost), 401, 'totp-required')
    await expectUnharmed(lost, recoveryCodes[0], secret)
  })

  it('holds for an enrolment under way', async () => {
    const { host, token } = await signedIn()
    const secret = await begin(host, token)
    const both = await restarted(host, [text(otherKey), text(key)])
    await confirm(both, token, secret)
    both.clock.advance(30)
    await expectUnharmed(both, codeOf(both, secret), secret)
  })
})

describe('a seed that must not be used', () => {
  const seal = (bytes: Buffer) => createSeedVault([key]).seal('u-alice', bytes)
  it.each([
    ['an empty one', seal(Buffer.alloc(0))],
    ['one of 15 bytes', seal(Buffer.alloc(15, 7))],
    ['one that is not sealed', 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'],
    ['an empty text', ''],
    ['a sealed one that was cut off', seal(Buffer.alloc(20, 7)).slice(0, -4)],
    ['one sealed for another purpose', seal(Buffer.alloc(20, 7)).replace('v1.', 'v2.')],
  ])('%s: 503 and an alert at every door, whatever the code', async (_what, sealedSeed) => {
    const { host, token } = await signedIn()
    const { sessionId } = await host.auth.authenticateToken(token)
    const waiting = {
      userId: 'u-alice',
      sessionId,
      sealedSeed,
      createdAt: host.clock(),
      expiresAt: new Date(host.clock().getTime() + 600_000),
    }
    await host.stores.secondFactors.savePending(waiting)
    // 328482 and 755224: what an empty key, and a well-known one, give for counter 0.
    const codes = ['328482', '755224', '000000']
    for (const code of codes) {
      expectAnswer(
        await post(host, confirmation, { code }, bearer(token)),
        503,
        'temporarily-unavailable',
      )
    }
    await host.stores.secondFactors.activate(
      { userId: 'u-alice', sealedSeed, lastStep: -1, createdAt: host.clock() },
      [],
    )
    for (const code of codes) {
      expectAnswer(await attempt(host, code), 503, 'temporarily-unavailable')
      expectAnswer(await change(host, disabling, token, code), 503, 'temporarily-unavailable')
    }
    expect(host.events.filter(({ type }) => type === 'second-factor.unreadable')).toHaveLength(9)
    expectNoSecrets(host)
    expect((await get(host, totp, bearer(token))).body.data.enabled).toBe(true)
    await host.auth.secondFactors.reset('u-alice')
    await expectUnharmed(host, undefined)
  })

  it('of a key that is none is refused at start-up, with a remedy', async () => {
    const host = await startHost()
    const signer = { sign: async () => '', verify: async () => ({}) }
    for (const encryptionKeys of [
      [],
      undefined,
      [undefined],
      [''],
      ['short'],
      [text(key), 'short'],
      [text(randomBytes(16))],
    ]) {
      const build = () =>
        createAuthRouter({ ...host.stores, users: host.users, signer, encryptionKeys } as never)
      expect(build).toThrow(
        expect.objectContaining({
          name: 'AuthConfigError',
          option: expect.stringContaining('encryptionKeys'),
        }),
      )
    }
  })
})
