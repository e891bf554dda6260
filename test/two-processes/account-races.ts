// Mailed links and codes: each works once, and what it ends is over.
import { expect, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { newPassword } from '../accounts/account-host.js'
import {
  changeTo,
  deletionBy,
  logInAt,
  mailOf,
  newcomersPassword,
  registerAt,
  resetToken,
} from '../support/account-steps.js'
import { bearer } from '../support/client.js'
import { password, passwordHash } from '../support/host.js'
import { tokenIn } from '../support/mounted-accounts.js'
import type { ServerProcess, UserRow } from '../support/server-processes.js'
import { isLetIn, type Race, type Servers, told } from './races.js'

const proofRefused = ['400 proof-refused']
const mailsOf = ({ all }: Servers, kind: string, to: string) =>
  all.flatMap(({ mails }) => mails).filter((mail) => mail.kind === kind && mail.to === to)

/** Somebody whose address was just changed, and the link that undoes it. */
async function changedAddress(servers: Servers) {
  const { one, other, all } = servers
  const user = await servers.addUser()
  const token = await logInAt(one, user.username)
  const confirmed = await changeTo(other, `new-${user.email}`, token)
  expect((await one.post('/auth/email/confirm', confirmed, token)).status).toBe(200)
  const { url } = await mailOf(all, 'address-changed', user.email)
  return { user, token: tokenIn(url) }
}

const resets: readonly Race[] = [
  {
    title: 'reset a password by one link, each to another one: one sets it',
    async prepare(servers) {
      const { one, all } = servers
      const user = await servers.addUser()
      const token = await resetToken(one, user.username, user.email)
      return {
        send: (server, caller) =>
          server.post('/auth/password/reset', { token, password: `${newPassword} ${caller}` }),
        refusals: proofRefused,
        async after(_won, answers) {
          const winner = answers.findIndex(isLetIn)
          expect((await servers.rowOf(user))?.password_hash).not.toBe(passwordHash)
          for (const server of all) await logInAt(server, user.username, `${newPassword} ${winner}`)
        },
      }
    },
  },
  {
    title: 'reset a password by one link, all to the same one: one sets it',
    async prepare(servers) {
      const { other } = servers
      const user = await servers.addUser()
      const token = await resetToken(other, user.username, user.email)
      const body = { token, password: newPassword }
      return {
        send: (server) => server.post('/auth/password/reset', body),
        refusals: proofRefused,
        after: async () => void (await logInAt(servers.one, user.username, newPassword)),
      }
    },
  },
]

const addresses: readonly Race[] = [
  {
    title: 'confirm a new address by one code: one changes it, and the former one is told once',
    async prepare(servers) {
      const { one, other, all } = servers
      const user = await servers.addUser()
      const token = await logInAt(one, user.username)
      const email = `new-${user.email}`
      const confirmed = await changeTo(other, email, token)
      return {
        send: (server) => server.post('/auth/email/confirm', confirmed, token),
        // Too late, or overtaken.
        refusals: [...proofRefused, '409 superseded', '429 too-many-requests'],
        async after() {
          expect(await servers.rowOf(user)).toMatchObject({ email, email_verified: 1 })
          await mailOf(all, 'address-changed', user.email)
          expect(mailsOf(servers, 'address-changed', user.email)).toHaveLength(1)
        },
      }
    },
  },
  {
    title: 'undo the change of an address by one link: one does, and its password counts',
    async prepare(servers) {
      const { user, token } = await changedAddress(servers)
      return {
        send: (server, n) =>
          server.post('/auth/email/undo', { token, password: `a phrase of the owner, ${n}` }),
        refusals: proofRefused,
        async after() {
          const { email } = user
          expect(await servers.rowOf(user)).toMatchObject({ email, email_verified: 1 })
        },
      }
    },
  },
  {
    title: 'confirm one of two new addresses: one wins',
    async prepare(servers) {
      const { one, other } = servers
      const user = await servers.addUser()
      const token = await logInAt(one, user.username)
      const [here, there] = [`here-${user.email}`, `there-${user.email}`]
      const codes = [await changeTo(one, here, token), await changeTo(other, there, token)]
      return {
        send: (server, caller) => server.post('/auth/email/confirm', codes[caller % 2], token),
        refusals: [...proofRefused, '409 superseded', '429 too-many-requests'],
        async after(_won, answers) {
          const isFirst = answers.findIndex(isLetIn) % 2 === 0
          expect((await servers.rowOf(user))?.email).toBe(isFirst ? here : there)
        },
      }
    },
  },
]

async function withMailedFactor(servers: Servers) {
  const { one, other } = servers
  const user = await servers.addUser()
  const token = await logInAt(other, user.username)
  const switched = await one.post('/auth/email/second-factor', { enabled: true }, token)
  expect(switched.status).toBe(200)
  return { user, login: { username: user.username, password } }
}

const codes: readonly Race[] = [
  {
    title: 'log in by a password and one mailed code: one is let in',
    async prepare(servers) {
      const { user, login } = await withMailedFactor(servers)
      expect((await servers.one.post('/login', login)).error).toBe('totp-required')
      const { code } = await mailOf(servers.all, 'second-factor-code', user.email)
      return {
        send: (server) => server.post('/login', { ...login, code }),
        refusals: ['401 totp-invalid'],
      }
    },
  },
  {
    title: 'sign in by one mailed code: one is let in, with one session',
    async prepare(servers) {
      const { one, all } = servers
      const user = await servers.addUser()
      const { data } = await one.post('/auth/code', { email: user.email })
      const { code } = await mailOf(all, 'sign-in-code', user.email)
      const body = { requestId: data.requestId, code }
      return {
        send: (server) => server.post('/auth/code/login', body),
        refusals: proofRefused,
        async after([winner]) {
          const token = winner?.data.authToken
          const listed = await one.ask('GET', '/auth/sessions', undefined, token)
          expect(listed.data.sessions).toHaveLength(1)
        },
      }
    },
  },
  {
    title: 'ask for a mailed code: the codes of four differ, and each works',
    callers: 4,
    async prepare(servers) {
      const { user, login } = await withMailedFactor(servers)
      return {
        send: (server) => server.post('/login', login),
        wins: 0,
        refusals: ['401 totp-required'],
        async after() {
          const sent = () =>
            mailsOf(servers, 'second-factor-code', user.email).flatMap(({ code }) => code ?? [])
          await expect.poll(() => sent().length).toBe(4)
          expect(new Set(sent()).size).toBe(4)
          for (const code of sent())
            expect((await servers.other.post('/login', { ...login, code })).status).toBe(200)
        },
      }
    },
  },
]

/** Resolves when it is open; `closed` resolves with the code that it is closed with. */
export async function openSocket({ url }: ServerProcess, token: string) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, { headers: bearer(token) })
  onTestFinished(() => socket.terminate())
  const closed = new Promise<number>((resolve) => void socket.once('close', resolve))
  await new Promise((resolve, reject) => void socket.once('open', resolve).once('error', reject))
  return { closed }
}

/** Waits until it is so in this process as well. */
export const expectEnded = ({ ask }: ServerProcess, token: string): Promise<void> =>
  expect.poll(async () => (await ask('GET', '/me', undefined, token)).status).toBe(401)

const deletions: readonly Race[] = [
  {
    title: 'confirm a deletion, while as many log in: one does, and whoever came in is out',
    async prepare(servers) {
      const { one, other } = servers
      const user = await servers.addUser()
      const token = await logInAt(one, user.username)
      const { closed } = await openSocket(other, await logInAt(other, user.username))
      const confirmed = await deletionBy(other, token, user.email)
      const login = { username: user.username, password }
      return {
        send: (server) => server.post('/auth/account/delete/confirm', confirmed, token),
        beside: (server) => server.post('/login', login),
        refusals: [...proofRefused, '401 Unauthorized'],
        async after(_won, _answers, logins) {
          expect(await servers.rowOf(user)).toBeUndefined()
          expect(await closed).toBe(4401)
          for (const { status, data } of logins) {
            expect(status, JSON.stringify(told(logins))).toBeOneOf([200, 401])
            if (status === 200) await expectEnded(one, data.authToken)
          }
        },
      }
    },
  },
]

const namesOf = (rows: readonly UserRow[], name: string) =>
  rows.map(({ username }) => username).filter((one) => one.startsWith(`${name}-`))

const registrations: readonly Race[] = [
  {
    title: 'confirm a registration: there is one user with one session',
    async prepare(servers) {
      const { one, other } = servers
      const username = `${servers.newName()}-new`
      type Invited = { id: string; token: string; usesLeft: number }
      const invited = await one.call<Invited>('auth.accounts.invite', { uses: 50 })
      const given = { username, email: `${username}@example.com`, invitation: invited.token }
      const mine = await registerAt(one, given)
      return {
        send: (server) => server.post('/auth/register/confirm', mine),
        refusals: proofRefused,
        async after() {
          const mineOf = (await servers.rows()).filter((row) => row.username === username)
          expect(mineOf).toHaveLength(1)
          const open = await other.call<readonly Invited[]>('auth.accounts.invitations')
          expect(open.find(({ id }) => id === invited.id)?.usesLeft).toBe(49)
          const late = await other.post('/auth/register/confirm', mine)
          expect([late.status, late.error]).toEqual([400, 'proof-refused'])
          const token = await logInAt(other, username, newcomersPassword)
          const { data } = await other.ask('GET', '/auth/sessions', undefined, token)
          expect(data.sessions).toHaveLength(2)
        },
      }
    },
  },
  {
    title: 'register with one name: of 20 people one has it, and the others ask again',
    callers: 20,
    async prepare(servers) {
      const { one } = servers
      const name = servers.newName()
      const username = `${name}-new`
      const people = Array.from({ length: 20 }, (_none, i) => `${name}-${i}@example.com`)
      const proofs = await Promise.all(people.map((email) => registerAt(one, { username, email })))
      return {
        send: (server, caller) => server.post('/auth/register/confirm', proofs[caller]),
        refusals: ['409 username-taken'],
        async after(_won, answers) {
          const loser = proofs[answers.findIndex((answer) => !isLetIn(answer))]
          const body = { ...loser, username: `${name}-other` }
          const again = await one.post('/auth/register/confirm', body)
          expect(again.status, again.error).toBe(200)
          expect(namesOf(await servers.rows(), name).toSorted()).toEqual([
            `${name}-new`,
            `${name}-other`,
          ])
        },
      }
    },
  },
]

export const accountRaces: readonly Race[] = [
  ...resets,
  ...addresses,
  ...codes,
  ...deletions,
  ...registrations,
]
