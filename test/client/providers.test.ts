import { expect, it } from 'vitest'
import { memoryBegunStore } from '../../src/client/oauth/begun.js'
import { memoryStore } from '../../src/client/token-store.js'
import {
  ada,
  connected,
  fakeProvider,
  returnTo,
  startProviders,
} from '../provider-sign-in/provider-host.js'
import { begin as beginTotp, codeOf, confirm } from '../support/two-factor.js'
import { cameBack, clientAt } from './provider-client.js'
import { alice, lost, signedIn, tap } from './recorded.js'

it('lists the providers, and signs in at one of them: begun, come back, refreshed', async () => {
  const host = await startProviders()
  await connected(host)
  const { client, elsewhere } = clientAt(host)
  expect(await elsewhere.list()).toEqual([{ id: 'fake', name: 'Fake' }])
  const address = await elsewhere.start('fake', { returnTo, carry: '/rooms/7#end' })
  expect([elsewhere.isAnswer(address), address.includes('rooms')]).toEqual([false, false])
  const answer = await cameBack(host, address)
  expect([elsewhere.isAnswer(answer), elsewhere.identities.isAnswer(answer)]).toEqual([true, false])
  const result = await elsewhere.finish(answer)
  const me = { _id: 'u-alice', username: 'alice' }
  expect(result).toMatchObject({ status: 'signed-in', me, carry: '/rooms/7#end' })
  host.clock.advance(700)
  expect((await client.me()).username).toBe('alice')
  await client.signOut()
  expect(await host.auth.sessions.list('u-alice')).toEqual([])
})

it('asks for the second factor, as after a password', async () => {
  const host = await startProviders()
  await connected(host)
  const token = await (await signedIn(host)).accessToken()
  const secret = await beginTotp(host, token)
  await confirm(host, token, secret)
  host.clock.advance(30)
  const { client, elsewhere } = clientAt(host)
  const answer = await cameBack(host, await elsewhere.start('fake', { returnTo, carry: 'x' }))
  const asked = await elsewhere.finish(answer)
  expect(asked).toMatchObject({ status: 'code-needed', wrong: false, carry: 'x' })
  if (asked.status !== 'code-needed') return
  const again = await asked.submit('000000')
  expect(again).toMatchObject({ status: 'code-needed', wrong: true })
  expect(await asked.submit(codeOf(host, secret))).toMatchObject({ status: 'signed-in' })
  expect(client.state.status).toBe('signed-in')
})

it('lets a new user choose another name while the ticket lives', async () => {
  const host = await startProviders({ providers: { unknown: 'create' } })
  host.users.add({ id: 'u-other', username: 'ada', email: 'other@example.com' })
  const { elsewhere } = clientAt(host)
  const answer = await cameBack(host, await elsewhere.start('fake', { returnTo }))
  const taken = { name: 'AuthClientError', code: 'username-taken' }
  const first = { ...taken, details: { suggestion: 'ada' } }
  await expect(elsewhere.finish(answer)).rejects.toMatchObject(first)
  await expect(elsewhere.finish(answer, { username: 'alice' })).rejects.toMatchObject(taken)
  const result = await elsewhere.finish(answer, { username: 'countess' })
  expect(result).toMatchObject({ status: 'signed-in', me: { username: 'countess' } })
  await expect(elsewhere.finish(answer)).rejects.toMatchObject({ code: 'not-begun' })
})

it('finishes again after an outage, and once for two calls at a time', async () => {
  const host = await startProviders()
  await connected(host)
  const wire = tap(host)
  const { elsewhere } = clientAt(host, { wire })
  const answer = await cameBack(host, await elsewhere.start('fake', { returnTo }))
  wire.next('/auth/providers/finish', lost)
  await expect(elsewhere.finish(answer)).rejects.toMatchObject({ code: 'unreachable' })
  const both = await Promise.all([elsewhere.finish(answer), elsewhere.finish(answer)])
  expect(both).toMatchObject([{ status: 'signed-in' }, { status: 'signed-in' }])
  expect(wire.to('/auth/providers/finish')).toHaveLength(2)
})

it('tells why nobody came back', async () => {
  const provider = fakeProvider()
  const host = await startProviders({ provider })
  const { client, elsewhere } = clientAt(host)
  const finish = async () =>
    elsewhere.finish(await cameBack(host, await elsewhere.start('fake', { returnTo })))
  provider.answer = { outcome: 'refused', reason: 'access-denied' }
  await expect(finish()).rejects.toMatchObject({ name: 'OAuthError', code: 'access_denied' })
  provider.answer = { outcome: 'refused', reason: 'wrong-nonce' }
  await expect(finish()).rejects.toMatchObject({ name: 'OAuthError', code: 'provider_refused' })
  provider.answer = () => Promise.reject(new Error('no route'))
  await expect(finish()).rejects.toMatchObject({ code: 'temporarily_unavailable' })
  provider.answer = { outcome: 'identified', identity: ada }
  await expect(finish()).rejects.toMatchObject({
    name: 'AuthClientError',
    code: 'provider-refused',
    details: { reason: 'not-connected' },
  })
  expect(client.state.status).toBe('signed-out')
})

it('begins in one process and finishes in another, with a store of the host', async () => {
  const host = await startProviders()
  await connected(host)
  const [begun, storage] = [memoryBegunStore(), memoryStore()]
  const address = await clientAt(host, { options: { begun } }).elsewhere.start('fake', { returnTo })
  const later = clientAt(host, { options: { begun }, client: { storage } })
  await later.elsewhere.finish(await cameBack(host, address))
  expect(await storage.get()).not.toBeNull()
})

it('connects an account, which signs in from then on, and disconnects it', async () => {
  const host = await startProviders()
  const { client, elsewhere } = clientAt(host)
  const { identities } = elsewhere
  await client.signIn(alice)
  const answer = await cameBack(host, await identities.start('fake', { returnTo, carry: '/me' }))
  expect([elsewhere.isAnswer(answer), identities.isAnswer(answer)]).toEqual([false, true])
  const { identity, carry } = await identities.finish(answer)
  expect([identity, carry]).toMatchObject([{ provider: 'fake', label: ada.email }, '/me'])
  expect(await identities.list()).toEqual([identity])
  const other = clientAt(host)
  const start = await other.elsewhere.start('fake', { returnTo })
  await other.elsewhere.finish(await cameBack(host, start))
  await identities.remove(identity.id)
  expect(await identities.list()).toEqual([])
  host.clock.advance(6)
  expect(await other.client.check()).toMatchObject({ status: 'signed-out' })
  expect((await client.check()).status).toBe('signed-in')
})

it('asks for a proof where the sign-in is old, and takes it', async () => {
  const host = await startProviders()
  await connected(host)
  const { client, elsewhere } = clientAt(host)
  const { identities } = elsewhere
  await client.signIn(alice)
  host.clock.advance(601)
  const again = { code: 'reauthentication-required' }
  await expect(identities.start('fake', { returnTo })).rejects.toMatchObject(again)
  await expect(identities.remove('i-ada-1815')).rejects.toMatchObject(again)
  const { password } = alice
  expect(await identities.start('fake', { returnTo, password })).toMatch(/^https:/)
  await identities.remove('i-ada-1815', { password })
  expect(await identities.list()).toEqual([])
})

it('tells that another user is connected with the account', async () => {
  const host = await startProviders()
  host.users.add({ id: 'u-bob' })
  await connected(host, 'u-bob')
  const { client, elsewhere } = clientAt(host)
  await client.signIn(alice)
  const answer = await cameBack(host, await elsewhere.identities.start('fake', { returnTo }))
  const finished = elsewhere.identities.finish(answer)
  await expect(finished).rejects.toMatchObject({ status: 409, code: 'identity-in-use' })
})
