// What stands in the address after `flow=`: it is worth nothing to anybody but the browser that it
// was made for, for that one request, for a while, and once.
import { describe, expect, it } from 'vitest'
import { totpCode } from '../../../src/testing/testing.js'
import { totpSecret } from '../../support/host.js'
import { addressOf, effectsIn, secondFactorForm, signIn, signInForm } from './forms.js'
import {
  type MountedHost,
  type MountedSettings,
  queryOf,
  recoveryCodes,
  startMounted,
  wiki,
} from './mounted-host.js'
import { openVisitor, type PageAnswer, type Visitor } from './visitor.js'

async function halfWay(settings?: MountedSettings) {
  const host = await startMounted(settings)
  const visitor = openVisitor(host)
  const page = await secondFactorForm.reach(visitor, host)
  return { host, visitor, page }
}

const code = ({ clock }: MountedHost) => totpCode(totpSecret, clock())

/** Sends the form of a second step, which has to begin anew and to change nothing. */
async function expectStartOver(host: MountedHost, by: Visitor, page: PageAnswer): Promise<void> {
  const before = await effectsIn(host)
  const answer = await by.post(page, { code: code(host), username: 'bob' })
  expect([answer.status, answer.heading]).toEqual([422, 'Sign in'])
  expect(answer.text).toContain('This page had become too old. Please send it again.')
  expect(answer.text).toContain('value="bob"')
  expect(await effectsIn(host)).toEqual(before)
}

describe('A sign-in that is half done', () => {
  it('goes on in its own browser alone', async () => {
    const { host, visitor, page } = await halfWay()
    const thief = openVisitor(host)
    await signInForm.reach(thief, host)
    await expectStartOver(host, thief, page)
    // One that takes no cookies is told so, and gets as little.
    const bare = await openVisitor(host).post(page, { code: code(host), username: 'bob' })
    expect([bare.status, bare.heading]).toEqual([403, 'Sign in'])
    expect(bare.text).toContain('Your browser takes no cookies from this site.')
    expect((await thief.open(page.url)).heading).toBe('Sign in')
    expect((await visitor.fill(page, { code: code(host) })).heading).toBe('One moment')
  })

  it('goes on for its own request alone', async () => {
    const { host, visitor, page } = await halfWay()
    const flow = new URL(page.url).searchParams.get('flow') as string
    const other = `${queryOf(wiki, { state: 'another' })}&flow=${flow}`
    const opened = await visitor.open(addressOf(host, 'second-factor', other))
    expect(opened.heading).toBe('Sign in')
    const moved = { ...page, text: page.text.replaceAll('af0ifjsldkj', 'another') }
    await expectStartOver(host, visitor, moved)
  })

  it.each([
    ['five minutes after the password', 5 * 60],
    ['half an hour after it began', 30 * 60],
  ])('is over %s', async (_when, seconds) => {
    const { host, visitor, page } = await halfWay()
    host.clock.advance(seconds)
    await expectStartOver(host, visitor, page)
    expect((await visitor.open(page.url)).heading).toBe('Sign in')
  })

  it.each<[string, object]>([
    ['the password was changed', { passwordHash: '$2b$04$abcdefghijklmnopqrstuu7EJV7kdjBB' }],
    ['the user was disabled', { disabled: true }],
  ])('is over once %s', async (_what, change) => {
    const { host, visitor, page } = await halfWay()
    host.users.change('u-bob', change)
    await expectStartOver(host, visitor, page)
  })

  it('signs in once, of fifty at once with codes that are all right', async () => {
    const accepting = {
      name: 'key',
      isEnabled: async ({ id }: { id: string }) => id === 'u-dora',
      verify: async () => ({ outcome: 'accepted' }) as const,
    }
    const throttle = { secondFactor: { points: 100, duration: 3600 } }
    const host = await startMounted({ options: { otherFactors: [accepting], throttle } })
    const visitor = openVisitor(host)
    const page = await signIn(visitor, host, 'dora')
    expect(page.heading).toBe('Confirm that it is you')
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => visitor.post(page, { code: `${100_000 + n}` })),
    )
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(49)
    const sessions = await host.stores.sessions.listForUser('u-dora', host.clock())
    expect(sessions).toHaveLength(1)
  })

  it('is not to be gone on with once it was, in the same browser neither', async () => {
    const { host, visitor, page } = await halfWay()
    const kept = new Map(visitor.cookies)
    expect((await visitor.fill(page, { code: code(host) })).heading).toBe('One moment')
    const { rows } = await effectsIn(host)
    const again = openVisitor(host)
    for (const [name, value] of kept) again.cookies.set(name, value)
    const answer = await again.post(page, { code: recoveryCodes[0] as string })
    expect([answer.status, answer.heading]).toEqual([422, 'Sign in'])
    expect((await effectsIn(host)).rows).toEqual(rows)
  })
})

describe('A step that was done', () => {
  const again = queryOf(wiki, { prompt: 'login' })

  it('is not done in another browser, nor for another request, nor half an hour later', async () => {
    const host = await startMounted()
    const visitor = openVisitor(host)
    const page = await visitor.open(addressOf(host, 'authorize', again))
    const { headers } = await visitor.post(page, signInForm.typed(page, host))
    const address = headers.location as string
    const thief = openVisitor(host)
    await signIn(thief, host, 'dora')
    expect((await thief.open(address)).heading).toBe('Sign in')
    const other = address.replace('af0ifjsldkj', 'another')
    expect((await visitor.open(other)).heading).toBe('Sign in')
    expect((await visitor.open(address)).heading).toBe('One moment')
    host.clock.advance(30 * 60)
    expect((await visitor.open(address)).heading).toBe('Sign in')
  })

  it('is followed by a page that leads on, also in a browser whose cookie is another by now', async () => {
    const host = await startMounted()
    const visitor = openVisitor(host)
    const page = await signInForm.reach(visitor, host)
    const { headers } = await visitor.post(page, signInForm.typed(page, host))
    await signIn(visitor, host, 'dora')
    // Browsers stop a redirect to another site that comes of a form.
    const answer = await visitor.open(headers.location as string)
    expect([answer.status, answer.heading]).toEqual([200, 'One moment'])
  })

  it('is not done by what is changed in it, or put there twice', async () => {
    const host = await startMounted()
    const visitor = openVisitor(host)
    const page = await visitor.open(addressOf(host, 'authorize', again))
    const { headers } = await visitor.post(page, signInForm.typed(page, host))
    const address = headers.location as string
    const flow = new URL(address).searchParams.get('flow') as string
    const last = flow.at(-1) === 'A' ? 'B' : 'A'
    for (const bad of [
      address.replace(flow, flow.slice(0, -1)),
      address.replace(flow, `${flow.slice(0, -1)}${last}`),
      address.replace(flow, `${flow}.`),
      `${address}&flow=${flow}`,
      address.replace('&flow=', '&flow=&flow='),
    ])
      expect((await visitor.open(bad)).heading, bad).toBe('Sign in')
    expect((await visitor.open(address)).heading).toBe('One moment')
  })
})
