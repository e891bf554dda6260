// Invitations: whoever has one may register.
import { expect, it } from 'vitest'
import { get } from '../support/client.js'
import { tokenIn } from '../support/mounted-accounts.js'
import {
  ada,
  confirm,
  eventsOf,
  newUsers,
  register,
  registered,
  startRegistration,
} from './registration-host.js'

const startInvited = () => startRegistration({ accounts: { registration: 'invited' } })

it('with an invitation a stranger registers; the host learns which one it was', async () => {
  const host = await startInvited()
  const { body } = await register(host).expect(403)
  expect(body.error).toBe('registration-closed')
  const { id, token, url } = await host.auth.accounts.invite({
    note: 'team:support',
    by: 'admin:eve',
  })
  host.issued.add(token)
  expect(token).toMatch(/^mar_iv_[\w-]{43}$/)
  expect(url).toBe(`https://chat.example.com/#/invitation/${token}`)
  await confirm(host, await registered(host, { invitation: token })).expect(200)
  expect(newUsers(host)[0]?.invitation).toEqual({ id, note: 'team:support' })
  expect(eventsOf(host, 'invitation.created')).toMatchObject([
    { invitationId: id, actor: 'admin:eve' },
  ])
  expect(eventsOf(host, 'invitation.used')).toMatchObject([{ invitationId: id }])
  expect(eventsOf(host, 'account.registered')).toMatchObject([{ invitationId: id }])
  const again = await register(host, { invitation: token }).expect(400)
  expect(again.body).toMatchObject({ error: 'proof-refused', details: { reason: 'used' } })
})

it('an invitation says what it is for, as often as it is asked', async () => {
  const host = await startInvited()
  const given = { email: 'Ada@Example.COM', note: 'Welcome!', expiresIn: 600 }
  const { token } = await host.auth.accounts.invite(given)
  const expiresAt = new Date(host.clock().getTime() + 600_000).toISOString()
  for (let i = 0; i < 3; i += 1) {
    const { body } = await get(host, `/auth/invitations/${token}`).expect(200)
    expect(body.data).toEqual({ email: 'Ada@example.com', note: 'Welcome!', expiresAt })
  }
  const plain = await host.auth.accounts.invite()
  const { body } = await get(host, `/auth/invitations/${plain.token}`).expect(200)
  expect(Object.keys(body.data)).toEqual(['expiresAt'])
  host.clock.advance(600)
  const late = await get(host, `/auth/invitations/${token}`).expect(400)
  expect(late.body).toMatchObject({ error: 'proof-refused', details: { reason: 'expired' } })
  await get(host, '/auth/invitations/x').expect(400)
})

it('one that names an address is mailed there, and registers no other', async () => {
  const host = await startInvited()
  const { url } = await host.auth.accounts.invite({ email: 'ada@example.com', send: true })
  const [mail] = await host.mailed('invitation')
  expect(mail).toMatchObject({ to: 'ada@example.com', url, user: null, because: { ip: null } })
  const invitation = tokenIn(url)
  await register(host, { invitation, email: 'eve@example.com' }).expect(400)
  await confirm(host, await registered(host, { invitation })).expect(200)
})

it('makes as many users as it has uses', async () => {
  const host = await startInvited()
  const { token: invitation } = await host.auth.accounts.invite({ uses: 2 })
  const three = []
  for (const name of ['ada', 'bob', 'cyd'])
    three.push(await registered(host, { invitation, username: name, email: `${name}@example.com` }))
  const statuses = []
  for (const one of three) statuses.push((await confirm(host, one)).status)
  expect(statuses).toEqual([200, 200, 400])
  expect(newUsers(host)).toHaveLength(2)
})

it('a second confirmation, with another name, takes no second use', async () => {
  const host = await startInvited()
  const { token: invitation } = await host.auth.accounts.invite({ uses: 2 })
  const mine = await registered(host, { invitation })
  host.users.add({ id: 'u-quick', username: ada.username, email: 'quick@example.com' })
  await confirm(host, mine).expect(409)
  await confirm(host, { ...mine, username: 'ada2' }).expect(200)
  expect(eventsOf(host, 'invitation.used')).toHaveLength(1)
  expect(await host.auth.accounts.invitations()).toMatchObject([{ usesLeft: 1 }])
})

it('lists those that can be used, and revokes them', async () => {
  const host = await startInvited()
  const { accounts } = host.auth
  const { id, token: invitation } = await accounts.invite({ email: 'ada@example.com', uses: 3 })
  await accounts.invite({ expiresIn: 60, note: 'soon over' })
  expect(await accounts.invitations()).toHaveLength(2)
  host.clock.advance(60)
  const createdAt = new Date(host.clock().getTime() - 60_000)
  const expiresAt = new Date(createdAt.getTime() + 604_800_000)
  expect(await accounts.invitations()).toEqual([
    { id, email: 'ada@example.com', note: null, usesLeft: 3, createdAt, expiresAt },
  ])
  const waiting = await registered(host, { invitation })
  expect(await accounts.revokeInvitation(id, { by: 'admin:eve' })).toBe(true)
  expect(await accounts.revokeInvitation(id)).toBe(false)
  expect(await accounts.invitations()).toEqual([])
  await confirm(host, waiting).expect(400)
  await register(host, { invitation }).expect(400)
  expect(newUsers(host)).toEqual([])
  expect(eventsOf(host, 'invitation.revoked')).toMatchObject([{ invitationId: id }])
})

it.each([
  { uses: 0 },
  { uses: 1.5 },
  { expiresIn: 59 },
  { note: 'x'.repeat(501) },
  { email: 'nobody' },
  { send: true },
  { sent: true },
  { by: 'a\nb' },
])('refuses what is no invitation: %o', async (options) => {
  const host = await startInvited()
  await expect(host.auth.accounts.invite(options)).rejects.toMatchObject({
    code: 'invalid-request',
  })
  expect(await host.auth.accounts.invitations()).toEqual([])
})

it('says what is missing: a page for the link, a method of the store', async () => {
  const links = {
    reset: 'https://chat.example.com/#/reset/{token}',
    undo: 'https://chat.example.com/#/undo/{token}',
  }
  const host = await startRegistration({ accounts: { links } })
  await expect(host.auth.accounts.invite()).rejects.toMatchObject({
    option: 'accounts.links.invitation',
  })
  await expect(
    startRegistration({ accounts: { registration: 'invited', links } }),
  ).rejects.toMatchObject({ option: 'accounts.links.invitation' })
})

it('where everybody may register, an invitation still says who has come by which', async () => {
  const host = await startRegistration()
  const { id, token: invitation } = await host.auth.accounts.invite()
  await confirm(host, await registered(host, { invitation })).expect(200)
  expect(eventsOf(host, 'account.registered')).toMatchObject([{ invitationId: id }])
})
