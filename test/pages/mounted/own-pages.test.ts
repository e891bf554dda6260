// A page of the host's own sends strangers to the sign-in pages, and gets them back signed in.
import { describe, expect, it } from 'vitest'
import { totpCode } from '../../../src/testing/testing.js'
import { password, totpSecret } from '../../support/host.js'
import { addressOf, enrolmentForm, signIn } from './forms.js'
import { queryOf, recoveryCodes, startMounted, wiki } from './mounted-host.js'
import { accept, openRoom, returnTo, startPasskeyRooms, startRooms } from './own-pages.js'
import { givePasskey, madeFor, signedFor } from './passkey-host.js'
import { openVisitor, type PageAnswer, type Visitor } from './visitor.js'

const alice = { username: 'alice', password }

/** Where the last page leads: to a page of the host's, which the visitor does not follow. */
function goalOf({ status, headers }: PageAnswer) {
  return [status, headers.location]
}

async function headingAt(visitor: Visitor, url: string): Promise<string> {
  return (await visitor.get(url, accept)).heading
}

describe('auth.pages.signInUrl', () => {
  it('is the sign-in page, with the path to go to afterwards', async () => {
    const host = await startRooms()
    const { pages } = host.host().auth
    expect(pages.signInUrl({ returnTo: '/rooms' })).toBe(
      `${host.base}/oauth/sign-in?return_to=/rooms`,
    )
    const path = '/räume?sort=new&q=a+b%2F#5'
    const url = pages.signInUrl({ returnTo: path })
    const visitor = openVisitor(host)
    const last = await visitor.fill(await visitor.open(url), alice)
    expect(goalOf(last)).toEqual([303, new URL(path, host.origin).href])
  })

  it('names no app on its page, and offers no way back to one', async () => {
    const host = await startRooms()
    const page = await openVisitor(host).open(addressOf(host, 'sign-in', returnTo('/rooms')))
    expect([page.status, page.heading]).toEqual([200, 'Sign in'])
    expect(page.text).toContain('to <bdi>Example Chat</bdi>')
    expect(page.text).not.toContain('value="cancel"')
  })
})

describe('a page of the host', () => {
  it('is what the sign-in ends at, with the cookie and without a code', async () => {
    const host = await startRooms()
    const visitor = openVisitor(host)
    const page = await openRoom(visitor, host, '/rooms/5?tab=files')
    expect(page.heading).toBe('Sign in')
    const last = await visitor.fill(page, alice)
    expect(goalOf(last)).toEqual([303, `${host.origin}/rooms/5?tab=files`])
    expect(await headingAt(visitor, `${host.origin}/rooms/5?tab=files`)).toBe('Rooms of u-alice')
    const types = host.host().events.map(({ type }) => type)
    expect(types).toContain('session.started')
    expect(types).not.toContain('code.issued')
  })

  it('comes at once for a browser that is signed in, from an app as well', async () => {
    const host = await startRooms()
    const visitor = openVisitor(host)
    await signIn(visitor, host, 'alice', queryOf(wiki))
    for (const page of ['sign-in', 'authorize', 'consent', 'second-factor'])
      expect(goalOf(await visitor.open(addressOf(host, page, returnTo('/rooms'))))).toEqual([
        303,
        `${host.origin}/rooms`,
      ])
  })

  it.each([
    ['a code', 'second-factor', () => totpCode(totpSecret, new Date())],
    ['a recovery code', 'recovery-code', () => recoveryCodes[0] as string],
  ])('comes after the second factor: %s', async (_what, page, code) => {
    const host = await startRooms()
    const visitor = openVisitor(host)
    const asked = await visitor.fill(await openRoom(visitor, host), { username: 'bob', password })
    expect(asked.heading).toBe('Confirm that it is you')
    const form = await visitor.open(asked.url.replace('/second-factor?', `/${page}?`))
    const given = page === 'second-factor' ? totpCode(totpSecret, host.clock()) : code()
    expect(goalOf(await visitor.fill(form, { code: given }))).toEqual([303, `${host.origin}/rooms`])
    expect(await headingAt(visitor, `${host.origin}/rooms`)).toBe('Rooms of u-bob')
  })

  it('comes after the enrolment of a factor that is demanded, and its recovery codes', async () => {
    const host = await startRooms()
    const visitor = openVisitor(host)
    const page = await visitor.fill(await openRoom(visitor, host), { username: 'carol', password })
    expect(page.heading).toBe('Set up a second factor')
    const codes = await visitor.fill(page, enrolmentForm.typed(page, host) as { code: string })
    expect(codes.heading).toBe('Keep your recovery codes')
    expect(goalOf(await visitor.fill(codes, {}))).toEqual([303, `${host.origin}/rooms`])
    expect(await headingAt(visitor, `${host.origin}/rooms`)).toBe('Rooms of u-carol')
  })

  it('leads whoever has left before the enrolment there again', async () => {
    const host = await startRooms()
    const visitor = openVisitor(host)
    await visitor.fill(await openRoom(visitor, host), { username: 'carol', password })
    const again = await openRoom(visitor, host)
    expect(again.heading).toBe('Sign in')
    const page = await visitor.fill(again, { username: 'carol', password })
    expect(page.heading).toBe('Set up a second factor')
  })

  it('comes after a passkey instead of a password, and after the offer of one', async () => {
    const host = await startPasskeyRooms()
    const visitor = openVisitor(host)
    const passkey = await givePasskey(host, 'u-alice')
    const page = await openRoom(visitor, host)
    const last = await visitor.fill(page, { passkey: signedFor(host, page, passkey) })
    expect(goalOf(last)).toEqual([303, `${host.origin}/rooms`])

    const other = openVisitor(host)
    const typed = { username: 'dora', password, capable: 'yes' }
    const offer = await other.fill(await openRoom(other, host), typed)
    expect(offer.heading).toBe('Add a passkey?')
    const codes = await other.fill(offer, { passkey: madeFor(host, offer) })
    expect(codes.heading).toBe('Keep your recovery codes')
    expect(goalOf(await other.fill(codes, {}))).toEqual([303, `${host.origin}/rooms`])
  })

  it('is not opened by “Cancel”, which leads to the first page of the origin', async () => {
    const host = await startRooms()
    const visitor = openVisitor(host)
    const asked = await visitor.fill(await openRoom(visitor, host), { username: 'bob', password })
    expect(goalOf(await visitor.fill(asked, { choice: 'cancel' }))).toEqual([
      303,
      `${host.origin}/`,
    ])
  })

  it('asks by its own name whether to go on, where somebody else has signed in meanwhile', async () => {
    const host = await startRooms()
    const visitor = openVisitor(host)
    const page = await visitor.fill(await openRoom(visitor, host), { username: 'carol', password })
    await signIn(visitor, host, 'dora')
    const asked = await visitor.fill(page, { code: '000000' })
    expect([asked.status, asked.heading]).toEqual([403, 'Continue?'])
    expect(asked.text).toContain('<bdi>Example Chat</bdi>')
    expect(goalOf(await visitor.fill(asked, { choice: 'continue' }))).toEqual([
      303,
      `${host.origin}/rooms`,
    ])
  })

  it('asks for a sign-in once more where one is wanted that is young, and fills in the name', async () => {
    const host = await startRooms()
    const visitor = openVisitor(host)
    const query = `${returnTo('/rooms')}&max_age=600`
    await visitor.fill(await visitor.open(addressOf(host, 'sign-in', query)), alice)
    expect(goalOf(await visitor.open(addressOf(host, 'sign-in', query)))[0]).toBe(303)
    host.clock.advance(601)
    const page = await visitor.open(addressOf(host, 'sign-in', query))
    expect([page.status, page.heading]).toEqual([200, 'Sign in'])
    expect(page.text).toContain('value="alice"')
    expect(goalOf(await visitor.fill(page, alice))).toEqual([303, `${host.origin}/rooms`])
    // The flow of that sign-in stays in the history, and does not count for ever.
    host.clock.advance(601)
    expect((await visitor.open(addressOf(host, 'sign-in', query))).heading).toBe('Sign in')
  })
})

describe('the list of devices', () => {
  it('shows one browser once, however often it signs in, for pages and apps', async () => {
    const host = await startRooms()
    const visitor = openVisitor(host)
    const listed = () => host.host().auth.sessions.list('u-alice')
    await visitor.fill(await openRoom(visitor, host), alice)
    const [first, ...none] = await listed()
    expect([first?.kind, none]).toEqual(['browser', []])
    await signIn(visitor, host, 'alice', queryOf(wiki))
    const query = `${returnTo('/rooms')}&max_age=0`
    await visitor.fill(await visitor.open(addressOf(host, 'sign-in', query)), alice)
    const [last, ...more] = await listed()
    expect([last?.kind, more]).toEqual(['browser', []])
    expect(last?.id).not.toBe(first?.id)

    // Another browser is another line.
    const other = openVisitor(host)
    await other.fill(await openRoom(other, host), alice)
    expect(await listed()).toHaveLength(2)
  })
})

describe('pages.links', () => {
  const links = {
    forgotPassword: 'https://account.example.com/forgot?from=chat',
    register: '/join',
  }
  const startLinked = () =>
    startMounted({ options: { pages: { brand: { name: 'Example Chat' }, links } } })
  const hrefsOn = ({ text }: PageAnswer) => {
    const block = /<p class="links">(.*?)<\/p>/s.exec(text)?.[1] ?? ''
    return [...block.matchAll(/href="([^"]*)"/g)].map(([, href = '']) =>
      href.replaceAll('&amp;', '&'),
    )
  }

  it('stand on the sign-in page, with the request of the app', async () => {
    const host = await startLinked()
    const query = queryOf(wiki)
    const page = await openVisitor(host).open(addressOf(host, 'authorize', query))
    expect(page.text).toContain('Forgot your password?')
    expect(page.text).toContain('Create an account')
    expect(hrefsOn(page)).toEqual([
      `https://account.example.com/forgot?from=chat&${query}`,
      `${host.origin}/join?${query}`,
    ])
    // Back from there, the browser is where it was.
    const back = `${host.base}/oauth/sign-in?${new URL(hrefsOn(page)[1] as string).search.slice(1)}`
    const visitor = openVisitor(host)
    const last = await visitor.fill(await visitor.open(back), alice)
    expect(last.text).toContain('https://wiki.example.com/callback?code=')
  })

  it('have the path of a page of the host instead, and are not there by default', async () => {
    const host = await startLinked()
    const query = returnTo('/rooms')
    const page = await openVisitor(host).open(addressOf(host, 'sign-in', query))
    expect(hrefsOn(page)[1]).toBe(`${host.origin}/join?${query}`)
    const plain = await startMounted()
    const without = await openVisitor(plain).open(addressOf(plain, 'authorize'))
    expect(hrefsOn(without)).toEqual([])
  })
})
