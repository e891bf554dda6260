import { describe, expect, it } from 'vitest'
import { totpCode } from '../../../src/testing/testing.js'
import { ada, fakeProvider } from '../../provider-sign-in/provider-host.js'
import { password, totpSecret } from '../../support/host.js'
import { queryOf, recoveryCodes, wiki } from './mounted-host.js'
import {
  callbackOf,
  comeBack,
  connect,
  decide,
  leave,
  linkIn,
  signInAt,
  startProviderPages,
} from './provider-visits.js'
import { formOf, openVisitor, type PageAnswer, wayTo } from './visitor.js'

const isSignedIn = (page: PageAnswer) => {
  expect(page.status, page.heading).toBe(200)
  expect(wayTo(page)?.searchParams.get('code')).toMatch(/^mar_oc_/)
}
const unknownUser = { ...ada, subject: 'grace', username: 'grace', email: 'grace@example.com' }

describe('Signing in with the account of a provider, on the pages', () => {
  it('is a link below the form, and signs in whoever is connected', async () => {
    const host = await startProviderPages()
    await connect(host, 'u-alice')
    const hints = { login_hint: 'ada@example.com', prompt: 'login', max_age: '60' }
    const { page, there } = await comeBack(host, undefined, signInAt(host, hints))
    isSignedIn(page)
    expect(there.headers.location).toContain('https://idp.example.com/authorize?state=')
    expect(there.headers['referrer-policy']).toBe('same-origin')
    expect(host.provider.asked.start).toMatchObject([
      { loginHint: 'ada@example.com', prompt: 'login', maxAge: 60 },
    ])
    const [session] = await host.stores.sessions.listForUser('u-alice', host.clock())
    expect(session?.methods).toEqual(['host'])
  })

  it('goes straight there with the parameter provider, and back to the form after a refusal', async () => {
    const host = await startProviderPages()
    await connect(host, 'u-alice')
    const visitor = openVisitor(host)
    const there = await visitor.open(signInAt(host, { provider: 'fake' }))
    expect(there.headers.location).toContain('https://idp.example.com/authorize?state=')
    host.provider.answer = { outcome: 'refused', reason: 'access-denied' }
    const page = await visitor.open(callbackOf(host, there))
    expect([page.status, page.heading]).toEqual([200, 'Sign in'])
    expect(page.url).toContain('provider=fake')
    host.provider.answer = { outcome: 'identified', identity: ada }
    const again = await visitor.get(linkIn(page, /oauth\/providers\//))
    isSignedIn(await visitor.open(callbackOf(host, again)))
    const other = await openVisitor(host).open(signInAt(host, { provider: 'unknown' }))
    expect(other.heading).toBe('Sign in')
  })

  it('asks for the second factor, and works on with the ticket', async () => {
    const host = await startProviderPages()
    await connect(host, 'u-bob')
    const { page, visitor } = await comeBack(host)
    expect(page.heading).toBe('Confirm that it is you')
    const wrong = await visitor.fill(page, { code: '000000' })
    expect([wrong.status, wrong.heading]).toEqual([422, 'Confirm that it is you'])
    const recovery = await visitor.open(linkIn(wrong, /recovery-code/))
    expect(recovery.heading).toBe('Confirm that it is you')
    isSignedIn(await visitor.fill(wrong, { code: totpCode(totpSecret, host.clock()) }))
    const [session] = await host.stores.sessions.listForUser('u-bob', host.clock())
    expect(session?.methods).toEqual(['host', 'otp'])
  })

  it('takes a recovery code in its place', async () => {
    const host = await startProviderPages()
    await connect(host, 'u-bob')
    const { page, visitor } = await comeBack(host)
    const recovery = await visitor.open(linkIn(page, /recovery-code/))
    isSignedIn(await visitor.fill(recovery, { code: recoveryCodes[0] ?? '' }))
  })

  it('a session that is there skips neither the provider nor the factor', async () => {
    const host = await startProviderPages()
    await connect(host, 'u-bob')
    const visitor = openVisitor(host)
    const page = await visitor.open(signInAt(host))
    isSignedIn(await visitor.fill(page, { username: 'alice', password }))
    const back = await comeBack(host, visitor, signInAt(host, { prompt: 'login' }))
    expect(back.page.heading).toBe('Confirm that it is you')
    isSignedIn(await visitor.fill(back.page, { code: totpCode(totpSecret, host.clock()) }))
    expect(await host.stores.sessions.listForUser('u-alice', host.clock())).toEqual([])
  })

  it('tells a stranger that the account is not connected, and leads back', async () => {
    const host = await startProviderPages()
    const { page, visitor } = await comeBack(host)
    expect([page.status, page.heading]).toEqual([403, 'This does not work'])
    expect(page.text).toContain('Example Ltd')
    const again = await visitor.open(linkIn(page, /oauth\/sign-in/))
    expect(again.heading).toBe('Sign in')
  })

  it('shows what allowed has to say, and the way back', async () => {
    const allowed = () => 'Guests ask <Ada> first.'
    const provider = fakeProvider({ name: 'Example Ltd', allowed })
    const host = await startProviderPages({}, {}, { provider })
    const { page } = await comeBack(host)
    expect(page.status).toBe(403)
    expect(page.text).toContain('Guests ask &lt;Ada&gt; first.')
    expect(linkIn(page, /oauth\/sign-in/)).toContain('client_id=wiki')
  })

  it('shows what beforeLogin has to say, and nothing of a user who is disabled', async () => {
    const beforeLogin = async () => 'Not on Sundays.'
    const host = await startProviderPages({}, { beforeLogin })
    await connect(host, 'u-alice')
    const { page } = await comeBack(host)
    expect([page.status, page.heading]).toEqual([403, 'Sign in'])
    expect(page.text).toContain('Not on Sundays.')
    const other = await startProviderPages(
      {},
      {},
      {
        users: (users) => users.add({ ...users.rows.get('u-alice'), id: 'u-off', disabled: true }),
      },
    )
    await connect(other, 'u-off')
    const { page: off } = await comeBack(other)
    expect([off.status, off.heading]).toEqual([403, 'Sign in'])
    expect(off.text).toContain('This sign-in is not allowed.')
  })

  it('an outage of the provider is told, and the way back', async () => {
    const host = await startProviderPages()
    const { visitor, callback } = await leave(host)
    host.provider.answer = async () => {
      throw new Error('away')
    }
    const page = await visitor.open(callback)
    expect(page.status).toBe(503)
    expect(linkIn(page, /oauth\/sign-in/)).toContain('client_id=wiki')
  })
})

describe('unknown: create', () => {
  it('makes a user, and asks for another name where it is taken', async () => {
    const host = await startProviderPages({ unknown: 'create' })
    host.provider.answer = {
      outcome: 'identified',
      identity: { ...unknownUser, username: 'alice' },
    }
    const { page, visitor } = await comeBack(host)
    expect(page.heading).toBe('Choose a user name')
    expect(page.text).toContain('value="alice"')
    // Once more by its address: the suggestion stays.
    const reloaded = await visitor.open(page.url)
    expect(reloaded.text).toContain('value="alice"')
    const taken = await visitor.fill(reloaded, { username: 'bob' })
    expect([taken.status, taken.heading]).toEqual([422, 'Choose a user name'])
    expect(taken.text).toContain('value="bob"')
    isSignedIn(await visitor.fill(taken, { username: 'grace' }))
    const row = await host.stores.identities.find('fake', 'grace')
    expect(host.users.rows.get(row?.userId ?? '')?.username).toBe('grace')
  })

  it('a name that cannot be one is asked for again', async () => {
    const host = await startProviderPages({ unknown: 'create' })
    host.provider.answer = {
      outcome: 'identified',
      identity: { ...unknownUser, username: 'alice' },
    }
    const { page, visitor } = await comeBack(host)
    for (const username of ['', ' ', 'un\u200bseen', 'x'.repeat(500)]) {
      const again = await visitor.fill(page, { username })
      expect([again.status, again.heading]).toEqual([422, 'Choose a user name'])
    }
  })
})

describe('unknown: connect', () => {
  const connecting = () => startProviderPages({ unknown: 'connect' })
  const owner = async ({ stores }: Awaited<ReturnType<typeof connecting>>) =>
    (await stores.identities.find('fake', ada.subject))?.userId

  it('asks to sign in once as usual, and connects by a password', async () => {
    const host = await connecting()
    const { page, visitor } = await comeBack(host)
    expect(page.heading).toBe('Sign in')
    expect(page.text).toContain('connect <bdi>ada@example.com</bdi> (<bdi>Example Ltd</bdi>)')
    const wrong = await visitor.fill(page, { username: 'alice', password: 'wrong' })
    expect(wrong.status).toBe(422)
    expect(await owner(host)).toBeUndefined()
    const asked = await visitor.fill(wrong, { username: 'alice', password })
    expect(asked.text).toMatch(
      /ada@example.com<\/bdi> \(<bdi>Example Ltd<\/bdi>\) with <bdi>Alice/i,
    )
    expect(await owner(host)).toBeUndefined()
    isSignedIn(await decide(visitor, asked))
    expect(await owner(host)).toBe('u-alice')
    isSignedIn((await comeBack(host)).page)
  })

  it('connects nothing where the user says not now, and does not ask again', async () => {
    const host = await connecting()
    const { page, visitor } = await comeBack(host)
    const asked = await visitor.fill(page, { username: 'alice', password })
    isSignedIn(await decide(visitor, asked, 'later'))
    expect(await owner(host)).toBeUndefined()
    const { status, headers } = await visitor.get(signInAt(host))
    expect([status, headers.location]).toEqual([303, expect.stringContaining('code=mar_oc_')])
  })

  it('leads whoever finds the page of somebody else to a sign-in without it', async () => {
    const host = await connecting()
    const { page, visitor } = await comeBack(host)
    const [, other = ''] = /href="([^"]+)">This is somebody else/.exec(page.text) ?? []
    const own = await visitor.open(other.replaceAll('&amp;', '&'))
    expect(own.text).not.toContain('ada@example.com')
    isSignedIn(await visitor.fill(own, { username: 'alice', password }))
    expect(await owner(host)).toBeUndefined()
  })

  it('tells that somebody else was connected with it meanwhile', async () => {
    const host = await connecting()
    const { page, visitor } = await comeBack(host)
    const asked = await visitor.fill(page, { username: 'alice', password })
    await connect(host, 'u-dora')
    const refused = await decide(visitor, asked)
    expect([refused.status, await owner(host)]).toEqual([409, 'u-dora'])
    isSignedIn(await visitor.open(linkIn(refused, /oauth\/authorize/)))
  })

  it('connects after the second factor, and not before', async () => {
    const host = await connecting()
    const { page, visitor } = await comeBack(host)
    const factor = await visitor.fill(page, { username: 'bob', password })
    expect(factor.heading).toBe('Confirm that it is you')
    expect(await owner(host)).toBeUndefined()
    const asked = await visitor.fill(factor, { code: totpCode(totpSecret, host.clock()) })
    expect(await owner(host)).toBeUndefined()
    isSignedIn(await decide(visitor, asked))
    expect(await owner(host)).toBe('u-bob')
  })

  it('a session that is there does not skip it', async () => {
    const host = await connecting()
    const visitor = openVisitor(host)
    isSignedIn(
      await visitor.fill(await visitor.open(signInAt(host)), { username: 'dora', password }),
    )
    const { page } = await comeBack(host, visitor, signInAt(host, { prompt: 'login' }))
    expect(page.heading).toBe('Sign in')
    expect(await owner(host)).toBeUndefined()
    const asked = await visitor.fill(page, { username: 'alice', password })
    isSignedIn(await decide(visitor, asked))
    expect(await owner(host)).toBe('u-alice')
  })

  it('a user without the factor that must be is not connected by a password alone', async () => {
    const host = await connecting()
    const { page, visitor } = await comeBack(host)
    await visitor.fill(page, { username: 'carol', password })
    expect(await owner(host)).toBeUndefined()
  })

  it('goes on where the ticket is too old by then', async () => {
    const host = await connecting()
    const { page, visitor } = await comeBack(host)
    host.clock.advance(11 * 60)
    isSignedIn(await visitor.fill(page, { username: 'alice', password }))
    expect(await owner(host)).toBeUndefined()
  })
})

describe('only: true', () => {
  it('has no password field, and no link of passwords', async () => {
    const host = await startProviderPages({ only: true })
    const { page } = await leave(host)
    expect(page.text).not.toContain('type="password"')
    expect(page.text).not.toContain('forgot')
    expect(linkIn(page, /oauth\/providers\/fake/)).not.toBe('')
  })

  it('folds them for those of passwordFor', async () => {
    const host = await startProviderPages({ only: true, passwordFor: ({ id }) => id === 'u-dora' })
    const visitor = openVisitor(host)
    const page = await visitor.open(signInAt(host))
    expect(page.text.indexOf('oauth/providers/fake')).toBeLessThan(page.text.indexOf('<details>'))
    const refused = await visitor.fill(page, { username: 'alice', password })
    expect(refused.status).toBe(422)
    expect(refused.text).toContain('<details open>')
    isSignedIn(await visitor.fill(refused, { username: 'dora', password }))
  })
})

describe('The logo of a provider', () => {
  it('is a file of ours, named by its content', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>'
    const logo = { type: 'image/svg+xml', body: svg } as const
    const host = await startProviderPages({}, {}, { provider: fakeProvider({ logo }) })
    const visitor = openVisitor(host)
    const page = await visitor.open(signInAt(host))
    const [, src = ''] = /<img src="([^"]*provider-fake-[^"]*)"/.exec(page.text) ?? []
    const { status, headers, text } = await visitor.get(src)
    expect([status, text]).toEqual([200, svg])
    expect(headers['content-security-policy']).toContain('sandbox')
    expect(page.text).not.toContain('<svg')
  })
})

describe('The page of other accounts', () => {
  async function signedIn() {
    const host = await startProviderPages()
    const visitor = openVisitor(host)
    const page = await visitor.open(`${host.base}/account`)
    const account = await visitor.fill(page, { username: 'alice', password })
    const identities = await visitor.open(linkIn(account, /account\/identities/))
    expect(identities.heading).toBe('Other accounts')
    return { host, visitor, identities }
  }

  it('connects an account, lists it, and disconnects it', async () => {
    const { host, visitor, identities } = await signedIn()
    const leaving = await visitor.fill(identities, { choice: 'connect fake' })
    expect(leaving.heading).toBe('One moment')
    expect(wayTo(leaving)?.host).toBe('idp.example.com')
    const back = await visitor.open(callbackOf(host, leaving))
    expect(back.heading).toBe('Other accounts')
    expect(back.url).not.toContain('ticket')
    expect(back.text).toContain('ada@example.com')
    const none = await visitor.fill(back, { choice: `disconnect ${idIn(back)}`, sure: 'yes' })
    expect(none.text).toContain('You have connected no other account.')
  })

  it('does not take the only way in, and says so', async () => {
    const { host, visitor, identities } = await signedIn()
    const leaving = await visitor.fill(identities, { choice: 'connect fake' })
    const back = await visitor.open(callbackOf(host, leaving))
    host.users.change('u-alice', { passwordHash: null })
    const last = await visitor.fill(back, { choice: `disconnect ${idIn(back)}`, sure: 'yes' })
    expect(last.status).toBe(409)
    expect(last.text).toContain('Your only way in cannot be removed.')
    expect(last.text).toContain('ada@example.com')
  })

  it('tells that an account is somebody else’s', async () => {
    const { host, visitor, identities } = await signedIn()
    await connect(host, 'u-dora')
    const leaving = await visitor.fill(identities, { choice: 'connect fake' })
    const back = await visitor.open(callbackOf(host, leaving))
    expect(back.status).toBe(409)
    expect(back.text).toContain('Somebody else is connected')
    expect((await host.stores.identities.find('fake', ada.subject))?.userId).toBe('u-dora')
  })

  it('needs a fresh sign-in', async () => {
    const { host, visitor, identities } = await signedIn()
    host.clock.advance(11 * 60)
    const page = await visitor.fill(identities, { choice: 'connect fake' })
    expect(page.heading).toBe('Sign in')
    expect(host.provider.asked.start).toEqual([])
  })

  it('leads back without words after a refusal', async () => {
    const { host, visitor, identities } = await signedIn()
    const leaving = await visitor.fill(identities, { choice: 'connect fake' })
    host.provider.answer = { outcome: 'refused', reason: 'access-denied' }
    expect((await visitor.open(callbackOf(host, leaving))).heading).toBe('Other accounts')
  })

  const idIn = ({ text }: PageAnswer) => /value="disconnect ([^"]+)"/.exec(text)?.[1] ?? ''
})

it('the language that was chosen is there again after the provider', async () => {
  const host = await startProviderPages()
  await connect(host, 'u-bob')
  const visitor = openVisitor(host)
  const page = await visitor.open(`${host.base}/oauth/sign-in?${queryOf(wiki)}&language=de`)
  const there = await visitor.get(linkIn(page, /oauth\/providers\//))
  const back = await visitor.open(callbackOf(host, there))
  expect(back.heading).toBe('Bestätige, dass Du es bist')
  expect(formOf(back).action).toContain('language=de')
})
