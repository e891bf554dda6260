// Nobody else changes an account: no other site, no other browser, no other user, and no address.
import { describe, expect, it } from 'vitest'
import { signIn } from '../mounted/forms.js'
import { queryOf, startMounted, wiki } from '../mounted/mounted-host.js'
import { formOf, openVisitor } from '../mounted/visitor.js'
import { allowTracker, openAccount, sessionsOf } from './account-visitor.js'

async function startWithTwo() {
  const host = await startMounted()
  const other = await openAccount(host)
  const { visitor, page } = await openAccount(host)
  await allowTracker(visitor, host)
  const account = await visitor.open(`${host.base}/account`)
  const state = async () => ({
    sessions: (await sessionsOf(host)).toSorted(),
    consent: (await host.oauthStores.consents.find('u-alice', 'tracker')) !== null,
  })
  return { host, other, visitor, page, account, state }
}

const changes = ['end-others', 'revoke tracker']

describe('the account page', () => {
  it('changes nothing by GET and HEAD, whatever the query', async () => {
    const { host, visitor, state } = await startWithTwo()
    const before = await state()
    for (const choice of changes)
      for (const url of [
        `${host.base}/account?choice=${encodeURIComponent(choice)}`,
        `${host.base}/account?&language=de&choice=${encodeURIComponent(choice)}`,
      ]) {
        expect((await visitor.get(url)).status).toBe(200)
        expect((await visitor.get(url, {}, 'HEAD')).status).toBe(200)
      }
    expect(await state()).toEqual(before)
  })

  it('takes no form of another site, of another browser, or without its token', async () => {
    const { host, other, visitor, account, state } = await startWithTwo()
    const before = await state()
    const foreign = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }
    for (const choice of changes) {
      expect((await visitor.post(account, { choice }, foreign)).status).toBe(403)
      expect((await visitor.post(account, { choice, csrf: '' })).status).toBe(403)
      // The form of one browser, sent by another one of the same user.
      expect((await other.visitor.post(account, { choice })).status).toBe(403)
      const stranger = await openVisitor(host).post(account, { choice })
      expect([stranger.status, stranger.headers.location]).toEqual([
        303,
        expect.stringContaining('/oauth/sign-in?return_to=/api/v1/account'),
      ])
    }
    expect(await state()).toEqual(before)
  })

  it('takes no token of another page of ours', async () => {
    const { host, visitor, account, state } = await startWithTwo()
    const before = await state()
    const signOut = await visitor.open(`${host.base}/oauth/sign-out`)
    const { csrf = '' } = formOf(signOut).fields
    expect((await visitor.post(account, { choice: 'end-others', sure: 'yes', csrf })).status).toBe(
      403,
    )
    expect(await state()).toEqual(before)
  })

  it('does not act for whoever has signed in since it was shown', async () => {
    const { host, visitor, account, state } = await startWithTwo()
    await signIn(visitor, host, 'dora', queryOf(wiki, { prompt: 'login' }))
    const before = await state()
    const answer = await visitor.post(account, { choice: 'end-others', sure: 'yes' })
    expect(answer.status).toBe(403)
    expect(answer.text).toContain('dora example')
    expect(await state()).toEqual(before)
  })

  it('ends no session of another user, and withdraws no consent of one', async () => {
    const { host, account, state } = await startWithTwo()
    const before = await state()
    const dora = await openAccount(host, 'dora')
    for (const id of before.sessions) {
      const answer = await dora.visitor.fill(dora.page, { choice: `end ${id}`, sure: 'yes' })
      expect(answer.heading).toBe('Your account')
      expect(answer.text).not.toContain(id)
    }
    await dora.visitor.fill(dora.page, { choice: 'revoke tracker', sure: 'yes' })
    expect(await state()).toEqual(before)
    expect(account.heading).toBe('Your account')
  })

  it.each([
    '',
    'end',
    'end ',
    'end-other',
    'end-others ',
    'revoke',
    'revoke ../tracker',
    'revoke tracker\u0000',
    `end ${'x'.repeat(5000)}`,
    'constructor',
    '__proto__ x',
    'END-OTHERS',
  ])('does nothing for the choice %j', async (choice) => {
    const { visitor, account, state } = await startWithTwo()
    const before = await state()
    const answer = await visitor.fill(account, { choice, sure: 'yes' })
    expect([200, 422]).toContain(answer.status)
    expect(answer.heading).toBe('Your account')
    if (choice.trim() === 'end-others') return
    expect(await state()).toEqual(before)
  })

  it('acts for nobody whose session has ended elsewhere a moment ago', async () => {
    const { host, visitor, other, account } = await startWithTwo()
    await other.visitor.fill(await other.visitor.open(`${host.base}/account`), {
      choice: 'end-others',
      sure: 'yes',
    })
    const left = await sessionsOf(host)
    expect(left).toHaveLength(1)
    const answer = await visitor.post(account, { choice: 'end-others', sure: 'yes' })
    expect(answer.headers.location).toContain('/oauth/sign-in')
    expect(await sessionsOf(host)).toEqual(left)
  })

  it('says that it is busy while the store is down, and ends everything afterwards', async () => {
    const { host, visitor, account } = await startWithTwo()
    const { endAllForUser } = host.stores.sessions
    host.stores.sessions.endAllForUser = () => Promise.reject(new Error('gone'))
    const busy = await visitor.post(account, { choice: 'end-others', sure: 'yes' })
    expect([busy.status, busy.heading]).toEqual([503, 'This does not work'])
    host.stores.sessions.endAllForUser = endAllForUser
    await visitor.fill(account, { choice: 'end-others', sure: 'yes' })
    expect(await sessionsOf(host)).toHaveLength(1)
  })
})
