// Somebody else's browser, answers that come twice or too late, tickets in wrong hands.
import { expect, it } from 'vitest'
import type { AccountsOptions, ProvidersOptions } from '../../src/index.js'
import { bearer, get, logIn, pkcePair, post } from '../support/client.js'
import { tally } from '../support/guessing.js'
import { password } from '../support/host.js'
import { accountsOptions } from '../support/mounted-accounts.js'
import {
  ada,
  type Begun,
  begin,
  browser,
  comeBack,
  connected,
  fakeProvider,
  finish,
  lead,
  type ProviderHost,
  returnTo,
  signIn,
  startProviders,
} from './provider-host.js'

const refusals = ({ events }: ProviderHost) =>
  events.flatMap((event) => (event.type === 'provider.refused' ? [event.reason] : []))

/** The statuses of so many calls at the same moment. */
async function atOnce(times: number, call: () => PromiseLike<{ status: number }>) {
  const answers = await Promise.all(Array.from({ length: times }, call))
  return tally(answers.map(({ status }) => status))
}

async function ticketOf(host: ProviderHost) {
  const begun = await begin(host)
  const { ticket } = await comeBack(begun)
  return { ticket, codeVerifier: begun.codeVerifier }
}

it('takes no answer that another browser has begun, with or without a cookie', async () => {
  const host = await startProviders()
  await connected(host)
  const attackers = await begin(host)
  for (const victims of [browser(host), (await begin(host)).browser]) {
    const { status, headers } = await victims.open(attackers.callback)
    expect(status).toBe(400)
    expect(headers['location']).toBeUndefined()
  }
  expect(refusals(host)).toEqual(['stale', 'stale'])
  // It was not used up by that.
  expect((await comeBack(attackers)).ticket).not.toBe('')
})

it('takes each answer once, also of 50 that come at the same moment', async () => {
  const host = await startProviders()
  const begun = await begin(host)
  expect(await atOnce(50, () => begun.browser.open(begun.callback))).toEqual({ 303: 1, 400: 49 })
  expect(host.provider.asked.finish).toHaveLength(1)
})

it('takes no answer after ten minutes, nor one that was begun with another provider', async () => {
  const other = fakeProvider({ id: 'other', name: 'Other' })
  const provider = fakeProvider()
  const host = await startProviders({ provider, providers: { list: [provider, other] } })
  const begun = await begin(host)
  const elsewhere = begun.callback.replace('/fake/', '/other/')
  expect((await begun.browser.open(elsewhere)).status).toBe(400)
  expect(other.asked.finish).toEqual([])
  host.clock.advance(10 * 60)
  expect((await begun.browser.open(begun.callback)).status).toBe(400)
})

it('takes no state but its own, however long, and no parameter twice', async () => {
  const host = await startProviders()
  const { browser: used, callback } = await begin(host)
  const path = '/auth/providers/fake/callback'
  for (const query of ['', '?state=', `?state=${'a'.repeat(43)}`, `?state=${'a'.repeat(10_000)}`])
    expect((await used.open(path + query)).status, query.slice(0, 20)).toBe(400)
  expect((await used.open(`${callback}&state=b`)).status).toBe(400)
  const huge = `state=a&SAMLResponse=${'a'.repeat(300_000)}`
  const posted = await post(host, path).type('form').send(huge)
  expect(posted.status).toBe(413)
})

it('gives a session only to whoever has the verifier, once', async () => {
  const host = await startProviders()
  await connected(host)
  const { ticket, codeVerifier } = await ticketOf(host)
  const { codeVerifier: anothers } = await ticketOf(host)
  await finish(host, { ticket, codeVerifier: anothers }).expect(400)
  await finish(host, { ticket }).expect(400)
  const once = () => finish(host, { ticket, codeVerifier })
  const statuses = await atOnce(50, once)
  expect(statuses[200]).toBe(1)
  expect((statuses[200] ?? 0) + (statuses[400] ?? 0) + (statuses[429] ?? 0)).toBe(50)
  const sessions = host.events.filter(({ type }) => type === 'login.succeeded')
  expect(sessions).toHaveLength(1)
})

it('forgets a ticket after two minutes, and after five tries', async () => {
  const host = await startProviders()
  await connected(host)
  const late = await ticketOf(host)
  host.clock.advance(2 * 60)
  await finish(host, late).expect(400)
  const guessed = await ticketOf(host)
  for (let tries = 0; tries < 5; tries += 1)
    await finish(host, { ...guessed, codeVerifier: 'a'.repeat(43) }).expect(400)
  await finish(host, guessed).expect(400)
})

it('never signs in by an address or a name', async () => {
  const host = await startProviders()
  host.users.add({ id: 'u-ada', username: 'ada', email: ada.email ?? '', emailVerified: true })
  await connected(host)
  const { provider } = host
  const others = [
    { ...ada, subject: 'ADA-1815' },
    { ...ada, subject: 'ada-1815 ' },
    { ...ada, issuer: 'https://idp.example.com/' },
    { ...ada, issuer: 'https://evil.example.com' },
  ]
  for (const identity of others) {
    provider.answer = { outcome: 'identified', identity }
    expect((await signIn(host)).status, JSON.stringify(identity)).toBe(401)
  }
})

it('connects by no address that one of the two sides has not proven', async () => {
  const provider = fakeProvider({ trustEmail: true })
  const host = await startProviders({ provider })
  host.users.add({ id: 'u-ada', email: 'ada@example.com', emailVerified: true })
  host.users.add({ id: 'u-eve', email: 'eve@example.com', emailVerified: false })
  host.users.add({ id: 'u-off', email: 'off@example.com', emailVerified: true, disabled: true })
  const given = [
    { ...ada, emailVerified: 'true' },
    { ...ada, emailVerified: 1 },
    { ...ada, emailVerified: false },
    { issuer: ada.issuer, subject: ada.subject, email: 'ada@example.com' },
    { ...ada, email: 'Ada@example.com' },
    { ...ada, email: 'ada+a@example.com' },
    { ...ada, email: 'ada@example.com\u0000' },
    { ...ada, email: 'eve@example.com' },
    { ...ada, email: 'off@example.com' },
  ]
  for (const identity of given) {
    provider.answer = { outcome: 'identified', identity: identity as typeof ada }
    expect((await signIn(host)).status, JSON.stringify(identity)).toBe(401)
  }
  expect(await host.stores.identities.find('fake', ada.subject)).toBeNull()
  provider.answer = { outcome: 'identified', identity: { ...ada, email: 'ada@EXAMPLE.com' } }
  expect((await signIn(host)).status).toBe(200)
})

it('is not misled by a polluted Object.prototype', async () => {
  const provider = fakeProvider({ trustEmail: true })
  const host = await startProviders({ provider })
  host.users.add({ id: 'u-ada', email: 'ada@example.com', emailVerified: true })
  const { issuer, subject } = ada
  provider.answer = { outcome: 'identified', identity: { issuer, subject } }
  const polluted = { email: 'ada@example.com', emailVerified: true, linkTo: { userId: 'u-ada' } }
  for (const [name, value] of Object.entries(polluted))
    Object.defineProperty(Object.prototype, name, { value, configurable: true })
  try {
    expect((await signIn(host)).status).toBe(401)
  } finally {
    for (const name of Object.keys(polluted)) Reflect.deleteProperty(Object.prototype, name)
  }
})

const onlyRoot: ProvidersOptions['passwordFor'] = ({ username }) => username === 'root'

it.each([
  [403, 'nobody may use one', {}],
  [401, 'others may', { passwordFor: onlyRoot }],
])('answers %i to a right and to a wrong password alike, if %s', async (told, _who, given) => {
  // More than the limit of wrong passwords: a right one that did not count would tell.
  const answersTo = async (text: string) => {
    const host = await startProviders({ providers: { only: true, ...given } })
    const answers = []
    for (let times = 0; times < 12; times += 1) {
      const answer = await post(host, '/login', { username: 'alice', password: text })
      const { status, body, headers } = answer
      const limits = Object.entries(headers).filter(([name]) => /ratelimit|retry/.test(name))
      answers.push({ status, body, limits })
    }
    return answers
  }
  const right = await answersTo(password)
  expect(right[0]?.status).toBe(told)
  expect(right).toEqual(await answersTo('wrong'))
})

/** Alice begins to connect an account. */
async function beginLink(host: ProviderHost, headers: Record<string, string>, body: object = {}) {
  const { codeVerifier, codeChallenge } = pkcePair()
  const asked = { returnTo, codeChallenge, ...body }
  const { body: told } = await post(host, '/auth/identities/fake', asked, headers).expect(200)
  return { codeVerifier, ...(await lead(host, told.data.url, browser(host))) } as Begun
}

const link = (host: ProviderHost, body: object, headers: Record<string, string>) =>
  post(host, '/auth/identities', body, headers)

it('connects nothing without a fresh sign-in', async () => {
  const host = await startProviders()
  const headers = bearer((await logIn(host)).authToken as string)
  host.clock.advance(11 * 60)
  const { codeChallenge } = pkcePair()
  const asked = await post(host, '/auth/identities/fake', { returnTo, codeChallenge }, headers)
  expect(asked).toMatchObject({ status: 403, body: { error: 'reauthentication-required' } })
  await post(host, '/auth/identities/fake', { returnTo, codeChallenge }).expect(401)
})

it('connects only with the session that has asked, while it lives', async () => {
  const host = await startProviders()
  const first = bearer((await logIn(host)).authToken as string)
  const second = bearer((await logIn(host)).authToken as string)
  const begun = await beginLink(host, first)
  const { ticket } = await comeBack(begun)
  const { codeVerifier } = begun
  await link(host, { ticket, codeVerifier }, second).expect(400)
  await finish(host, { ticket, codeVerifier }).expect(400)
  await post(host, '/logout', {}, first)
  await link(host, { ticket, codeVerifier }, first).expect(401)
  expect(await host.stores.identities.listForUser('u-alice')).toEqual([])
})

it('connects no ticket of a sign-in, and signs in by no ticket of a connection', async () => {
  const host = await startProviders()
  await connected(host)
  const headers = bearer((await logIn(host)).authToken as string)
  await link(host, await ticketOf(host), headers).expect(400)
  const begun = await beginLink(host, headers)
  const { ticket } = await comeBack(begun)
  await finish(host, { ticket, codeVerifier: begun.codeVerifier }).expect(400)
})

it('never moves an account from one user to another', async () => {
  const host = await startProviders()
  host.users.add({ id: 'u-bob', email: 'bob@example.com' })
  await connected(host, 'u-bob')
  const headers = bearer((await logIn(host)).authToken as string)
  const begun = await beginLink(host, headers)
  const { ticket } = await comeBack(begun)
  const refused = await link(host, { ticket, codeVerifier: begun.codeVerifier }, headers)
  expect(refused).toMatchObject({ status: 409, body: { error: 'identity-in-use' } })
  expect((await host.stores.identities.find('fake', ada.subject))?.userId).toBe('u-bob')
})

it('lets neither a disabled user in, nor one whom the host refuses', async () => {
  const host = await startProviders({
    options: { beforeLogin: ({ door, user }) => (user.id === 'u-no' ? `no ${door}` : undefined) },
  })
  host.users.add({ id: 'u-no' })
  await connected(host)
  host.users.change('u-alice', { disabled: true })
  expect((await signIn(host)).body.error).toBe('Unauthorized')
  await connected(host, 'u-no', { ...ada, subject: 'no' })
  host.provider.answer = { outcome: 'identified', identity: { ...ada, subject: 'no' } }
  expect((await signIn(host)).body).toMatchObject({ error: 'forbidden', message: 'no provider' })
})

it('lets a session be, that is opened while its account is disconnected, for no moment', async () => {
  const host = await startProviders()
  await connected(host)
  const asked = await ticketOf(host)
  const { create } = host.stores.sessions
  host.stores.sessions.create = async (session) => {
    await host.stores.identities.unlinkAllForUser('u-alice')
    await create(session)
  }
  await finish(host, asked).expect(401)
  const left = await host.stores.sessions.listForUser('u-alice', host.clock())
  expect(left).toEqual([])
})

it('makes one user of 20 sign-ins of a stranger at once', async () => {
  const provider = fakeProvider({ trustEmail: true })
  const host = await startProviders({ provider, providers: { unknown: 'create' } })
  const tickets = await Promise.all(Array.from({ length: 20 }, () => ticketOf(host)))
  const answers = await Promise.all(tickets.map((asked) => finish(host, asked)))
  expect(answers.some(({ status }) => status === 200)).toBe(true)
  const made = [...host.users.rows.values()].filter(({ email }) => email === ada.email)
  expect(made).toHaveLength(1)
  const identity = await host.stores.identities.find('fake', ada.subject)
  expect(identity?.userId).toBe(made[0]?.id)
})

it('gives a new user no address that is unproven', async () => {
  for (const given of [{ emailVerified: false }, { email: 'no address' }]) {
    const provider = fakeProvider({ trustEmail: true })
    const host = await startProviders({ provider, providers: { unknown: 'create' } })
    provider.answer = { outcome: 'identified', identity: { ...ada, ...given } }
    const { userId } = (await signIn(host)).body.data
    expect(host.users.rows.get(userId)?.email).toBeNull()
  }
})

it('takes a new user back whose account was connected elsewhere meanwhile', async () => {
  const host = await startProviders({ providers: { unknown: 'create' } })
  const { create } = host.users
  host.users.create = async (user) => {
    await connected(host)
    return create.call(host.users, user)
  }
  const { status } = await signIn(host)
  expect(status).toBe(409)
  expect([...host.users.rows.keys()]).toEqual(['u-alice'])
})

it('answers 503, and signs nobody in, while a store or a provider is away', async () => {
  const host = await startProviders()
  await connected(host)
  const asked = await ticketOf(host)
  const { find } = host.stores.identities
  host.stores.identities.find = () => Promise.reject(new Error('away'))
  await finish(host, asked).expect(503)
  host.stores.identities.find = find
  await finish(host, asked).expect(200)
  host.provider.answer = { outcome: 'identified', identity: { ...ada, subject: '' } }
  expect(await comeBack(await begin(host))).toMatchObject({ error: 'temporarily_unavailable' })
})

it('sends no browser anywhere but to a site', async () => {
  for (const url of [
    'javascript:alert(1)',
    'http://evil.example.com/',
    '//evil',
    'data:text/html,',
  ]) {
    const provider = fakeProvider({ start: async () => ({ url, keep: {} }) })
    const host = await startProviders({ provider })
    const { codeChallenge } = pkcePair()
    const { body } = await post(host, '/auth/providers/fake/start', { returnTo, codeChallenge })
    const opened = await browser(host).open(body.data.url)
    expect(opened.status, url).toBe(503)
    expect(opened.headers['location']).toBeUndefined()
  }
})

it('opens no address of a start that is not its own, or older than ten minutes', async () => {
  const host = await startProviders()
  const used = browser(host)
  const path = '/auth/providers/fake/open'
  for (const query of ['', '?request=', `?request=${'a'.repeat(9000)}`, '?request=v1.a.b.c'])
    expect((await used.open(path + query)).status).toBe(400)
  const { codeChallenge } = pkcePair()
  const { body } = await post(host, '/auth/providers/fake/start', { returnTo, codeChallenge })
  host.clock.advance(11 * 60)
  expect((await used.open(body.data.url)).status).toBe(400)
  await get(host, '/auth/providers/none/open?request=a').expect(404)
})

it('leads no more than a thousand browsers of a network an hour to a provider', async () => {
  const host = await startProviders({
    options: { throttle: { mail: { network: { points: 1, duration: 3600 } } } },
  })
  const { codeChallenge } = pkcePair()
  const { body } = await post(host, '/auth/providers/fake/start', { returnTo, codeChallenge })
  const statuses = await atOnce(51, () => browser(host).open(body.data.url))
  expect(statuses).toEqual({ 303: 50, 429: 1 })
})

it('makes no user whom the host objects to', async () => {
  const { accounts } = accountsOptions()
  const host = await startProviders({
    provider: fakeProvider({ trustEmail: true }),
    providers: { unknown: 'create' },
    options: {
      accounts: {
        ...(accounts as AccountsOptions),
        beforeRegister: ({ email }) => (email === ada.email ? 'Staff only.' : undefined),
      },
    },
  })
  const before = host.users.rows.size
  expect((await signIn(host)).body).toMatchObject({ error: 'forbidden', message: 'Staff only.' })
  expect(host.users.rows.size).toBe(before)
  expect(await host.stores.identities.find('fake', ada.subject)).toBeNull()
})
