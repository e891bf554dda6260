// The language of the user who is signed in, as the host keeps it.
import { describe, expect, it } from 'vitest'
import { addressOf, signIn } from './forms.js'
import { queryOf, startMounted, tracker } from './mounted-host.js'
import { openVisitor } from './visitor.js'

async function signedIn(locale: unknown) {
  const users = { change: { locale } as object }
  const host = await startMounted({
    users: ({ change }) => change('u-alice', users.change),
  })
  const visitor = openVisitor(host)
  const page = await signIn(visitor, host, 'alice', queryOf(tracker))
  return { host, visitor, page }
}

describe('A page for somebody who is signed in', () => {
  it('is in her language, whatever the browser asks for', async () => {
    const { host, visitor, page } = await signedIn('de')
    expect(page.heading).toBe('Zugriff erlauben?')
    expect(page.headers['content-language']).toBe('de')
    const leaving = await visitor.open(`${host.base}/oauth/sign-out`)
    expect(leaving.heading).toBe('Abmelden?')
  })

  it('is in that which the app asks for, or which she has chosen on the page', async () => {
    const { host, visitor } = await signedIn('de')
    const asked = queryOf(tracker, { ui_locales: 'en' })
    expect((await visitor.open(addressOf(host, 'consent', asked))).heading).toBe('Allow access?')
    const chosen = `${queryOf(tracker)}&language=en`
    expect((await visitor.open(addressOf(host, 'consent', chosen))).heading).toBe('Allow access?')
  })

  it.each(['fr', null, 7, { tag: 'de' }])(
    'is in that of the browser where hers is %j',
    async (locale) => {
      expect((await signedIn(locale)).page.heading).toBe('Allow access?')
    },
  )

  it('is in that of the browser before anybody has signed in', async () => {
    const { host } = await signedIn('de')
    const page = await openVisitor(host).open(addressOf(host, 'authorize'))
    expect(page.heading).toBe('Sign in')
  })
})
