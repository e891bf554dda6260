// The pages of the account on which users change how they sign in.
import { describe, expect, it } from 'vitest'
import { totpCode } from '../../../src/testing/testing.js'
import { password, totpSecret } from '../../support/host.js'
import { type MountedHost, startMounted } from '../mounted/mounted-host.js'
import { givePasskey, madeFor, startPasskeyPages } from '../mounted/passkey-host.js'
import { openVisitor, type PageAnswer, type Visitor } from '../mounted/visitor.js'
import { tagsOf } from '../support/markup.js'
import { alice, choicesOn, openAccount, sessionsOf } from './account-visitor.js'

const secretOn = ({ text }: PageAnswer) =>
  (/<code class="secret"[^>]*>([A-Z2-7 ]+)</.exec(text)?.[1] ?? '').replaceAll(' ', '')

/** Signs bob in with his second factor, and opens a page of his account. */
async function openBob(host: MountedHost, path = '/second-factor') {
  const visitor = openVisitor(host)
  const asked = await visitor.open(`${host.base}/account${path}`)
  const factor = await visitor.fill(asked, { username: 'bob', password })
  const page = await visitor.fill(factor, { code: totpCode(totpSecret, host.clock()) })
  return { visitor, page }
}

const codesOn = ({ text }: PageAnswer) => [...text.matchAll(/<li><code>([^<]+)</g)].length

async function setUp(visitor: Visitor, host: MountedHost): Promise<PageAnswer> {
  const page = await visitor.open(`${host.base}/account/second-factor`)
  const key = await visitor.fill(page, { choice: 'begin', present: password })
  return visitor.fill(key, { code: totpCode(secretOn(key), host.clock()) })
}

describe('the page of the second factor', () => {
  it('sets up an authenticator app, and shows the recovery codes once', async () => {
    const host = await startMounted()
    const other = await openAccount(host)
    const { visitor } = await openAccount(host)
    const page = await visitor.open(`${host.base}/account/second-factor`)
    expect([page.heading, choicesOn(page)]).toEqual(['Second factor', ['begin']])
    const key = await visitor.fill(page, { choice: 'begin', present: password })
    expect(key.heading).toBe('Set up a second factor')
    const wrong = await visitor.fill(key, { code: '000000' })
    expect([wrong.status, secretOn(wrong)]).toEqual([422, secretOn(key)])
    const codes = await visitor.fill(wrong, { code: totpCode(secretOn(key), host.clock()) })
    expect([codes.heading, codesOn(codes)]).toEqual(['Keep your recovery codes', 10])
    const account = await visitor.fill(codes, {})
    expect(account.heading).toBe('Your account')
    expect(account.text).toContain('Recovery codes left: <bdi>10</bdi>')
    // Sessions without the factor have ended, and this browser stays.
    expect((await other.visitor.open(`${host.base}/account`)).heading).toBe('Sign in')
    expect(await sessionsOf(host)).toHaveLength(1)
  })

  it('makes new recovery codes, and switches it off', async () => {
    const host = await startMounted()
    const { visitor, page } = await openBob(host)
    expect(choicesOn(page)).toEqual(['codes', 'off'])
    const codes = await visitor.fill(page, { choice: 'codes' })
    expect([codes.heading, codesOn(codes)]).toEqual(['Keep your recovery codes', 10])
    expect(await host.stores.secondFactors.countRecoveryCodes('u-bob')).toBe(10)
    const again = await visitor.open(`${host.base}/account/second-factor`)
    const off = await visitor.fill(again, { choice: 'off', sure: 'yes' })
    expect([off.status, choicesOn(off)]).toEqual([200, ['begin']])
    expect(await host.stores.secondFactors.find('u-bob')).toBeNull()
    expect(host.host().events.map(({ type }) => type)).toContain('second-factor.disabled')
    const next = await openAccount(host, 'bob')
    expect(next.page.heading).toBe('Your account')
  })

  it('asks for a sign-in once, if the last one is older than ten minutes, and comes back', async () => {
    const host = await startMounted()
    const { visitor, page: account } = await openAccount(host)
    host.clock.advance(601)
    // Looking needs none.
    expect((await visitor.open(`${host.base}/account`)).heading).toBe('Your account')
    const asked = await visitor.open(`${host.base}/account/second-factor`)
    expect(asked.heading).toBe('Sign in')
    expect(asked.text).toContain('value="alice"')
    const page = await visitor.fill(asked, alice)
    expect(page.heading).toBe('Second factor')
    for (const path of ['/second-factor', ''])
      expect((await visitor.open(`${host.base}/account${path}`)).heading).not.toBe('Sign in')
    expect(await sessionsOf(host)).toHaveLength(1)
    expect(account.heading).toBe('Your account')
  })
})

describe('the page of passkeys', () => {
  const namesOn = ({ text }: PageAnswer) =>
    tagsOf(text)
      .filter(({ name, attributes }) => name === 'input' && attributes['name'] === 'name')
      .map(({ attributes }) => attributes['value'])

  it('adds a passkey, renames and removes it', async () => {
    const host = await startPasskeyPages()
    const { visitor, page: account } = await openAccount(host)
    expect(account.text).toContain('Passkeys of yours: <bdi>0</bdi>')
    const none = await visitor.open(`${host.base}/account/passkeys`)
    expect([none.heading, choicesOn(none)]).toEqual(['Passkeys', ['add']])
    const adding = await visitor.fill(none, { choice: 'add' })
    expect(adding.heading).toBe('Add a passkey?')
    const codes = await visitor.fill(adding, { passkey: madeFor(host, adding) })
    expect(codes.heading).toBe('Keep your recovery codes')
    const page = await visitor.fill(codes, {})
    expect([page.heading, namesOn(page)]).toEqual(['Passkeys', ['Passkey']])
    const [passkey] = await host.passkeys.listForUser('u-alice')
    const id = passkey?.credentialId ?? ''
    const renamed = await visitor.fill(page, { id, name: ' My phone ' })
    expect(namesOn(renamed)).toEqual(['My phone'])
    const refused = await visitor.fill(renamed, { id, name: 'x'.repeat(101) })
    expect([refused.status, namesOn(refused)]).toEqual([422, ['My phone']])
    const removed = await visitor.fill(renamed, { choice: `remove ${id}`, sure: 'yes' })
    expect([removed.status, choicesOn(removed)]).toEqual([200, ['add']])
    expect(await host.passkeys.listForUser('u-alice')).toEqual([])
  })

  it('takes “Not now” for an answer, and keeps the only way to sign in', async () => {
    const host = await startPasskeyPages()
    const { visitor } = await openAccount(host)
    const adding = await visitor.fill(await visitor.open(`${host.base}/account/passkeys`), {
      choice: 'add',
    })
    expect((await visitor.fill(adding, { choice: 'later' })).heading).toBe('Passkeys')
    const { id } = await givePasskey(host, 'u-alice')
    host.users.change('u-alice', { passwordHash: null })
    const page = await visitor.open(`${host.base}/account/passkeys`)
    if (page.heading === 'Sign in') return
    const answer = await visitor.fill(page, { choice: `remove ${id}`, sure: 'yes' })
    expect(answer.status).toBe(422)
    expect(await host.passkeys.listForUser('u-alice')).toHaveLength(1)
  })
})

describe('pages of what the host does not have', () => {
  it('are not there, nor linked', async () => {
    const host = await startMounted({
      options: { secondFactors: undefined, secondFactor: undefined } as object,
    })
    const { visitor, page } = await openAccount(host)
    expect(page.text).not.toContain('/account/')
    for (const path of ['second-factor', 'passkeys'])
      expect((await visitor.get(`${host.base}/account/${path}`)).status).toBe(404)
  })
})

describe('a user who has just set up a factor', () => {
  it('is let in to all pages of the account by the same browser', async () => {
    const host = await startMounted()
    const { visitor } = await openAccount(host)
    const codes = await setUp(visitor, host)
    expect(codes.heading).toBe('Keep your recovery codes')
    const page = await visitor.open(`${host.base}/account/second-factor`)
    expect(choicesOn(page)).toEqual(['codes', 'off'])
  })
})
