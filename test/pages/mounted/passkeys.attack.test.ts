// What strangers try with the forms that take a passkey: by HTTP, with responses signed in Node.
import { describe, expect, it } from 'vitest'
import { newPasskey } from '../../passkeys/authenticator.js'
import { password } from '../../support/host.js'
import { addressOf, signIn } from './forms.js'
import { queryOf, startMounted, tracker } from './mounted-host.js'
import {
  givePasskey,
  madeFor,
  type PasskeyPages,
  type PasskeyPagesSettings,
  signedFor,
  startPasskeyPages,
} from './passkey-host.js'
import { openVisitor, type PageAnswer, wayTo } from './visitor.js'

async function setUp(settings: PasskeyPagesSettings = {}) {
  const host = await startPasskeyPages(settings)
  const visitor = openVisitor(host)
  const alices = await givePasskey(host, 'u-alice')
  const page = await visitor.open(addressOf(host, 'sign-in'))
  return { host, visitor, alices, page }
}

const sessionsOf = async ({ stores, clock }: PasskeyPages, userId = 'u-alice') =>
  (await stores.sessions.listForUser(userId, clock())).length

/** Why passkeys were refused. */
const reasonsIn = ({ host }: PasskeyPages) =>
  host().events.flatMap((event) => (event.type === 'passkey.refused' ? [event.reason] : []))

const accepted = 'That passkey was not accepted.'
const tooOld = 'This page had become too old.'

describe('A passkey that is posted to the sign-in page', () => {
  it('signs in the browser that the page was shown in', async () => {
    const { host, visitor, alices, page } = await setUp()
    const last = await visitor.fill(page, { passkey: signedFor(host, page, alices) })
    expect(wayTo(last)?.searchParams.get('code')).toEqual(expect.any(String))
    expect(await sessionsOf(host)).toBe(1)
    const types = host.host().events.map(({ type }) => type)
    expect(types).toEqual(expect.arrayContaining(['passkey.used', 'login.succeeded']))
  })

  it.each([
    ['another site', { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }],
    ['a neighbour', { 'Sec-Fetch-Site': 'same-site' }],
    ['nowhere', { 'Sec-Fetch-Site': undefined, Origin: 'null' }],
  ])('is not taken from %s', async (_, headers) => {
    const { host, visitor, alices, page } = await setUp()
    const typed = { passkey: signedFor(host, page, alices) }
    expect((await visitor.post(page, typed, headers)).status).toBe(403)
    expect(await sessionsOf(host)).toBe(0)
    // It was not used up.
    expect((await visitor.post(page, typed)).status).toBe(303)
  })

  it('is not taken with a wrong token, or out of another browser', async () => {
    const { host, visitor, alices, page } = await setUp()
    const passkey = signedFor(host, page, alices)
    expect((await visitor.post(page, { passkey, csrf: 'x' })).status).toBe(403)
    const other = openVisitor(host)
    await other.open(addressOf(host, 'sign-in'))
    expect((await other.post(page, { passkey })).status).toBe(403)
    expect(await sessionsOf(host)).toBe(0)
  })

  it('works once', async () => {
    const { host, visitor, alices, page } = await setUp()
    const passkey = signedFor(host, page, alices)
    expect((await visitor.post(page, { passkey })).status).toBe(303)
    const thief = openVisitor(host)
    const own = await thief.open(addressOf(host, 'sign-in'))
    const again = await thief.fill(own, { passkey })
    expect([again.status, again.text.includes(tooOld)]).toEqual([422, true])
    expect([await sessionsOf(host), reasonsIn(host)]).toEqual([1, ['used-challenge']])
  })

  it('opens one session, sent by fifty at once', async () => {
    const { host, visitor, alices, page } = await setUp()
    const passkey = signedFor(host, page, alices)
    const posts = Array.from({ length: 50 }, () => visitor.post(page, { passkey }))
    const statuses = (await Promise.all(posts)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 303)).toHaveLength(1)
    // Beyond the limit of refusals no more are judged.
    expect(statuses.filter((status) => ![303, 422, 429].includes(status))).toEqual([])
    expect(await sessionsOf(host)).toBe(1)
  })

  it('is too old after five minutes, and the page that comes has a new challenge', async () => {
    const { host, visitor, alices, page } = await setUp()
    host.clock.advance(5 * 60)
    const again = await visitor.fill(page, { passkey: signedFor(host, page, alices) })
    expect([again.status, again.text.includes(tooOld)]).toEqual([422, true])
    await visitor.fill(again, { passkey: signedFor(host, again, alices) })
    expect(await sessionsOf(host)).toBe(1)
  })

  it.each([
    ['another origin', 'wrong-origin', { clientData: { origin: 'http://localhost:1' } }],
    ['another site', 'wrong-rp-id', { rpId: 'evil.example' }],
    ['a frame', 'cross-origin', { clientData: { crossOrigin: true } }],
    ['a touch alone', 'user-not-verified', { flags: { uv: false } }],
    ['another account', 'wrong-user-handle', { userHandle: 'dS1kb3Jh' }],
    ['a creation', 'wrong-type', { clientData: { type: 'webauthn.create' } }],
  ])('is refused where it was signed for %s', async (_, reason, given) => {
    const { host, visitor, alices, page } = await setUp()
    const again = await visitor.fill(page, { passkey: signedFor(host, page, alices, given) })
    expect([again.status, again.text.includes(accepted)]).toEqual([422, true])
    expect([await sessionsOf(host), reasonsIn(host)]).toEqual([0, [reason]])
  })

  it('is named on the page that comes, for the browser to drop, where it is not known here', async () => {
    const { host, visitor, alices, page } = await setUp()
    const stranger = newPasskey()
    const named = await visitor.fill(page, { passkey: signedFor(host, page, stranger) })
    expect([named.status, named.text.includes(`data-unknown="${stranger.id}"`)]).toEqual([
      422,
      true,
    ])
    // One that is known is refused in the same words, and stays in the browser.
    const forged = signedFor(host, named, alices, { signedBy: stranger })
    const unnamed = await visitor.fill(named, { passkey: forged })
    expect([unnamed.status, unnamed.text.includes(accepted)]).toEqual([422, true])
    expect(unnamed.text).not.toContain('data-unknown')
    const id = '"><b>'
    const marked = signedFor(host, unnamed, { ...stranger, id })
    expect((await visitor.fill(unnamed, { passkey: marked })).text).not.toContain('<b>')
  })

  it('is refused for an account that was disabled, in the same words', async () => {
    const { host, visitor, alices, page } = await setUp()
    host.users.change('u-alice', { disabled: true })
    const again = await visitor.fill(page, { passkey: signedFor(host, page, alices) })
    expect([again.status, again.text.includes(accepted)]).toEqual([422, true])
    expect(await sessionsOf(host)).toBe(0)
  })

  it("is refused in the host's own words where the host says no", async () => {
    const beforeLogin = () => 'Guests may not come in on Sundays.'
    const { host, visitor, alices, page } = await setUp({ options: { beforeLogin } })
    const again = await visitor.fill(page, { passkey: signedFor(host, page, alices) })
    expect([again.status, again.text.includes('on Sundays.')]).toEqual([403, true])
    expect(await sessionsOf(host)).toBe(0)
  })

  it('is counted where it is wrong, until nothing more is judged', async () => {
    const { host, visitor, alices, page } = await setUp()
    let last: PageAnswer = page
    for (let count = 0; count <= 10; count += 1) {
      const given = { clientData: { crossOrigin: true } }
      last = await visitor.fill(last, { passkey: signedFor(host, last, alices, given) })
    }
    expect([last.status, last.headers['retry-after']]).toEqual([429, expect.any(String)])
    expect(last.text).toContain('Too many attempts.')
  })

  it.each([
    ['no JSON', 'x'],
    ['null', 'null'],
    ['a number', '7'],
    ['nothing in it', '{}'],
    ['what a polluted object would have', '{"__proto__":{"id":"AAAA","rawId":"AAAA"}}'],
    ['a long id', JSON.stringify({ id: 'A'.repeat(1368), rawId: 'A'.repeat(1368) })],
  ])('is refused with %s in it', async (_, passkey) => {
    const { host, visitor, page } = await setUp()
    const again = await visitor.fill(page, { passkey })
    expect([again.status, again.text.includes(accepted)]).toEqual([422, true])
    expect(await sessionsOf(host)).toBe(0)
  })

  it('is not read where it is longer than any body', async () => {
    const { visitor, page } = await setUp()
    expect((await visitor.post(page, { passkey: 'A'.repeat(9000) })).status).toBe(413)
  })

  it('is what counts where a password is sent beside it', async () => {
    const { host, visitor, alices, page } = await setUp()
    const typed = { username: 'dora', password, passkey: signedFor(host, page, alices) }
    await visitor.fill(page, typed)
    expect([await sessionsOf(host), await sessionsOf(host, 'u-dora')]).toEqual([1, 0])
  })
})

describe('A passkey that is posted to the second page', () => {
  async function atSecond(settings: PasskeyPagesSettings = {}) {
    const { host, visitor, alices, page } = await setUp(settings)
    const bobs = await givePasskey(host, 'u-bob')
    const second = await signIn(visitor, host, 'bob')
    expect(second.heading).toBe('Confirm that it is you')
    return { host, visitor, alices, bobs, page, second }
  }

  it('is right only as that of whose password was right', async () => {
    const { host, visitor, alices, bobs, second } = await atSecond()
    const others = await visitor.fill(second, { passkey: signedFor(host, second, alices) })
    expect([others.status, others.text.includes(accepted)]).toEqual([422, true])
    expect(reasonsIn(host)).toEqual(['credential-of-another-user'])
    expect(others.heading).toBe('Confirm that it is you')
    await visitor.fill(others, { passkey: signedFor(host, others, bobs) })
    expect([await sessionsOf(host, 'u-bob'), await sessionsOf(host)]).toEqual([1, 0])
  })

  it('is not the one for the first page, nor the other way round', async () => {
    const { host, visitor, bobs, page, second } = await atSecond()
    const wrong = await visitor.fill(second, { passkey: signedFor(host, page, bobs) })
    expect([wrong.status, wrong.text.includes(accepted)]).toEqual([422, true])
    const first = await visitor.open(addressOf(host, 'sign-in'))
    const again = await visitor.fill(first, { passkey: signedFor(host, second, bobs) })
    expect([again.status, again.text.includes(tooOld)]).toEqual([422, true])
    expect(await sessionsOf(host, 'u-bob')).toBe(0)
  })

  it('opens one session, sent by fifty at once', async () => {
    const { host, visitor, bobs, second } = await atSecond()
    const passkey = signedFor(host, second, bobs)
    const posts = Array.from({ length: 50 }, () => visitor.post(second, { passkey }))
    const statuses = (await Promise.all(posts)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 303)).toHaveLength(1)
    expect(await sessionsOf(host, 'u-bob')).toBe(1)
  })

  it('leads to the sign-in once the password has changed, or too much time has passed', async () => {
    const { host, visitor, bobs, second } = await atSecond()
    host.clock.advance(5 * 60)
    const late = await visitor.fill(second, { passkey: signedFor(host, second, bobs) })
    expect([late.status, late.heading]).toEqual([422, 'Sign in'])
    expect(await sessionsOf(host, 'u-bob')).toBe(0)
  })
})

describe('A new passkey that is posted', () => {
  it('is not taken from another site, nor in another session', async () => {
    const host = await startPasskeyPages()
    const visitor = openVisitor(host)
    const enrolment = await signIn(visitor, host, 'carol')
    expect(enrolment.heading).toBe('Set up a second factor')
    const headers = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }
    expect((await visitor.post(enrolment, { passkey: '{}' }, headers)).status).toBe(403)
    expect((await visitor.post(enrolment, { passkey: '{}', csrf: '' })).status).toBe(403)
    const wrong = await visitor.fill(enrolment, { passkey: '{}' })
    expect([wrong.status, wrong.text.includes(accepted)]).toEqual([422, true])
    expect(await host.passkeys.listForUser('u-carol')).toEqual([])
  })

  it('is not offered eleven minutes after the sign-in, since it is a way in by itself', async () => {
    const host = await startPasskeyPages()
    const visitor = openVisitor(host)
    const enrolment = await signIn(visitor, host, 'carol')
    expect(enrolment.text).toContain('Create a passkey')
    host.clock.advance(11 * 60)
    const later = await visitor.open(enrolment.url)
    expect(later.heading).toBe('Set up a second factor')
    expect(later.text).not.toContain('passkey')
    expect(later.headers['content-security-policy']).toContain("script-src 'none'")
  })
})

describe('The option', () => {
  it('must name where the pages are, or nobody could use a passkey there', async () => {
    const passkeys = { origins: ['http://localhost:1'] }
    await expect(startPasskeyPages({ passkeys })).rejects.toThrow(/^passkeys\.origins: lacks http/)
  })
})

describe('The offer of a passkey after a password', () => {
  async function atOffer() {
    const host = await startPasskeyPages()
    const visitor = openVisitor(host)
    const page = await visitor.open(addressOf(host, 'sign-in'))
    const offer = await visitor.fill(page, { username: 'alice', password, capable: 'yes' })
    expect(offer.heading).toBe('Add a passkey?')
    return { host, visitor, offer }
  }

  it('is shown to nobody who has not just signed in', async () => {
    const { host, visitor, offer } = await atOffer()
    const plain = addressOf(host, 'passkey')
    expect((await visitor.open(plain)).heading).not.toBe('Add a passkey?')
    expect((await openVisitor(host).open(offer.url)).heading).toBe('Sign in')
    // With the cookie of the session, but without the flow of this browser's sign-in.
    const posted = await visitor.send(plain, new URLSearchParams({ passkey: '{}' }).toString())
    expect(posted.text).not.toContain('Add a passkey?')
    expect(await host.passkeys.listForUser('u-alice')).toEqual([])
  })

  it('takes nothing from another site, and nothing that is no passkey', async () => {
    const { host, visitor, offer } = await atOffer()
    const headers = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }
    expect((await visitor.post(offer, { passkey: '{}' }, headers)).status).toBe(403)
    expect((await visitor.post(offer, { passkey: '{}', csrf: 'x' })).status).toBe(403)
    const again = await visitor.fill(offer, { passkey: '{}' })
    expect([again.status, again.text.includes(accepted)]).toEqual([422, true])
    expect(await host.passkeys.listForUser('u-alice')).toEqual([])
  })

  it('takes none more than ten minutes after the sign-in', async () => {
    const { host, visitor, offer } = await atOffer()
    host.clock.advance(9 * 60)
    const page = await visitor.open(offer.url)
    expect(page.heading).toBe('Add a passkey?')
    host.clock.advance(2 * 60)
    const late = await visitor.fill(page, { passkey: madeFor(host, page) })
    expect([late.status, late.heading]).toEqual([422, 'Sign in'])
    expect(await host.passkeys.listForUser('u-alice')).toEqual([])
  })

  it('takes no passkey that was made for another session', async () => {
    const { host, visitor, offer } = await atOffer()
    const other = openVisitor(host)
    const page = await other.open(addressOf(host, 'sign-in'))
    const theirs = await other.fill(page, { username: 'dora', password, capable: 'yes' })
    const made = madeFor(host, theirs)
    const again = await visitor.fill(offer, { passkey: made })
    expect([again.status, again.text.includes(accepted)]).toEqual([422, true])
    expect(reasonsIn(host)).toEqual(['unknown-challenge'])
    const codes = await other.fill(theirs, { passkey: made })
    expect(codes.heading).toBe('Keep your recovery codes')
    expect(await host.passkeys.listForUser('u-dora')).toHaveLength(1)
    // As a button that is pressed twice, for ten seconds: the browser drops the first answer.
    expect((await other.fill(theirs, { passkey: made })).text).toBe(codes.text)
    host.clock.advance(10)
    expect((await other.fill(theirs, { passkey: made })).status).toBe(422)
    expect(await host.passkeys.listForUser('u-dora')).toHaveLength(1)
  })

  it('keeps nobody out while the store of passkeys is away', async () => {
    const host = await startPasskeyPages()
    const visitor = openVisitor(host)
    const page = await visitor.open(addressOf(host, 'sign-in'))
    host.passkeys.listForUser = () => Promise.reject(new Error('away'))
    const last = await visitor.fill(page, { username: 'alice', password, capable: 'yes' })
    expect(wayTo(last)?.searchParams.has('code')).toBe(true)
  })
})

describe('Without the option', () => {
  it('the pages are what they are with it but for the passkeys, and load none of it', async () => {
    const without = await startMounted({ hostname: 'localhost' })
    const visitor = openVisitor(without)
    const page = await visitor.open(addressOf(without, 'sign-in'))
    expect(page.text).not.toMatch(/passkey/i)
    const scripts = /<script src="([^"]+)" defer>/.exec(page.text)?.slice(1)
    expect(scripts).toEqual([expect.stringContaining('/oauth/assets/show-password-')])
    expect(page.headers['content-security-policy']).toContain(`script-src ${scripts}; `)
    const { page: other, visitor: others, host } = await setUp()
    const script = /src="([^"]+\/passkeys-[^"]+\.js)"/.exec(other.text)?.[1] ?? ''
    // By their addresses: no other file of the origin runs there.
    const sources = /script-src ([^;]+);/.exec(other.headers['content-security-policy'] as string)
    expect(sources?.[1]?.split(' ')).toEqual([expect.stringMatching(/show-password-/), script])
    const served = await others.get(script)
    expect([served.status, served.headers['content-type']]).toEqual([
      200,
      'text/javascript; charset=utf-8',
    ])
    const path = script.replace(host.base, without.base)
    expect((await visitor.get(path)).status).toBe(404)
    const changing = (text: string) =>
      text
        .replace(/<button type="button" class="plain"[\s\S]*<\/script>\n/, '')
        .replaceAll(/localhost:\d+|page-[\w-]+\.css|name="csrf" value="[^"]*"/g, '')
    expect(changing(other.text)).toBe(changing(page.text))
  })

  it('a field of this name is nobody', async () => {
    const host = await startMounted()
    const visitor = openVisitor(host)
    const page = await visitor.open(addressOf(host, 'sign-in'))
    const again = await visitor.fill(page, { passkey: '{}' })
    expect([again.status, again.text.includes('Wrong name or password.')]).toEqual([422, true])
    const last = await visitor.fill(again, { passkey: '{}', username: 'alice', password })
    expect(wayTo(last)?.searchParams.has('code')).toBe(true)
  })

  it('and with it, only pages that ask for a passkey have the script', async () => {
    const { host, visitor } = await setUp()
    const page = await visitor.open(addressOf(host, 'authorize', queryOf(tracker)))
    const consent = await visitor.fill(page, { username: 'alice', password })
    expect(consent.heading).toBe('Allow access?')
    expect(consent.headers['content-security-policy']).toContain("script-src 'none'")
    const last = await visitor.fill(consent, { choice: 'allow' })
    expect(last.headers['content-security-policy']).toContain("script-src 'none'")
  })
})
