// Sessions that a provider or their owner has ended, and that must not live on by a detour.
import { expect, it } from 'vitest'
import type { FinishedFlow, Identity, ProviderLogout } from '../../src/providers/contract.js'
import { bearer, get, logIn, post, remove } from '../support/client.js'
import {
  ada,
  begin,
  comeBack,
  connected,
  fakeProvider,
  finish,
  type ProviderHost,
  signIn,
  startProviders,
} from './provider-host.js'

const identified = (identity: Identity): FinishedFlow => ({ outcome: 'identified', identity })

/** A provider whose logout tokens are JSON of what they say. */
const provider = () =>
  fakeProvider({
    async readLogoutToken(token) {
      const told = JSON.parse(token) as ProviderLogout
      return { ...told, expiresAt: new Date(told.expiresAt) }
    },
  })

async function startWith() {
  const host = await startProviders({ provider: provider() })
  host.provider.answer = identified({ ...ada, sid: 'session 1' })
  await connected(host)
  return host
}

const opened = async (host: ProviderHost) => bearer((await signIn(host)).body.data.authToken)

function logOut(host: ProviderHost, about: object, jti = 'a') {
  const expiresAt = new Date(host.clock().getTime() + 120_000)
  const token = JSON.stringify({ issuer: ada.issuer, jti, expiresAt, ...about })
  return post(host, '/auth/providers/fake/backchannel-logout')
    .type('form')
    .send(`logout_token=${encodeURIComponent(token)}`)
}

it('ends by its sid a session of whoever the account was connected with since', async () => {
  const host = await startWith()
  await opened(host)
  await host.stores.identities.unlinkAllForUser('u-alice')
  host.users.add({ id: 'u-bob' })
  await connected(host, 'u-bob')
  const bobs = await opened(host)
  await logOut(host, { sid: 'session 1' }).expect(200)
  await get(host, '/me', bobs).expect(401)
})

it('ends by its sid a session that was opened long after the first one', async () => {
  const host = await startWith()
  await opened(host)
  const day = 86_400
  for (const turn of [1, 2]) {
    host.clock.advance(85 * day)
    const late = await opened(host)
    host.clock.advance(9 * day)
    await get(host, '/me', late).expect(200)
    await logOut(host, { sid: 'session 1' }, `${turn}`).expect(200)
    await get(host, '/me', late).expect(401)
  }
})

it('ends at the second attempt what could not be ended at the first', async () => {
  const host = await startWith()
  const headers = await opened(host)
  const { listForUser } = host.stores.sessions
  host.stores.sessions.listForUser = () => Promise.reject(new Error('away'))
  await logOut(host, { subject: ada.subject }).expect(503)
  host.stores.sessions.listForUser = listForUser
  await logOut(host, { subject: ada.subject }).expect(200)
  await get(host, '/me', headers).expect(401)
  await logOut(host, { subject: ada.subject }).expect(400)
})

it('disconnects sessions that another provider with the same accounts has opened', async () => {
  const fake = fakeProvider()
  const second = fakeProvider({ id: 'second', name: 'Second', sameAccountsAs: 'fake' })
  const host = await startProviders({ provider: fake, providers: { list: [fake, second] } })
  await connected(host)
  const bySecond = await opened({ ...host, provider: second })
  const byPassword = bearer((await logIn(host)).authToken as string)
  await remove(host, '/auth/identities/i-ada-1815', byPassword).expect(200)
  await get(host, '/me', bySecond).expect(401)
  await get(host, '/me', byPassword).expect(200)
})

it('lets nobody in by a rule of the host that answers nothing', async () => {
  for (const nothing of [undefined, null, 0, 'no', 1, {}]) {
    const strange = fakeProvider({ allowed: (async () => nothing) as () => Promise<boolean> })
    const host = await startProviders({ provider: strange })
    await connected(host)
    expect(await comeBack(await begin(host))).toMatchObject({ error: 'provider_refused' })
  }
})

it('takes no second factor from a polluted Object.prototype', async () => {
  const demanding = fakeProvider({ acceptMfa: true, mfaAcr: ['strong'] })
  const options = { secondFactor: { acceptHostMfa: true } } as const
  const host = await startProviders({ provider: demanding, options })
  await connected(host)
  const polluted = { amr: ['mfa'], acr: 'strong' }
  for (const [name, value] of Object.entries(polluted))
    Object.defineProperty(Object.prototype, name, { value, configurable: true })
  try {
    const begun = await begin(host)
    const { ticket } = await comeBack(begun)
    await finish(host, { ticket, codeVerifier: begun.codeVerifier })
    const [session] = await host.stores.sessions.listForUser('u-alice', host.clock())
    expect(session?.methods ?? []).not.toContain('mfa')
  } finally {
    for (const name of Object.keys(polluted)) Reflect.deleteProperty(Object.prototype, name)
  }
})

it('does not disconnect the last way in of a user whose password counts nowhere', async () => {
  for (const mayUse of [false, true]) {
    const host = await startProviders({ providers: { only: true, passwordFor: () => mayUse } })
    await connected(host)
    const headers = await opened(host)
    await remove(host, '/auth/identities/i-ada-1815', headers).expect(mayUse ? 200 : 409)
    expect((await signIn(host)).status).toBe(mayUse ? 401 : 200)
  }
})

it('locks out nobody whose account was connected, but whose answer was lost', async () => {
  const host = await startProviders({ providers: { unknown: 'create' } })
  const { identities } = host.stores
  const { link } = identities
  identities.link = async (identity) => {
    await link(identity)
    throw new Error('away')
  }
  expect((await signIn(host)).status).toBe(503)
  expect(await identities.find('fake', ada.subject)).toBeNull()
  identities.link = link
  expect((await signIn(host)).status).toBe(200)
})

it('does not count the account of a provider that is gone as a way in', async () => {
  const host = await startProviders()
  host.users.add({ id: 'u-bob' })
  await connected({ ...host, provider: fakeProvider({ id: 'gone' }) }, 'u-bob', {
    ...ada,
    subject: 'former',
  })
  await connected(host, 'u-bob')
  const headers = await opened(host)
  await remove(host, '/auth/identities/i-ada-1815', headers).expect(409)
  await remove(host, '/auth/identities/i-former', headers).expect(200)
})
