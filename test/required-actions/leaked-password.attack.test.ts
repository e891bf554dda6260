// Another password is demanded after a login with a leaked one. Logins under way that replace an
// older hash of it must not take that back.
import { expect, it } from 'vitest'
import { AuthError, type PasswordHasher } from '../../src/index.js'
import { startAccounts } from '../accounts/account-host.js'
import { bearer, get, post } from '../support/client.js'
import { gate } from '../support/gate.js'
import { cheapHasher } from '../support/host.js'
import { leftFor, signedIn } from './required-host.js'

const leaked = 'password'
const as = { username: 'alice', password: leaked }
const oldHash = (await cheapHasher.hash(leaked)).replace('$2b$', '$2a$')
const breached = async () => ['1E4C9B93F3F0682250B6CF8331B7EE68FD8:5']

/** Its user has the leaked password, under a hash that each login replaces. */
async function start(changed: Partial<PasswordHasher> = {}, isBreached = breached) {
  const needsRehash = (hash: string) => hash.startsWith('$2a$')
  const passwords = { ...cheapHasher, needsRehash, ...changed }
  const plenty = { points: 100_000, duration: 900 }
  const throttle = { account: plenty, network: plenty, unknownNetworks: plenty }
  const host = await startAccounts({
    accounts: { passwordRules: { breached: isBreached, checkAtLogin: 'change' } },
    options: { passwords, watchPasswordHash: true, maxPasswordWait: 30, throttle },
  })
  host.users.change('u-alice', { passwordHash: oldHash })
  const alice = () => host.users.rows.get('u-alice')
  const settled = () => expect.poll(() => host.auth.stats().mail.waiting).toBe(0)
  const logInOften = (times: number) =>
    Promise.all(Array.from({ length: times }, () => post(host, '/login', as)))
  return { host, alice, settled, logInOften }
}

it('a demand stays, though logins that have read the user before it would replace the hash', async () => {
  const often = 10
  const [demanded, arrived] = [gate(), gate()]
  const allArrive = arrived.shut()
  void demanded.shut()
  let hashes = 0
  const hash = async (plain: string) => {
    const hashed = await cheapHasher.hash(plain)
    hashes += 1
    // Those of the logins; the next one is that of the demand.
    if (hashes === often) void arrived.pass()
    if (hashes <= often) await demanded.pass()
    return hashed
  }
  const { host, alice, logInOften } = await start({ hash }, async () => {
    await allArrive
    return breached()
  })
  const loggingIn = logInOften(often)
  await expect.poll(() => alice()?.mustChangePassword).toBe(true)
  demanded.open()
  arrived.open()
  const logins = await loggingIn
  expect(logins.map(({ status }) => status)).toEqual(logins.map(() => 200))
  expect(alice()).toMatchObject({ mustChangePassword: true, passwordUntil: null })
  expect((await signedIn(host, as)).required).toEqual(['change-password'])
  host.clock.advance(6)
  for (const { body } of logins)
    expect((await get(host, '/me', bearer(body.data.authToken))).body.error).toBe('action-required')
})

it('a burst of logins ends none of its sessions by the demand, and the demand stays', async () => {
  const { host, alice, settled, logInOften } = await start()
  const logins = await logInOften(30)
  expect(logins.map(({ status }) => status)).toEqual(logins.map(() => 200))
  await settled()
  // Where a login has replaced the hash before it, the next login makes the demand.
  const next = await signedIn(host, as)
  await settled()
  expect(alice()?.mustChangePassword).toBe(true)
  host.clock.advance(6)
  expect(await leftFor(next)).toEqual(['change-password'])
  const events = host.events.filter(({ type }) => type === 'session.ended')
  expect(events).toEqual([])
})

it('a password that the hasher takes no more is demanded under the hash that it has', async () => {
  const hash = async () => {
    throw new AuthError('invalid-request')
  }
  const { host, alice } = await start({ hash })
  await signedIn(host, as)
  await expect.poll(() => alice()?.mustChangePassword).toBe(true)
  expect(alice()?.passwordHash).toBe(oldHash)
})

it('a mark that the host sets while a login makes another hash stays, and the hash as well', async () => {
  const door = gate()
  const hash = async (plain: string) => {
    await door.pass()
    return cheapHasher.hash(plain)
  }
  const { host, alice } = await start({ hash }, async () => [])
  const held = door.shut()
  const login = post(host, '/login', as).then((answer) => answer)
  await held
  host.users.change('u-alice', { mustChangePassword: true })
  door.open()
  expect((await login).status).toBe(200)
  expect(alice()).toMatchObject({ mustChangePassword: true, passwordHash: oldHash })
})

it('a temporary password that is a leaked one keeps its end', async () => {
  const { host, alice, settled } = await start()
  const passwordUntil = new Date(host.clock().getTime() + 3_600_000)
  const passwordHash = await cheapHasher.hash(leaked)
  host.users.change('u-alice', { passwordHash, mustChangePassword: true, passwordUntil })
  await signedIn(host, as)
  await settled()
  expect(host.events).toContainEqual(expect.objectContaining({ type: 'password.breached' }))
  expect(alice()).toMatchObject({ passwordHash, passwordUntil })
})
