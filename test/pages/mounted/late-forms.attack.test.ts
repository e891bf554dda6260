// A form whose page has been left, sent again by somebody who has its address but not its token;
// and a sign-out that fails in the middle.
import { describe, expect, it } from 'vitest'
import { password } from '../../support/host.js'
import { addressOf, effectsIn, enrolmentForm, forms, secondFactorForm, signIn } from './forms.js'
import { startMounted } from './mounted-host.js'
import { openVisitor, type Visitor } from './visitor.js'

const session = 'mar_session_dev'

const repeated = [
  { form: secondFactorForm, what: 'the cookie', found: new RegExp(`${session}=[^;]{20,}`) },
  { form: enrolmentForm, what: 'the recovery codes', found: /Keep your recovery codes/ },
]

/** The cookies of another one, as they were. */
function asBefore(other: Visitor, kept: ReadonlyMap<string, string>): Visitor {
  other.cookies.clear()
  for (const [name, value] of kept) other.cookies.set(name, value)
  return other
}

describe.each(repeated)('The answer to the form of $form.page', ({ form, what, found }) => {
  it(`is shown again to its own page, and ${what} to no other`, async () => {
    const host = await startMounted()
    const visitor = openVisitor(host)
    const page = await form.reach(visitor, host)
    const before = new Map(visitor.cookies)
    const typed = form.typed(page, host)
    await visitor.post(page, typed)
    const again = asBefore(openVisitor(host), before)
    const shown = ({ headers, text }: Awaited<ReturnType<Visitor['post']>>) =>
      found.test(`${headers['set-cookie']} ${text}`)
    for (const csrf of ['', 'A'.repeat(43)])
      expect(shown(await again.post(page, { ...typed, csrf })), csrf).toBe(false)
    const foreign = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }
    expect(shown(await again.post(page, typed, foreign))).toBe(false)
    // Otherwise the others would prove nothing.
    expect(shown(await again.post(page, typed))).toBe(true)
  })
})

describe('A sign-out whose session cannot be ended', () => {
  it('is 503, and the browser keeps its cookie to try again with', async () => {
    const host = await startMounted()
    const visitor = openVisitor(host)
    const form = forms.find(({ page }) => page === 'sign-out')
    const page = await form?.reach(visitor, host)
    if (page === undefined) throw new Error('there is no such form')
    const { sessions } = host.stores
    const { end } = sessions
    sessions.end = async () => {
      throw new Error('the database is away')
    }
    const failed = await visitor.post(page, {})
    expect([failed.status, failed.headers['set-cookie']]).toEqual([503, undefined])
    expect((await visitor.open(addressOf(host, 'authorize'))).heading).not.toBe('Sign in')
    sessions.end = end
    expect((await visitor.post(page, {})).status).toBe(303)
    expect(visitor.cookies.has(session)).toBe(false)
    expect(await sessions.listForUser('u-alice', host.clock())).toEqual([])
  })
})

describe('The button that goes on as who is signed in', () => {
  it('goes on as nobody else, who has signed in since it was shown', async () => {
    const host = await startMounted()
    const visitor = openVisitor(host)
    const page = await visitor.open(addressOf(host, 'authorize'))
    await signIn(visitor, host, 'alice')
    const told = await visitor.post(page, { username: 'dora', password })
    expect(told.text).toContain('Continue as <bdi>alice example</bdi>')
    await signIn(visitor, host, 'dora')
    const before = await effectsIn(host)
    for (const fields of [{}, { csrf: '' }]) {
      const answer = await visitor.fill(told, { choice: 'continue', ...fields })
      expect([answer.status, answer.heading]).toEqual([403, 'Sign in'])
      expect(answer.text).toContain('Continue as <bdi>dora example</bdi>')
      expect(answer.text).not.toContain('alice')
      expect(await effectsIn(host)).toEqual(before)
      expect((await visitor.fill(answer, { choice: 'continue' })).heading).toBe('One moment')
      before.codes += 1
    }
  })
})
