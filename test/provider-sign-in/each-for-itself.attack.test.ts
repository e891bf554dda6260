// One provider of a list is hostile, or was broken into: what it says counts for its own accounts.
import { expect, it } from 'vitest'
import type { OtherFactor } from '../../src/index.js'
import type { Identity, Provider } from '../../src/providers/contract.js'
import { bearer, get, logIn, pkcePair, post, remove } from '../support/client.js'
import { password } from '../support/host.js'
import {
  ada,
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

const fresh = 'reauthentication-required'

/** A host with the provider `fake` and a second one, each of which says that it is ada. */
async function startTwo(
  second: Partial<Provider> = {},
  { first = {}, ...settings }: Parameters<typeof startProviders>[0] & { first?: object } = {},
) {
  const one = fakeProvider(first)
  const other = fakeProvider({ id: 'other', name: 'Other', ...second })
  const { providers, ...more } = settings
  const host = await startProviders({
    ...more,
    provider: one,
    providers: { list: [one, other], ...providers },
  })
  return { host, byOther: { ...host, provider: other } as ProviderHost }
}

const says = ({ provider }: ProviderHost, identity: Partial<Identity>) => {
  provider.answer = { outcome: 'identified', identity: { ...ada, ...identity } }
}

/** Alice connects what the provider says, while she is signed in. */
async function connect(host: ProviderHost, userId = 'u-alice') {
  const username = userId.slice(2)
  const headers = bearer((await logIn(host, { username, password })).authToken as string)
  const { codeVerifier, codeChallenge } = pkcePair()
  const path = `/auth/identities/${host.provider.id}`
  const { body } = await post(host, path, { returnTo, codeChallenge }, headers).expect(200)
  const led = await lead(host, body.data.url, browser(host))
  const { ticket } = await comeBack({ codeVerifier, ...led })
  return post(host, '/auth/identities', { ticket, codeVerifier }, headers)
}

const refusals = ({ events }: ProviderHost) =>
  events.flatMap((event) => (event.type === 'provider.refused' ? [event.reason] : []))

it('signs nobody in who is connected at another provider, whatever issuer it names', async () => {
  const options = { secondFactor: { acceptHostMfa: true } } as const
  const { host, byOther } = await startTwo({ acceptMfa: true }, { options })
  await connected(host)
  says(byOther, { amr: ['mfa'] })
  expect((await signIn(byOther)).status).toBe(401)
  expect((await signIn(host)).body.data.userId).toBe('u-alice')
})

it('takes no account of another provider before its owner comes', async () => {
  const { host, byOther } = await startTwo()
  host.users.add({
    ...host.users.rows.get('u-alice'),
    id: 'u-bob',
    username: 'bob',
    email: 'b@b.example',
  })
  await connect(byOther, 'u-bob').then(({ status }) => expect(status).toBe(200))
  await connect(host).then(({ status }) => expect(status).toBe(200))
  expect((await signIn(host)).body.data.userId).toBe('u-alice')
  expect((await signIn(byOther)).body.data.userId).toBe('u-bob')
})

it('gives a subject of one issuer to nobody whom another issuer names so', async () => {
  const host = await startProviders({ provider: fakeProvider({ trustEmail: true }) })
  await connected(host)
  says(host, { issuer: 'https://moved.example.com' })
  expect((await signIn(host)).status).toBe(401)
  expect(refusals(host)).toEqual(['wrong-issuer'])
  expect((await connect(host)).body.error).toBe('identity-in-use')
})

it('shares the accounts of another provider where the host says so, with its issuer alone', async () => {
  const { host, byOther } = await startTwo({ sameAccountsAs: 'fake' })
  expect((await connect(byOther)).status).toBe(200)
  for (const by of [host, byOther]) expect((await signIn(by)).body.data.userId).toBe('u-alice')
  says(byOther, { issuer: 'https://evil.example.com' })
  expect((await signIn(byOther)).status).toBe(401)
})

it('proves no address of a new user without trustEmail: a provider with it merges with nobody', async () => {
  const { host, byOther } = await startTwo(
    { trustEmail: true },
    { providers: { unknown: 'create' } },
  )
  const made = (await signIn(host)).body.data.userId
  expect(host.users.rows.get(made)).toMatchObject({ email: null, emailVerified: false })
  says(byOther, { username: 'countess' })
  const owner = (await signIn(byOther)).body.data.userId
  expect(host.users.rows.get(owner)).toMatchObject({ email: ada.email, emailVerified: true })
  expect(owner).not.toBe(made)
  expect((await signIn(host)).body.data.userId).toBe(made)
})

it('makes no second account of somebody whose address has one', async () => {
  const host = await startProviders({ providers: { unknown: 'create' } })
  says(host, { email: 'alice@example.com' })
  expect((await signIn(host)).status).toBe(401)
  expect(refusals(host)).toEqual(['address-taken'])
})

it('connects by an address nothing that was disconnected, nor of ten at the same moment; by hand it does', async () => {
  const host = await startProviders({ provider: fakeProvider({ trustEmail: true }) })
  host.users.change('u-alice', { emailVerified: true })
  says(host, { email: 'alice@example.com' })
  const headers = bearer((await signIn(host)).body.data.authToken)
  const { body } = await get(host, '/auth/identities', headers)
  const byPassword = bearer((await logIn(host)).authToken as string)
  await remove(host, `/auth/identities/${body.data.identities[0].id}`, byPassword).expect(200)
  const again = await Promise.all(Array.from({ length: 10 }, () => signIn(host)))
  expect(again.map(({ status }) => status)).toEqual(Array(10).fill(401))
  expect((await connect(host)).status).toBe(200)
  expect((await signIn(host)).status).toBe(200)
})

it.each(['vetoed', 'disabled'])('connects and makes nobody whose sign-in is %s', async (why) => {
  for (const unknown of ['refuse', 'create'] as const) {
    const beforeLogin = ({ door }: { door: string }) => (door === 'provider' ? 'No.' : undefined)
    const options = why === 'vetoed' ? { beforeLogin } : {}
    const provider = fakeProvider({ trustEmail: true })
    const host = await startProviders({ provider, providers: { unknown }, options })
    const { create } = host.users
    if (why === 'disabled')
      host.users.create = async (user) => {
        const made = await create.call(host.users, user)
        if (made.outcome === 'created') host.users.change(made.user.id, { disabled: true })
        return made.outcome === 'created'
          ? { ...made, user: { ...made.user, disabled: true } }
          : made
      }
    host.users.add({ id: 'u-bob', email: 'bob@example.com', emailVerified: true })
    if (unknown === 'refuse') says(host, { email: 'bob@example.com' })
    const users = [...host.users.rows.keys()]
    if (why === 'disabled') host.users.change('u-bob', { disabled: true })
    expect((await signIn(host)).status).toBe(why === 'vetoed' ? 403 : 401)
    expect([...host.users.rows.keys()]).toEqual(users)
    expect(await host.stores.identities.find('fake', ada.subject)).toBeNull()
    const types = host.events.map(({ type }) => type)
    expect(types).not.toContain('identity.linked')
    expect(types).not.toContain('account.registered')
  }
})

it('connects by a ticket once, of five at the same moment, and makes one user of it', async () => {
  const host = await startProviders({ providers: { unknown: 'create' } })
  const before = host.users.rows.size
  const begun = await begin(host)
  const { ticket } = await comeBack(begun)
  const { codeVerifier } = begun
  const names = Array.from({ length: 5 }, (_none, index) => `countess${index}`)
  const answers = await Promise.all(
    names.map((username) => finish(host, { ticket, codeVerifier, username })),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(host.users.rows.size).toBe(before + 1)
  expect(host.events.filter(({ type }) => type === 'identity.linked')).toHaveLength(1)
  expect(host.events.filter(({ type }) => type === 'account.registered')).toHaveLength(1)
})

it('keeps a new user whom the host gives a factor at once, until the code is right', async () => {
  const sms: OtherFactor = {
    name: 'sms',
    isEnabled: async ({ id }) => id !== 'u-alice',
    verify: async (_user, code) => ({ outcome: code === '4711' ? 'accepted' : 'refused' }),
  }
  const host = await startProviders({
    providers: { unknown: 'create' },
    options: { otherFactors: [sms] },
  })
  const begun = await begin(host)
  const { ticket } = await comeBack(begun)
  const asked = { ticket, codeVerifier: begun.codeVerifier }
  const due = await finish(host, asked)
  expect(due.body.error).toBe('totp-required')
  const size = host.users.rows.size
  await finish(host, { ...asked, code: '4711' }).expect(200)
  expect(host.users.rows.size).toBe(size)
})

/** Whether a session may do what takes a fresh sign-in. */
async function isFresh(host: ProviderHost) {
  const headers = bearer((await signIn(host)).body.data.authToken)
  const { codeChallenge } = pkcePair()
  const asked = await post(host, '/auth/identities/fake', { returnTo, codeChallenge }, headers)
  if (asked.status !== 200) expect(asked.body.error).toBe(fresh)
  return asked.status === 200
}

it.each<[is: string, minutesAgo: number | null, provesAge: boolean, expected: boolean]>([
  ['of now', 0, true, true],
  ['of nine minutes ago', 9, true, true],
  ['of eleven minutes ago', 11, true, false],
  ['of last year', 525_600, true, false],
  ['in the future', -5, true, true],
  ['of an age that is not said, by one that says it,', null, true, false],
  ['of an age that is not said, by one that cannot,', null, false, true],
  ['of last year, by one that need not say it,', 525_600, false, false],
])(
  'a sign-in there %s is fresh or not: %s, %s, %s',
  async (_is, minutesAgo, provesAge, expected) => {
    const host = await startProviders({ provider: fakeProvider({ provesAge }) })
    await connected(host)
    const at = (minutes: number) => new Date(host.clock().getTime() - minutes * 60_000)
    says(host, minutesAgo === null ? {} : { authenticatedAt: at(minutesAgo) })
    expect(await isFresh(host)).toBe(expected)
    const sessions = await host.stores.sessions.listForUser('u-alice', host.clock())
    for (const { authenticatedAt, createdAt } of sessions)
      expect(authenticatedAt <= createdAt && authenticatedAt >= at(60)).toBe(true)
  },
)

it('lives half an hour at least where sessions live for one, however old the sign-in there', async () => {
  const lifetimes = { sessionAbsolute: 3600, sessionIdle: 3600, accessToken: 600 }
  const host = await startProviders({
    provider: fakeProvider({ provesAge: true }),
    options: { lifetimes },
  })
  await connected(host)
  const headers = bearer((await signIn(host)).body.data.authToken)
  host.clock.advance(29 * 60)
  await get(host, '/me', headers).expect(200)
})

it('asks the provider for the age that a client wants', async () => {
  const host = await startProviders()
  const { codeChallenge } = pkcePair()
  const asked = { returnTo, codeChallenge }
  for (const maxAge of [0, 600]) {
    const { body } = await post(host, '/auth/providers/fake/start', { ...asked, maxAge })
    await lead(host, body.data.url, browser(host))
  }
  const { body } = await post(host, '/auth/providers/fake/start', asked)
  await lead(host, body.data.url, browser(host))
  const ages = host.provider.asked.start.map((flow) => (flow as { maxAge?: number }).maxAge)
  expect(ages).toEqual([0, 600, undefined])
  for (const maxAge of [-1, 0.5, '600', 1e12])
    await post(host, '/auth/providers/fake/start', { ...asked, maxAge }).expect(400)
})
