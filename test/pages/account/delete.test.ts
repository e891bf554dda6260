// Deleting the account on its page.
import { describe, expect, it } from 'vitest'
import { password } from '../../support/host.js'
import { openVisitor } from '../mounted/visitor.js'
import { alice, openAccount, sessionsOf } from './account-visitor.js'
import { linkOn, type MailSettings, startMailPages } from './mail-host.js'

const startDeletion = ({ accounts, ...settings }: MailSettings = {}) =>
  startMailPages({ ...settings, accounts: { deletion: true, ...accounts } })

async function openDeletion() {
  const host = await startDeletion()
  const { visitor, page } = await openAccount(host)
  const form = await visitor.open(linkOn(page, 'Delete your account'))
  return { host, visitor, form }
}

describe('the page', () => {
  it('mails a code, takes it, and deletes the account', async () => {
    const { host, visitor, form } = await openDeletion()
    expect([form.status, form.heading]).toEqual([200, 'Delete your account'])
    expect(form.text).toContain('Nobody can undo it')
    const asked = await visitor.fill(form, { present: password })
    expect([asked.status, asked.heading]).toEqual([200, 'Delete your account'])
    expect(host.users.rows.has('u-alice')).toBe(true)
    const wrong = await visitor.fill(asked, { code: '1234567' })
    expect(wrong.status).toBe(422)
    expect(wrong.text).toContain('This code is not right')
    const done = await visitor.fill(wrong, { code: await host.code('confirm-deletion') })
    expect([done.status, done.heading]).toEqual([200, 'Your account is deleted'])
    expect(host.users.rows.has('u-alice')).toBe(false)
    expect(await sessionsOf(host)).toEqual([])
    expect((await visitor.open(`${host.base}/account`)).heading).toBe('Sign in')
  })

  it('asks for the password where no code can be mailed', async () => {
    const { host, visitor, form } = await openDeletion()
    host.users.change('u-alice', { emailVerified: false })
    const asked = await visitor.open(form.url)
    const empty = await visitor.fill(asked, { present: '' })
    expect(empty.status).toBe(422)
    const wrong = await visitor.fill(asked, { present: 'wrong' })
    expect(wrong.status).toBe(422)
    expect(wrong.text).toContain('The current password is not right.')
    expect(host.users.rows.has('u-alice')).toBe(true)
    const done = await visitor.fill(wrong, { present: password })
    expect(done.heading).toBe('Your account is deleted')
    expect(host.users.rows.has('u-alice')).toBe(false)
  })

  it('needs a fresh sign-in', async () => {
    const { host, visitor, form } = await openDeletion()
    host.clock.advance(601)
    for (const page of [
      await visitor.open(form.url),
      await visitor.fill(form, { present: password }),
    ])
      expect(page.heading).toBe('Sign in')
    expect(await host.mailed('confirm-deletion')).toEqual([])
    const again = await visitor.fill(await visitor.open(form.url), alice)
    expect(again.heading).toBe('Delete your account')
  })

  it('is completed after an outage by whoever signs in again', async () => {
    const { host, visitor, form } = await openDeletion()
    const asked = await visitor.fill(form, { present: password })
    const code = await host.code('confirm-deletion')
    const real = host.users.delete
    host.users.delete = async () => {
      throw new Error('the database is away')
    }
    expect((await visitor.fill(asked, { code })).status).toBe(503)
    host.users.delete = real
    const signIn = await visitor.fill(asked, { code })
    expect(signIn.heading).toBe('Sign in')
    const again = await visitor.fill(signIn, alice)
    const mailed = await visitor.fill(again, { present: password })
    const done = await visitor.fill(mailed, { code: await host.code('confirm-deletion') })
    expect(done.heading).toBe('Your account is deleted')
  })

  it('does not exist without the option', async () => {
    const host = await startMailPages()
    const { visitor, page } = await openAccount(host)
    expect(page.text).not.toContain('Delete your account')
    expect((await visitor.open(`${host.base}/account/delete`)).status).toBe(404)
  })
})

describe('an attack', () => {
  it('by a form of another site, or without its token, deletes nobody and mails nothing', async () => {
    const { host, visitor, form } = await openDeletion()
    const foreign = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }
    expect((await visitor.post(form, {}, foreign)).status).toBe(403)
    expect((await visitor.send(form.url, 'choice=delete')).status).toBe(403)
    expect(await host.mailed('confirm-deletion')).toEqual([])
    const asked = await visitor.fill(form, { present: password })
    const code = await host.code('confirm-deletion')
    expect((await visitor.post(asked, { code }, foreign)).status).toBe(403)
    const request = /name="request" value="([^"]*)"/.exec(asked.text)?.[1] ?? 'none'
    const bare = await visitor.send(asked.url, `request=${request}&code=${code}`)
    expect(bare.status).toBe(403)
    expect(host.users.rows.has('u-alice')).toBe(true)
  })

  it('with the code of another user deletes neither', async () => {
    const { host, visitor, form } = await openDeletion()
    const asked = await visitor.fill(form, { present: password })
    const code = await host.code('confirm-deletion')
    const request = /name="request" value="([^"]*)"/.exec(asked.text)?.[1] ?? 'none'
    host.users.change('u-bob', { emailVerified: false })
    const other = openVisitor(host)
    const { visitor: carl, page } = await openAccount(host)
    expect(page.heading).toBe('Your account')
    const foreign = await carl.open(form.url)
    const refused = await carl.fill(foreign, { request, code })
    expect(refused.status).toBe(422)
    expect(other.cookies.size).toBe(0)
    expect(host.users.rows.has('u-alice')).toBe(true)
  })
})
