// requireAuth with onRefused: 'sign-in-page', where it is set up. What it answers is tested with
// the pages, in test/pages/mounted/own-pages.
import { describe, expect, it } from 'vitest'
import { AuthConfigError } from '../../src/index.js'
import { startHost } from '../support/host.js'
import { oauthOptions } from '../support/mounted-oauth.js'
import { pagesOrigin, startPages } from '../support/pages.js'

function refusalOf(call: () => unknown): AuthConfigError {
  try {
    call()
  } catch (error) {
    if (error instanceof AuthConfigError) return error
    throw error
  }
  throw new Error('it was taken')
}

describe("onRefused: 'sign-in-page'", () => {
  it('is refused without oauth, which has the page, by name and with the remedy', async () => {
    const { auth } = await startPages()
    const guard = () => auth.requireAuth({ from: 'cookie', onRefused: 'sign-in-page' })
    const { option, message } = refusalOf(guard)
    expect(option).toBe('requireAuth.onRefused')
    expect(message).toMatch(/oauth is missing.*docs\/pages\.md/)
    const ofUrl = refusalOf(() => auth.pages.signInUrl({ returnTo: '/rooms' }))
    expect([ofUrl.option, ofUrl.message]).toEqual([
      'oauth',
      expect.stringMatching(/auth\.pages\.signInUrl.*docs\/pages\.md/),
    ])
  })

  it.each(['headers', 'either', undefined] as const)(
    'is refused where the guard reads from: %s, and would send browsers round in circles',
    async (from) => {
      const { auth } = await startHost({ options: { ...oauthOptions(), pagesOrigin } })
      const guard = () =>
        auth.requireAuth({ ...(from === undefined ? {} : { from }), onRefused: 'sign-in-page' })
      const { option, message } = refusalOf(guard)
      expect(option).toBe('requireAuth.onRefused')
      expect(message).toMatch(/from: 'cookie'/)
    },
  )

  it.each(['sign-in', 'SIGN-IN-PAGE', true, {}])('is no other word: %j', async (onRefused) => {
    const { auth } = await startHost({ options: { ...oauthOptions(), pagesOrigin } })
    const given = { from: 'cookie', onRefused } as never
    const { option, message } = refusalOf(() => auth.requireAuth(given))
    expect([option, message]).toEqual([
      'requireAuth.onRefused',
      expect.stringContaining('sign-in-page'),
    ])
  })
})
