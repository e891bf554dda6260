// Invitations that are guessed, used at once by many, over, or somebody else's.
import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { get } from '../support/client.js'
import { behindProxy, from, statusesOf, tally } from '../support/guessing.js'
import {
  type Confirmation,
  confirm,
  eventsOf,
  newUsers,
  register,
  registered,
  startRegistration,
} from './registration-host.js'

const startInvited = () => startRegistration({ accounts: { registration: 'invited' } })
const noLimit = { points: 100_000, duration: 900 }

it('guesses are limited by network, and find nothing', async () => {
  const host = await startRegistration({ ...behindProxy, accounts: { registration: 'invited' } })
  await host.auth.accounts.invite()
  const guess = (i: number) => `mar_iv_${String(i).padStart(43, 'A')}`
  const look = (i: number) => get(host, `/auth/invitations/${guess(i)}`, from('10.0.0.1'))
  expect(tally(await statusesOf(320, look))).toEqual({ 400: 300, 429: 20 })
  const use = (i: number) => register(host, { invitation: guess(i) }, from('10.0.0.1'))
  expect(tally(await statusesOf(320, use))).toEqual({ 400: 300, 429: 20 })
  expect(host.mails).toEqual([])
})

it('of more people than it has uses, at once, as many become users as it has', async () => {
  const mail = { network: noLimit }
  const host = await startRegistration({
    accounts: { registration: 'invited' },
    options: { throttle: { mail } },
  })
  const { token: invitation } = await host.auth.accounts.invite({ uses: 5 })
  const waiting: Confirmation[] = []
  for (let i = 0; i < 12; i += 1)
    waiting.push(
      await registered(host, { invitation, username: `n${i}`, email: `n${i}@example.com` }),
    )
  const answers = await Promise.all(waiting.map((one) => confirm(host, one)))
  expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 5, 400: 7 })
  expect(newUsers(host)).toHaveLength(5)
  expect(eventsOf(host, 'invitation.used')).toHaveLength(5)
})

it('the same confirmation, fifty times at once, makes one user with one use of many', async () => {
  const host = await startInvited()
  const { token: invitation } = await host.auth.accounts.invite({ uses: 50 })
  const mine = await registered(host, { invitation })
  const answers = await Promise.all(Array.from({ length: 50 }, () => confirm(host, mine)))
  expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 1, 400: 49 })
  expect(newUsers(host)).toHaveLength(1)
  expect(await host.auth.accounts.invitations()).toMatchObject([{ usesLeft: 49 }])
})

it.each<[string, (host: Awaited<ReturnType<typeof startInvited>>, id: string) => unknown]>([
  ['it was revoked', (host, id) => host.auth.accounts.revokeInvitation(id)],
  ['it has expired', (host) => host.clock.advance(601)],
])('who has registered with an invitation becomes no user after %s', async (_what, happens) => {
  const host = await startInvited()
  const { id, token: invitation } = await host.auth.accounts.invite({ expiresIn: 600 })
  const mine = await registered(host, { invitation })
  await happens(host, id)
  await confirm(host, mine).expect(400)
  await register(host, { invitation }).expect(400)
  expect(newUsers(host)).toEqual([])
})

it('the id of an invitation invites nobody, and the token of one revokes none', async () => {
  const host = await startInvited()
  const { id, token } = await host.auth.accounts.invite()
  await register(host, { invitation: id }).expect(400)
  await register(host, { invitation: `mar_iv_${id}` }).expect(400)
  expect(await host.auth.accounts.revokeInvitation(token)).toBe(false)
  await register(host, { invitation: token }).expect(202)
})

it('an invitation of another server, with other keys, is none', async () => {
  const host = await startInvited()
  const { token: invitation } = await host.auth.accounts.invite({ note: 'ours' })
  const other = await startRegistration({
    accounts: { registration: 'invited' },
    options: {
      proofs: host.stores.proofs,
      encryptionKeys: [randomBytes(32).toString('base64')],
    },
  })
  await register(other, { invitation }).expect(400)
  expect(await other.auth.accounts.invitations()).toMatchObject([{ email: null, note: null }])
})

it('a mail bomb of invitations is three mails, and the host is told', async () => {
  const host = await startInvited()
  const invite = () => host.auth.accounts.invite({ email: 'ada@example.com', send: true })
  for (let i = 0; i < 3; i += 1) await invite()
  await expect(invite()).rejects.toMatchObject({ code: 'too-many-requests' })
  expect(await host.mailed('invitation')).toHaveLength(3)
  expect(await host.auth.accounts.invitations()).toHaveLength(3)
})
