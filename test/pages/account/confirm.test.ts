// What ends or is removed by one press is asked about first, by one page for all of it.
import { describe, expect, it } from 'vitest'
import { givePasskey, startPasskeyPages } from '../mounted/passkey-host.js'
import { openVisitor } from '../mounted/visitor.js'
import { tagsOf } from '../support/markup.js'
import { allowTracker, choicesOn, openAccount, sessionsOf } from './account-visitor.js'
import { startLinkPages } from './link-pages.js'

describe('a choice that ends or removes something', () => {
  it.each([
    ['account', 'end ', 'Unknown device'],
    ['account', 'end-others', null],
    ['account', 'revoke ', 'Tracker'],
    ['account/passkeys', 'remove ', 'Phone'],
  ] as const)(
    'on %s, %s, is asked about by name, and done by a second press',
    async (at, choice, name) => {
      const host = await startPasskeyPages()
      await openAccount(host)
      const visitor = openVisitor(host)
      await allowTracker(visitor, host)
      await givePasskey(host, 'u-alice')
      const page = await visitor.open(`${host.base}/${at}`)
      const pressed = choicesOn(page).find((one) => one.startsWith(choice)) ?? 'no such button'
      const state = async () => [
        (await sessionsOf(host)).length,
        await host.oauthStores.consents.find('u-alice', 'tracker'),
        (await host.passkeys.listForUser('u-alice')).length,
      ]
      const before = await state()
      const asked = await visitor.fill(page, { choice: pressed })
      expect([asked.status, asked.heading, choicesOn(asked)]).toEqual([
        200,
        'Are you sure?',
        [pressed],
      ])
      if (name !== null) expect(asked.text).toContain(`<b>${name}</b>`)
      expect(await state()).toEqual(before)
      const back = tagsOf(asked.text).find(({ attributes }) => attributes['href'] === page.url)
      expect(back?.name).toBe('a')
      const done = await visitor.fill(asked, { choice: pressed })
      expect([done.status, done.url]).toEqual([200, page.url])
      expect(await state()).not.toEqual(before)
    },
  )

  it('is asked about in the language of the page', async () => {
    const host = await startPasskeyPages()
    const { visitor } = await openAccount(host)
    const page = await visitor.open(`${host.base}/account?&language=de`)
    const asked = await visitor.fill(page, { choice: 'end-others' })
    expect(asked.heading).toBe('Bist Du sicher?')
  })
})

it('the account page leads to where another device is signed in, if that is switched on', async () => {
  const linkOn = ({ text }: { text: string }) =>
    /<a href="([^"]+)">Sign in another device/.exec(text)?.[1]
  const on = await startLinkPages()
  expect(linkOn((await openAccount(on)).page)).toBe(`${on.base}/account/link`)
  const off = await startPasskeyPages()
  expect(linkOn((await openAccount(off)).page)).toBeUndefined()
})
