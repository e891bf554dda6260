// What is allowed is what was shown, by who was shown it.
import { describe, expect, it } from 'vitest'
import { withoutSites } from '../../support/consents.js'
import { addressOf, consentForm, effectsIn, signIn } from './forms.js'
import { type MountedHost, queryOf, startMounted, tracker } from './mounted-host.js'
import { formOf, openVisitor, type PageAnswer, wayTo } from './visitor.js'

const narrow = queryOf(tracker, { scope: 'openid' })

async function consentsOf({ oauthStores }: MountedHost, userId: string) {
  const row = await oauthStores.consents.find(userId, 'tracker')
  return row && withoutSites(row.scopes)
}

/** The page of alice, who is asked for the scope `openid` alone. */
async function asked() {
  const host = await startMounted()
  const visitor = openVisitor(host)
  const page = await signIn(visitor, host, 'alice', narrow)
  expect(page.heading).toBe('Allow access?')
  return { host, visitor, page }
}

function movedTo(page: PageAnswer, from: string, to: string): PageAnswer {
  const text = page.text.replaceAll(from, to)
  expect(text).not.toBe(page.text)
  return { ...page, text }
}

describe('A consent', () => {
  it('is not that of whoever has signed in between showing and pressing', async () => {
    const { host, visitor, page } = await asked()
    const again = queryOf(tracker, { scope: 'openid', prompt: 'login' })
    await signIn(visitor, host, 'dora', again)
    const before = await effectsIn(host)
    const answer = await visitor.post(page, { choice: 'allow' })
    expect([answer.status, answer.heading]).toEqual([403, 'Allow access?'])
    expect(answer.text).toContain('<b>dora example</b>')
    expect(answer.text).not.toContain('alice')
    expect(await effectsIn(host)).toEqual(before)
    // Who is shown her own name allows it for herself.
    expect((await visitor.fill(answer, { choice: 'allow' })).heading).toBe('One moment')
    expect(await consentsOf(host, 'u-alice')).toBeNull()
    expect(await consentsOf(host, 'u-dora')).toEqual(['openid'])
  })

  it('is for no more scopes than were shown, wherever more are asked for', async () => {
    const { host, visitor, page } = await asked()
    const wider = movedTo(page, 'scope=openid', 'scope=openid+messages%3Aread')
    const answer = await visitor.post(wider, { choice: 'allow' })
    expect([answer.status, answer.heading]).toEqual([403, 'Allow access?'])
    expect(answer.text).toContain('Read your messages')
    expect(await consentsOf(host, 'u-alice')).toBeNull()
    const fields = { choice: 'allow', scope: 'openid messages:read', scopes: '*' }
    expect((await visitor.fill(page, fields)).heading).toBe('One moment')
    expect(await consentsOf(host, 'u-alice')).toEqual(['openid'])
  })

  it('is for no other app', async () => {
    const { host, visitor, page } = await asked()
    const other = movedTo(page, 'client_id=tracker', 'client_id=wiki')
    const answer = await visitor.post(other, { choice: 'allow' })
    expect(answer.status).toBe(400)
    expect(await consentsOf(host, 'u-alice')).toBeNull()
  })

  it.each([
    ['nothing', {}],
    ['something else', { choice: 'Allow' }],
    ['both', { choice: 'allow cancel' }],
  ])('is not given by pressing %s', async (_what, fields) => {
    const { host, visitor, page } = await asked()
    const answer = await visitor.post(page, fields as Record<string, string>)
    expect([answer.status, wayTo(answer)]).toEqual([422, null])
    expect(await consentsOf(host, 'u-alice')).toBeNull()
  })

  it('that was refused is an error for the app, and no consent', async () => {
    const { host, visitor, page } = await asked()
    const way = wayTo(await visitor.fill(page, { choice: 'cancel' }))
    expect(way?.searchParams.get('error')).toBe('access_denied')
    expect(await consentsOf(host, 'u-alice')).toBeNull()
  })

  it('that was taken back while the page was left is asked for again', async () => {
    const { host, visitor, page } = await asked()
    const { headers } = await visitor.post(page, { choice: 'allow' })
    await host.oauthStores.consents.revoke('u-alice', 'tracker')
    const answer = await visitor.open(headers.location as string)
    expect(answer.heading).toBe('Allow access?')
    expect(formOf(answer).action).toContain('/oauth/consent?')
  })

  it('of a user who was disabled meanwhile is none', async () => {
    const { host, visitor, page } = await asked()
    host.users.change('u-alice', { disabled: true })
    host.clock.advance(31)
    const answer = await visitor.post(page, consentForm.typed(page, host))
    expect([answer.status, answer.heading]).toEqual([422, 'Sign in'])
    expect(await consentsOf(host, 'u-alice')).toBeNull()
    const open = await visitor.open(addressOf(host, 'consent', narrow))
    expect(open.heading).toBe('Sign in')
  })
})
