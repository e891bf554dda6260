// Names and words that somebody else has chosen, on the real pages: none becomes markup, none turns
// a page round, and none keeps its owner out.
import { describe, expect, it } from 'vitest'
import { password } from '../../support/host.js'
import { skeletonOf } from '../support/markup.js'
import { addressOf, forms, signIn, signInForm } from './forms.js'
import { type MountedSettings, queryOf, startMounted, tracker, wiki } from './mounted-host.js'
import { openVisitor, type PageAnswer } from './visitor.js'

const bad: readonly string[] = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '</bdi></title><h1>Example Chat</h1>',
  "' autofocus onfocus='alert(1)",
  '{client}{service}&lt;b&gt;',
  '\u202Eecila\u2066\u2069\u202C',
  '\u0000\u001B[31m\u0085\u2028',
  'a'.repeat(3000),
  '\u{1F469}\u200D\u{1F680}\u0301\uFEFF',
]

/** The one of the page that has a password. */
const ownScript = /<script src="[^"<>]*\/oauth\/assets\/show-password-[\w-]{16}\.js" defer>/g

const turning = /[\u202A-\u202E\u2066-\u2069\u2028\u2029]/

/** The tags of a page, and not what in them differs from visit to visit. */
function expectHarmless({ text, status }: PageAnswer, model: PageAnswer, name: string): void {
  expect([name, status]).toEqual([name, model.status])
  expect(skeletonOf(text), name).toBe(skeletonOf(model.text))
  expect(text, name).not.toMatch(turning)
  expect(text, name).not.toContain('\0')
}

/** All users are called this; they type what they always do. */
function calling(name: string): MountedSettings {
  return {
    users(users) {
      for (const id of users.rows.keys()) users.change(id, { name })
    },
  }
}

describe.each(forms)('On the page $page', (form) => {
  it('no name of a user is more than text', async () => {
    const shown: PageAnswer[] = []
    for (const text of ['a name', ...bad]) {
      const host = await startMounted(calling(text))
      const visitor = openVisitor(host)
      shown.push(await form.reach(visitor, host))
    }
    const [model, ...others] = shown as [PageAnswer, ...PageAnswer[]]
    expect(model.heading).toBe(form.heading)
    for (const [at, page] of others.entries()) expectHarmless(page, model, bad[at] as string)
  })
})

describe('What is typed', () => {
  it('as a name comes back as text, in the one field', async () => {
    const host = await startMounted()
    const visitor = openVisitor(host)
    const page = await signInForm.reach(visitor, host)
    const model = await visitor.fill(page, { username: 'nobody', password: 'wrong' })
    expect(model.text).toContain('Wrong name or password.')
    for (const username of bad) {
      host.clock.advance(3600)
      const again = await signInForm.reach(visitor, host)
      const answer = await visitor.fill(again, { username, password: 'wrong' })
      expectHarmless(answer, model, username)
    }
    expect(host.host().unforeseen).toEqual([])
  })

  it('as a code comes back nowhere', async () => {
    const host = await startMounted()
    const visitor = openVisitor(host)
    const page = await signIn(visitor, host, 'bob')
    for (const code of bad.slice(0, 4)) {
      const { status, text } = await visitor.fill(page, { code, username: code })
      expect([status, text.includes(code.slice(0, 12))]).toEqual([422, false])
    }
  })
})

describe('What a request hints at', () => {
  it.each(['login_hint', 'ui_locales', 'state', 'nonce', 'display', 'claims', 'x'])(
    'by %s is no markup',
    async (name) => {
      const host = await startMounted()
      const visitor = openVisitor(host)
      for (const text of bad.slice(0, 7)) {
        const query = queryOf(wiki, { [name]: text })
        const { text: page, status } = await visitor.open(addressOf(host, 'authorize', query))
        expect([name, text, status < 500]).toEqual([name, text, true])
        const stranger = page.replaceAll(ownScript, '')
        expect(stranger).not.toMatch(/<script|<img|<h1>Example|onfocus='|\son\w+="/)
        expect(page).not.toMatch(turning)
      }
    },
  )
})

describe('A name of the host’s or an app’s', () => {
  it('that is markup is shown as it is, from the first page to the last', async () => {
    const name = '<b>"R&D"</b>'
    const host = await startMounted({
      options: { pages: { brand: { name } } },
      oauth: { clients: [{ ...tracker, name }], scopes: { 'messages:read': `${name} read` } },
    })
    const visitor = openVisitor(host)
    const query = queryOf(tracker)
    const pages = [await visitor.open(addressOf(host, 'authorize', query))]
    pages.push(await visitor.fill(pages[0] as PageAnswer, { username: 'alice', password }))
    pages.push(await visitor.fill(pages[1] as PageAnswer, { choice: 'allow' }))
    expect(pages.map(({ heading }) => heading)).toEqual(['Sign in', 'Allow access?', 'One moment'])
    for (const { text } of pages) {
      expect(text).toContain('&lt;b&gt;&quot;R&amp;D&quot;&lt;/b&gt;')
      expect(text).not.toContain('<b>"')
    }
  })
})
