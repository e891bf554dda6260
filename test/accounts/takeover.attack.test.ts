// Ways around the owner: what a stranger, a thief of a session or the holder of a wrong mailbox
// could make of mailed links, codes and their limits.
import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { bearer, logIn, post } from '../support/client.js'
import { behindProxy, from } from '../support/guessing.js'
import { encryptionKey, password } from '../support/host.js'
import { tokenIn } from '../support/mounted-accounts.js'
import {
  type AccountHost,
  asAlice,
  newPassword,
  reset,
  startAccounts,
  tokenFor,
  undo,
} from './account-host.js'

/** The limits of an address are over, again and again; that of the account is not. */
const overADay = {
  ...behindProxy,
  options: { throttle: { mail: { address: { points: 1000, duration: 900 } } } },
}

const newerKey = randomBytes(32).toString('base64')

type Alice = Awaited<ReturnType<typeof asAlice>>

/** Asks for a new address, and returns what confirms it. */
async function askFor(host: AccountHost, alice: Alice, email = 'new@example.org') {
  const { body } = await alice.post('/auth/email/change', { email, password }).expect(202)
  const code = (await host.mailed('change-address')).at(-1)?.code ?? ''
  return { requestId: body.data.requestId as string, code }
}

async function changeTo(host: AccountHost, alice: Alice, email?: string) {
  await alice.post('/auth/email/confirm', await askFor(host, alice, email)).expect(200)
}

/** A stranger asks for links until no more are mailed. */
async function flood(host: AccountHost, name: object = { username: 'alice' }) {
  for (let i = 0; i < 5; i += 1) await post(host, '/auth/password/forgot', name, from('192.0.2.9'))
  await host.mailed('reset-password')
}

it('a former address that was never proven cannot take the account: it gets no link', async () => {
  const host = await startAccounts()
  host.users.change('u-alice', { email: 'alice@exmaple.com', emailVerified: false })
  await changeTo(host, await asAlice(host), 'alice@example.com')
  expect(await host.mailed('address-changed')).toEqual([])
  expect(host.users.rows.get('u-alice')?.email).toBe('alice@example.com')
})

it('where the host trusts addresses that were never proven, a change can be undone from them', async () => {
  const host = await startAccounts({ accounts: { resetUnproven: true } })
  host.users.change('u-alice', { emailVerified: false })
  await changeTo(host, await asAlice(host))
  expect((await host.mailed('address-changed')).map(({ to }) => to)).toEqual(['alice@example.com'])
})

it('the limits of an address do not tell whether it has an account', async () => {
  const host = await startAccounts(behindProxy)
  host.users.add({ id: 'u-bob', username: 'bob', email: 'bob@example.com', emailVerified: true })
  const statuses: number[] = []
  for (const email of ['bob@example.com', 'nobody@example.com']) {
    await flood(host, { email })
    statuses.push(
      (await (await asAlice(host)).post('/auth/email/change', { email, password })).status,
    )
  }
  expect(statuses).toEqual([202, 202])
})

it('a flood of requests for links keeps no notice from the owner', async () => {
  const host = await startAccounts(behindProxy)
  const alice = await asAlice(host)
  await flood(host)
  await alice.post('/auth/password/change', { newPassword, password }).expect(200)
  expect(await host.mailed('password-changed')).toHaveLength(1)
})

it('a flood of requests for links over a day keeps the owner from no change of the address', async () => {
  const host = await startAccounts(overADay)
  for (let i = 0; i < 4; i += 1) await flood(host)
  // Three of the ten are kept for networks that the account knows.
  expect(await host.mailed('reset-password')).toHaveLength(7)
  await changeTo(host, await asAlice(host))
})

it('whoever undoes a change sets a new password, whatever was asked for before', async () => {
  const host = await startAccounts(overADay)
  await changeTo(host, await asAlice(host), 'thief@example.org')
  for (let i = 0; i < 4; i += 1) await flood(host)
  const [told] = await host.mailed('address-changed')
  await undo(host, tokenIn(told?.url)).expect(200)
  await logIn(host, { username: 'alice', password: newPassword })
})

it.each(['save', 'voidForUser'] as const)(
  'an undo is done, and says so, also if proofs.%s fails after it',
  async (method) => {
    const host = await startAccounts()
    await changeTo(host, await asAlice(host))
    const [told] = await host.mailed('address-changed')
    const { proofs } = host.stores
    const real = { ...proofs }
    Object.assign(proofs, {
      async consume(...given: Parameters<typeof real.consume>) {
        Object.assign(proofs, {
          async [method]() {
            throw new Error('the connection is cut')
          },
        })
        return real.consume(...given)
      },
    })
    await undo(host, tokenIn(told?.url)).expect(200)
    Object.assign(proofs, real)
    expect(host.users.rows.get('u-alice')?.email).toBe('alice@example.com')
  },
)

it('a link that was on its way while its address was replaced sets no password', async () => {
  const host = await startAccounts()
  await changeTo(host, await asAlice(host), 'thief@example.org')
  const { proofs } = host.stores
  const real = proofs.save
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  let isOnItsWay = false
  proofs.save = async (proof) => {
    isOnItsWay = true
    await held
    await real(proof)
  }
  await post(host, '/auth/password/forgot', { username: 'alice' }).expect(202)
  await expect.poll(() => isOnItsWay).toBe(true)
  proofs.save = real
  const told = host.mails.find(({ kind }) => kind === 'address-changed')
  await undo(host, tokenIn(told?.url)).expect(200)
  release()
  const links = await host.mailed('reset-password')
  const toThief = links.find(({ to }) => to === 'thief@example.org')
  expect(toThief).toBeDefined()
  const before = host.users.rows.get('u-alice')?.passwordHash
  await reset(host, tokenIn(toThief?.url)).expect(400)
  expect(host.users.rows.get('u-alice')?.passwordHash).toBe(before)
})

it('a second change does not take the first out of reach of its undo', async () => {
  const host = await startAccounts()
  const thief = await asAlice(host)
  await changeTo(host, thief, 'thief@example.org')
  const again = { email: 'thief2@example.org', password }
  const refused = await thief.post('/auth/email/change', again).expect(429)
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(71 * 60 * 60)
  const [told] = await host.mailed('address-changed')
  await undo(host, tokenIn(told?.url)).expect(200)
  expect(host.users.rows.get('u-alice')?.email).toBe('alice@example.com')
  // Whoever has taken it back may change it.
  const { authToken } = await logIn(host, { username: 'alice', password: newPassword })
  const owner = { email: 'alice@example.org', password: newPassword }
  await post(host, '/auth/email/change', owner, bearer(authToken)).expect(202)
})

it('a second change is refused also in the very moment of the first', async () => {
  const host = await startAccounts()
  const thief = await asAlice(host)
  const asked = await askFor(host, thief, 'thief@example.org')
  const real = host.users.updateEmail as NonNullable<typeof host.users.updateEmail>
  let again = 0
  host.users.updateEmail = async (...given) => {
    const answer = await real(...given)
    again = (await thief.post('/auth/email/change', { email: 'thief2@example.org', password }))
      .status
    return answer
  }
  await thief.post('/auth/email/confirm', asked).expect(200)
  expect(again).toBe(429)
})

it('a change that was not written leaves the next one free', async () => {
  const host = await startAccounts()
  const alice = await asAlice(host)
  const real = host.users.updateEmail
  const asked = await askFor(host, alice, 'one@example.org')
  host.users.updateEmail = async () => {
    throw new Error('the database is gone')
  }
  await alice.post('/auth/email/confirm', asked).expect(503)
  host.users.updateEmail = async () => ({ outcome: 'superseded' })
  await alice.post('/auth/email/confirm', asked).expect(409)
  host.users.updateEmail = real
  await alice.post('/auth/email/confirm', asked).expect(200)
})

it('an address changes again once the first change cannot be undone any more', async () => {
  const host = await startAccounts()
  await changeTo(host, await asAlice(host), 'one@example.org')
  host.clock.advance(72 * 60 * 60 + 1)
  await changeTo(host, await asAlice(host), 'two@example.org')
})

it('a password that a thief sets in the very moment of the undo does not stay', async () => {
  const host = await startAccounts()
  await changeTo(host, await asAlice(host), 'thief@example.org')
  const [told] = await host.mailed('address-changed')
  const token = await tokenFor(host)
  const before = host.users.rows.get('u-alice')?.passwordHash
  const real = host.users.updatePasswordHash
  host.users.updatePasswordHash = async (...given) => {
    host.users.updatePasswordHash = real
    await undo(host, tokenIn(told?.url)).expect(200)
    return (await real?.(...given)) === true
  }
  const thiefs = 'a phrase that the thief has made up'
  await reset(host, token, thiefs).expect(400)
  expect(host.users.rows.get('u-alice')?.passwordHash).not.toBe(before)
  await post(host, '/login', { username: 'alice', password: thiefs }).expect(401)
  await logIn(host, { username: 'alice', password: newPassword })
})

it('a code that was asked for before a reset changes no address after it', async () => {
  const host = await startAccounts()
  const thief = await asAlice(host)
  const asked = await askFor(host, thief, 'thief@example.org')
  await reset(host, await tokenFor(host)).expect(200)
  const rows = await host.stores.proofs.voidForUser('u-alice', ['change-address'], host.clock())
  expect(rows).toBe(0)
  await thief.post('/auth/email/confirm', asked).expect(401)
})

it.each(['confirm', 'change', 'password', 'verify'] as const)(
  'a session that another process has ended does nothing to the account: %s',
  async (what) => {
    const host = await startAccounts()
    const thief = await asAlice(host)
    const asked = await askFor(host, thief, 'thief@example.org')
    host.users.change('u-alice', { emailVerified: what !== 'verify' })
    await thief.get('/me').expect(200)
    // As another process does it, whose announcement has not arrived.
    await host.stores.sessions.endAllForUser('u-alice', 'revoked', host.clock())
    const sent = {
      confirm: () => thief.post('/auth/email/confirm', asked),
      change: () => thief.post('/auth/email/change', { email: 'other@example.org', password }),
      password: () => thief.post('/auth/password/change', { newPassword, password }),
      verify: () => thief.post('/auth/email/verify'),
    }
    await sent[what]().expect(401)
    expect(host.users.rows.get('u-alice')?.email).toBe('alice@example.com')
  },
)

it('links and codes that are out survive a new encryption key', async () => {
  const older = await startAccounts()
  const alice = await asAlice(older)
  const asked = await askFor(older, alice)
  const token = await tokenFor(older)
  const newer = await startAccounts({
    options: {
      ...older.stores,
      users: older.users,
      encryptionKeys: [newerKey, encryptionKey],
    },
  })
  await post(newer, '/auth/email/confirm', asked, alice.headers).expect(200)
  const [told] = await older
    .mailed('address-changed')
    .then(async (mails) => [...mails, ...(await newer.mailed('address-changed'))])
  expect(told?.to).toBe('alice@example.com')
  await undo(newer, tokenIn(told?.url)).expect(200)
  await reset(newer, token).expect(400)
})

it('a link for a new password survives a new encryption key', async () => {
  const older = await startAccounts()
  const token = await tokenFor(older)
  const newer = await startAccounts({
    options: {
      ...older.stores,
      users: older.users,
      encryptionKeys: [newerKey, encryptionKey],
    },
  })
  await reset(newer, token).expect(200)
})

it.each<[string, object]>([
  ['the right password', { password }],
  ['a wrong one', { password: 'x' }],
  ['a passkey', { passkey: { id: 'x' } }],
])('%s on a polluted Object.prototype is no proof, and refuses none', async (_what, members) => {
  const host = await startAccounts()
  const alice = await asAlice(host)
  const inherited = Object.prototype as object
  for (const [name, value] of Object.entries(members))
    Object.defineProperty(inherited, name, { value, configurable: true, writable: true })
  try {
    await alice.post('/auth/email/change', { email: 'new@example.org', password }).expect(202)
    await alice.post('/auth/password/change', { newPassword }).expect(403)
  } finally {
    for (const name of Object.keys(members)) Reflect.deleteProperty(inherited, name)
  }
  await alice.post('/auth/password/change', { newPassword, password }).expect(200)
})

describe('a change under way while the desk ends everything', () => {
  /** A thief's change, in whose write the desk acts; what comes after it may fail. */
  async function overtaken(after: 'works' | 'fails') {
    const host = await startAccounts()
    const thief = await asAlice(host)
    const asked = await askFor(host, thief, 'mallory@example.net')
    const { updateEmail } = host.users
    host.users.updateEmail = async (...given) => {
      host.users.updateEmail =
        after === 'works' ? updateEmail : () => Promise.reject(new Error('the database is away'))
      await host.auth.accounts.endEverything('u-alice')
      return updateEmail(...given)
    }
    await thief.post('/auth/email/confirm', asked).expect(400)
    host.users.updateEmail = updateEmail
    return host
  }
  const addressIn = (host: AccountHost) => host.users.rows.get('u-alice')?.email
  const changes = (host: AccountHost) =>
    host.events.filter(({ type }) => type === 'address.changed').length

  it('is taken back, and nobody is told of it', async () => {
    const host = await overtaken('works')
    expect(addressIn(host)).toBe('alice@example.com')
    expect([await host.mailed('address-changed'), changes(host)]).toEqual([[], 0])
  })

  it('is told to the owner, who undoes it, if it cannot be taken back', async () => {
    const host = await overtaken('fails')
    const [notice, ...more] = await host.mailed('address-changed')
    expect([notice?.to, more, changes(host)]).toEqual(['alice@example.com', [], 1])
    await undo(host, tokenIn(notice?.url)).expect(200)
    expect(addressIn(host)).toBe('alice@example.com')
  })
})
