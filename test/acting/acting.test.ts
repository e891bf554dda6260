import { describe, expect, it } from 'vitest'
import { startAccounts } from '../accounts/account-host.js'
import { startOAuthApp } from '../oauth/oauth-app.js'
import { bearer, get, logIn, post, remove } from '../support/client.js'
import { requests } from '../support/described.js'
import type { TestHost } from '../support/host.js'
import { act, addBob, asked, bobsSession, claimsOf, startDesk } from './desk.js'

const listOf = async (host: TestHost, headers: Record<string, string>) =>
  (await get(host, '/auth/sessions', headers).expect(200)).body.data.sessions as {
    id: string
    kind: string
    name: string
    actor: unknown
  }[]

describe('a session that acts for a user', () => {
  it('sees what the user sees, and names who acts in the principal and the token', async () => {
    const host = await startDesk()
    const bob = await bobsSession(host)
    const actor = { id: 'u-bob', reason: 'Ticket 4711', sessionId: bob.sessionId }
    const acted = await act(host, { actor })
    expect(acted).toMatchObject({ userId: 'u-alice', me: { username: 'alice' } })
    expect(acted).not.toHaveProperty('refreshToken')
    expect(claimsOf(acted.token)).toMatchObject({ sub: 'u-alice', act: { sub: 'u-bob' } })

    const { body } = await get(host, '/me', acted.headers).expect(200)
    expect(body).toMatchObject({ _id: 'u-alice', username: 'alice' })
    const principal = {
      userId: 'u-alice',
      kind: 'acting',
      actor: { id: 'u-bob', sessionId: bob.sessionId },
    }
    expect((await get(host, '/rooms', acted.headers).expect(200)).body).toMatchObject(principal)
    expect(await host.auth.authenticateToken(acted.token)).toMatchObject(principal)
    expect((await get(host, '/rooms', bob.headers).expect(200)).body).toMatchObject({ actor: null })
  })

  it('stands in the list of the user’s sessions with its reason, and the user can end it', async () => {
    const host = await startDesk()
    const alice = bearer((await logIn(host)).authToken)
    const acted = await act(host)
    // Without the option `accounts` there is nobody to mail it.
    expect(host.events.at(-1)).toMatchObject({ type: 'session.acted-for', notified: false })
    const shown = (await listOf(host, alice)).find(({ kind }) => kind === 'acting')
    expect(shown).toMatchObject({
      id: acted.session.id,
      name: 'Support: Ticket 4711',
      actor: { id: 'u-bob' },
      userAgent: null,
    })
    expect((await listOf(host, alice)).filter(({ actor }) => actor === null)).toHaveLength(1)
    // Bob sees the same list.
    const kinds = (await listOf(host, acted.headers)).map(({ kind }) => kind)
    expect(kinds.toSorted()).toEqual(['acting', 'login'])
    await remove(host, `/auth/sessions/${acted.session.id}`, alice).expect(200)
    await get(host, '/me', acted.headers).expect(401)
  })

  it('is mailed to the user with reason and time, unless the host says otherwise', async () => {
    const host = await startAccounts()
    addBob(host)
    await act(host, { actor: { id: 'u-bob', reason: 'Ticket 4711, http://evil.example/' } })
    const [mail] = await host.mailed('acted-for')
    expect(mail).toMatchObject({ to: 'alice@example.com', kind: 'acted-for' })
    expect(mail?.text).toContain('Ticket 4711')
    // No text that a mail program makes a link of.
    expect(mail?.text).not.toContain('evil.example')
    expect(mail?.text).toContain(String(mail?.because.at.getUTCFullYear()))
    await act(host, { notify: false })
    expect(await host.mailed('acted-for')).toHaveLength(1)
    const told = host.events.filter(({ type }) => type === 'session.acted-for')
    expect(told).toMatchObject([
      { userId: 'u-alice', actor: 'u-bob', reason: expect.any(String), notified: true },
      { actor: 'u-bob', reason: 'Ticket 4711', notified: false },
    ])
  })

  it('is named in every event that its requests make', async () => {
    const host = await startDesk()
    const acted = await act(host)
    await post(host, '/auth/pkce/authorize', {}, acted.headers).expect(403)
    const closed = host.auth.authenticateToken(acted.token, { actor: false })
    await expect(closed).rejects.toMatchObject({ code: 'forbidden' })
    await post(host, '/logout', undefined, acted.headers).expect(200)
    expect(host.events.map(({ type, actor }) => [type, actor])).toEqual([
      ['session.started', 'u-bob'],
      ['session.acted-for', 'u-bob'],
      ['request.refused', 'u-bob'],
      ['request.refused', 'u-bob'],
      ['session.ended', 'u-bob'],
    ])
  })

  it('opens the four requests that the description names, its own logout among them', async () => {
    const open = requests.filter(({ request }) => request['x-who'].includes('while acting'))
    expect(open.map(({ route }) => route).toSorted()).toEqual([
      'GET /auth/sessions',
      'GET /logout',
      'GET /me',
      'POST /auth/socket-ticket',
      'POST /logout',
    ])
    const host = await startDesk()
    for (const { route } of open) {
      const [method, path] = route.split(' ')
      const { headers } = await act(host)
      const answer = await fetch(`${host.url}${path}`, { method: method as string, headers })
      expect([route, answer.status]).toEqual([route, 200])
    }
  })

  it('tells a service that introspects its token who acts', async () => {
    const app = await startOAuthApp()
    const change = { kind: 'acting', actorId: 'u-bob', clientId: undefined as never, scope: '*' }
    const { session } = await app.open('wiki', change)
    const { json } = await app.introspect('companion', await app.sign(session))
    expect(json).toMatchObject({ active: true, sub: 'u-alice', act: { sub: 'u-bob' } })
    const { accessToken } = await app.open('wiki')
    expect((await app.introspect('companion', accessToken)).json).not.toHaveProperty('act')
  })

  it('needs no second factor of the user, and no enrolment, for nobody has shown any', async () => {
    const host = await startDesk({ options: { secondFactor: () => 'required' } })
    const { headers } = await act(host)
    await get(host, '/rooms', headers).expect(200)
  })

  it('asks the veto of the host, as every sign-in', async () => {
    const doors: unknown[] = []
    const beforeLogin = ({ door, methods }: { door: string; methods: readonly string[] }) => {
      doors.push([door, methods])
      return 'Not in this house.'
    }
    const host = await startDesk({ options: { beforeLogin } })
    await expect(act(host)).rejects.toMatchObject({
      code: 'forbidden',
      clientMessage: 'Not in this house.',
    })
    expect(doors).toEqual([['acting', ['host']]])
    expect(await host.auth.sessions.list('u-alice')).toEqual([])
  })

  it('may have an actor whom the user store does not know', async () => {
    const host = await startDesk()
    const { headers } = await act(host, { actor: { ...asked.actor, id: 'staff:ada' } })
    await get(host, '/rooms', headers).expect(200)
  })
})
