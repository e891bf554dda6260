// Somebody who is known here, but not by this account, connects it: signing in once by any way.
import { describe, expect, it } from 'vitest'
import { totpCode } from '../../../src/testing/testing.js'
import { ada, type FakeProvider, fakeProvider } from '../../provider-sign-in/provider-host.js'
import { password, totpSecret } from '../../support/host.js'
import { linkOn, type MailHost, startMailPages } from '../account/mail-host.js'
import { type MountedHost, recoveryCodes } from './mounted-host.js'
import { givePasskey, type PasskeyPages, signedFor, startPasskeyPages } from './passkey-host.js'
import { comeBack, decide } from './provider-visits.js'
import { openVisitor, type PageAnswer, type Visitor, wayTo } from './visitor.js'

const isSignedIn = (page: PageAnswer) => {
  expect(page.status, page.heading).toBe(200)
  expect(wayTo(page)?.searchParams.get('code')).toMatch(/^mar_oc_/)
}
const connectedWith = async ({ stores }: MountedHost) =>
  (await stores.identities.find('fake', ada.subject))?.userId
const optionsWith = (provider: FakeProvider) => ({
  providers: { list: [provider], unknown: 'connect' as const },
})

describe('An account of a provider is connected', () => {
  describe('by a passkey', () => {
    async function asked() {
      const provider = fakeProvider({ name: 'Example Ltd' })
      const pages = await startPasskeyPages({ options: optionsWith(provider) })
      const host: PasskeyPages & { provider: FakeProvider } = { ...pages, provider }
      const { page, visitor } = await comeBack(host)
      expect(page.text).toContain('connect <bdi>ada@example.com</bdi> (<bdi>Example Ltd</bdi>)')
      expect(page.text).toContain('data-passkey')
      return { host, page, visitor }
    }

    it('alone, and by the one that fits only', async () => {
      const { host, page, visitor } = await asked()
      const passkey = await givePasskey(host, 'u-alice')
      const foreign = { rpId: 'evil.example' }
      const wrong = await visitor.fill(page, { passkey: signedFor(host, page, passkey, foreign) })
      expect([wrong.status, await connectedWith(host)]).toEqual([422, undefined])
      const right = await visitor.fill(wrong, { passkey: signedFor(host, wrong, passkey) })
      isSignedIn(await decide(visitor, right))
      expect(await connectedWith(host)).toBe('u-alice')
      isSignedIn((await comeBack(host)).page)
    })

    it('after a password, where it is the second factor', async () => {
      const { host, page, visitor } = await asked()
      const passkey = await givePasskey(host, 'u-bob')
      const factor = await visitor.fill(page, { username: 'bob', password })
      expect(factor.heading).toBe('Confirm that it is you')
      expect(await connectedWith(host)).toBeUndefined()
      const right = await visitor.fill(factor, { passkey: signedFor(host, factor, passkey) })
      expect(await connectedWith(host)).toBeUndefined()
      isSignedIn(await decide(visitor, right))
      expect(await connectedWith(host)).toBe('u-bob')
    })
  })

  describe('by a mailed code', () => {
    async function mailed(username: string) {
      const provider = fakeProvider({ name: 'Example Ltd' })
      const pages = await startMailPages({
        accounts: { emailSignIn: true },
        options: optionsWith(provider),
      })
      const host: MailHost & { provider: FakeProvider } = { ...pages, provider }
      const { page, visitor } = await comeBack(host)
      const form = await visitor.open(linkOn(page, 'Sign in by e-mail'))
      const code = await visitor.fill(form, { username })
      return { host, visitor, page: code }
    }
    const typed = async (host: MailHost, visitor: Visitor, page: PageAnswer) =>
      visitor.fill(page, { code: await host.code('sign-in-code') })

    it('alone, and not by a wrong one', async () => {
      const { host, visitor, page } = await mailed('alice')
      const right = await host.code('sign-in-code')
      const other = right.replace(/^./, (first) => (first === '1' ? '2' : '1'))
      const wrong = await visitor.fill(page, { code: other })
      expect([wrong.status, await connectedWith(host)]).toEqual([422, undefined])
      isSignedIn(await decide(visitor, await visitor.fill(wrong, { code: right })))
      expect(await connectedWith(host)).toBe('u-alice')
      isSignedIn((await comeBack(host)).page)
    })

    it.each(['a code', 'a recovery code'])('and then %s, not before', async (second) => {
      const { host, visitor, page } = await mailed('bob')
      const factor = await typed(host, visitor, page)
      expect(factor.heading).toBe('Confirm that it is you')
      expect(await connectedWith(host)).toBeUndefined()
      const recovery = factor.url.replace('/second-factor?', '/recovery-code?')
      const [asked, code] =
        second === 'a code'
          ? [factor, totpCode(totpSecret, host.clock())]
          : [await visitor.open(recovery), recoveryCodes[0] ?? '']
      isSignedIn(await decide(visitor, await visitor.fill(asked, { code })))
      expect(await connectedWith(host)).toBe('u-bob')
    })

    it('in the browser that was at the provider only', async () => {
      const { host, page } = await mailed('alice')
      const elsewhere = openVisitor(host)
      await elsewhere.open(page.url)
      await elsewhere.post(page, { code: await host.code('sign-in-code') })
      expect(await connectedWith(host)).toBeUndefined()
    })
  })
})
