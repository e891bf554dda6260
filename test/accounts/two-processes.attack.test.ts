// A mailed link or code works once, however many use it at the same moment in two processes, and
// what it ends is over in both.
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import {
  type AccountProcess,
  type Answer,
  changeTo,
  deletionBy,
  firstAddress,
  mailOf,
  openAccounts,
  resetToken,
  sharedAccounts,
} from '../support/account-processes.js'
import { bearer, pkcePair } from '../support/client.js'
import { password, passwordHash } from '../support/host.js'
import { tokenIn } from '../support/mounted-accounts.js'
import { newPassword } from './account-host.js'

const callers = 50
/** From everybody at once, through one process after the other. */
const race = (
  processes: readonly AccountProcess[],
  send: (process: AccountProcess, caller: number) => Promise<Answer>,
) =>
  Promise.all(
    Array.from({ length: callers }, (_none, caller) =>
      send(processes[caller % processes.length] as AccountProcess, caller),
    ),
  )

/** The different answers, and how often each came. */
function told(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, error = 'done' } of answers) {
    const answer = `${status} ${error}`
    counts[answer] = (counts[answer] ?? 0) + 1
  }
  return counts
}

const once = { '200 done': 1, '400 proof-refused': callers - 1 }

async function logIn(process: AccountProcess, secret = password): Promise<string> {
  const { status, data } = await process.post('/login', { username: 'alice', password: secret })
  expect(status).toBe(200)
  return data.authToken
}

describe.each(sharedAccounts)('two processes over $name', (kind) => {
  async function start() {
    const { row, isThere, start } = await openAccounts(kind)
    const processes = await Promise.all([start(), start()])
    const [one, other] = processes as [AccountProcess, AccountProcess]
    return { row, isThere, processes, one, other }
  }

  it.skipIf(!kind.isThere)('50 resets with one link set one password', async () => {
    const { row, processes, one, other } = await start()
    const token = await resetToken(one)
    const answers = await race(processes, (process, caller) =>
      process.post('/auth/password/reset', { token, password: `${newPassword} ${caller}` }),
    )
    expect(told(answers)).toEqual(once)
    const winner = answers.findIndex(({ status }) => status === 200)
    expect((await row()).password_hash).not.toBe(passwordHash)
    await logIn(one, `${newPassword} ${winner}`)
    await logIn(other, `${newPassword} ${winner}`)
    // Also where all of them type the same.
    const next = await resetToken(other)
    const again = await race(processes, (process) =>
      process.post('/auth/password/reset', { token: next, password: newPassword }),
    )
    expect(told(again)).toEqual(once)
    await logIn(one, newPassword)
  })

  it.skipIf(!kind.isThere)(
    '50 confirmations with one code change one address, and 50 undos with one link undo it',
    async () => {
      const { row, processes, one, other } = await start()
      const token = await logIn(one)
      const confirmed = await changeTo(other, 'new@example.org', token)
      const answers = await race(processes, (process) =>
        process.post('/auth/email/confirm', confirmed, token),
      )
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      // Overtaken, or too late.
      const refused = answers.filter(({ status }) => [400, 409].includes(status))
      expect(refused, JSON.stringify(told(answers))).toHaveLength(callers - 1)
      expect(await row()).toMatchObject({ email: 'new@example.org', email_verified: 1 })
      const { url } = await mailOf(processes, 'address-changed', firstAddress)
      const undos = await race(processes, (process) =>
        process.post('/auth/email/undo', { token: tokenIn(url) }),
      )
      expect(told(undos)).toEqual(once)
      expect(await row()).toMatchObject({ email: firstAddress, email_verified: 1 })
      await mailOf(processes, 'reset-password', firstAddress)
      for (const kind of ['address-changed', 'reset-password'])
        expect(
          processes.flatMap(({ mails }) => mails).filter((mail) => mail.kind === kind),
        ).toHaveLength(1)
    },
  )

  it.skipIf(!kind.isThere)('50 logins with one mailed code open one session', async () => {
    const { processes, one, other } = await start()
    const body = { enabled: true }
    expect((await one.post('/auth/email/second-factor', body, await logIn(other))).status).toBe(200)
    const login = { username: 'alice', password }
    expect((await one.post('/login', login)).error).toBe('totp-required')
    const { code } = await mailOf(processes, 'second-factor-code', firstAddress)
    const answers = await race(processes, (process) => process.post('/login', { ...login, code }))
    expect(told(answers)).toEqual({ '200 done': 1, '401 totp-invalid': callers - 1 })
  })

  it.skipIf(!kind.isThere)('50 sign-ins with one mailed code open one session', async () => {
    const { processes, one } = await start()
    const { data } = await one.post('/auth/code', { email: firstAddress })
    const { code } = await mailOf(processes, 'sign-in-code', firstAddress)
    const body = { requestId: data.requestId, code }
    const answers = await race(processes, (process) => process.post('/auth/code/login', body))
    expect(told(answers)).toEqual(once)
    const winner = answers.find(({ status }) => status === 200)
    const listed = await one.ask('GET', '/auth/sessions', undefined, winner?.data.authToken)
    expect(listed.data.sessions).toHaveLength(1)
  })

  it.skipIf(!kind.isThere)(
    '50 confirmations delete an account once, and what signs in meanwhile is over',
    async () => {
      const { isThere, processes, one, other } = await start()
      const token = await logIn(one)
      const { closed } = await openSocket(other, await logIn(other))
      const confirmed = await deletionBy(other, token)
      const login = { username: 'alice', password }
      const path = '/auth/account/delete/confirm'
      const [answers, logins] = await Promise.all([
        race(processes, (process) => process.post(path, confirmed, token)),
        race(processes, (process) => process.post('/login', login)),
      ])
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      const refused = answers.filter(({ status }) => [400, 401].includes(status))
      expect(refused, JSON.stringify(told(answers))).toHaveLength(callers - 1)
      expect(await isThere()).toBe(false)
      expect(await closed).toBe(4401)
      for (const { status, data } of logins) {
        expect(status, JSON.stringify(told(logins))).toBeOneOf([200, 401])
        if (status !== 200) continue
        const me = async () => (await one.ask('GET', '/me', undefined, data.authToken)).status
        await expect.poll(me).toBe(401)
      }
    },
  )

  it.skipIf(!kind.isThere)('codes that are asked for at once differ, and each works', async () => {
    const { processes, one, other } = await start()
    const body = { enabled: true }
    await one.post('/auth/email/second-factor', body, await logIn(other))
    const login = { username: 'alice', password }
    const asked = await Promise.all(
      [one, other, one, other].map((process) => process.post('/login', login)),
    )
    expect(told(asked)).toEqual({ '401 totp-required': 4 })
    const codes = () => processes.flatMap(({ mails }) => mails).flatMap(({ code }) => code ?? [])
    await expect.poll(() => codes().length).toBe(4)
    expect(new Set(codes()).size).toBe(4)
    for (const code of codes())
      expect((await other.post('/login', { ...login, code })).status).toBe(200)
  })

  it.skipIf(!kind.isThere)('of two changes of the address at once one wins', async () => {
    const { row, one, other } = await start()
    const token = await logIn(one)
    const [here, there] = ['here@example.org', 'there@example.org']
    const [first, second] = [await changeTo(one, here, token), await changeTo(other, there, token)]
    const answers = await Promise.all([
      one.post('/auth/email/confirm', first, token),
      other.post('/auth/email/confirm', second, token),
    ])
    expect(
      answers.filter(({ status }) => status === 200),
      JSON.stringify(told(answers)),
    ).toHaveLength(1)
    expect(
      answers.filter(({ error = '' }) => ['superseded', 'proof-refused'].includes(error)),
    ).toHaveLength(1)
    expect((await row()).email).toBe(answers[0]?.status === 200 ? here : there)
  })

  it.skipIf(!kind.isThere)(
    'a reset in one process ends what is signed in through the other',
    async () => {
      const { one, other } = await start()
      const authToken = await logIn(other)
      const code = async () => {
        const { codeVerifier, codeChallenge } = pkcePair()
        const { data } = await other.post('/auth/pkce/authorize', { codeChallenge }, authToken)
        return { authorizationCode: data.authorizationCode, codeVerifier }
      }
      const unused = await code()
      const { data: tokens } = await other.post('/auth/pkce/token', await code())
      const { closed } = await openSocket(other, authToken)
      expect((await other.ask('GET', '/me', undefined, tokens.access_token)).status).toBe(200)
      const token = await resetToken(one)
      await one.post('/auth/password/reset', { token, password: newPassword })
      expect((await other.post('/auth/pkce/token', unused)).status).toBe(400)
      const refreshToken = tokens.refresh_token
      expect((await other.post('/auth/refresh', { refreshToken })).status).toBe(400)
      for (const held of [authToken, tokens.access_token])
        await expect
          .poll(async () => (await other.ask('GET', '/me', undefined, held)).status)
          .toBe(401)
      expect(await closed).toBe(4401)
    },
  )
})

/** Resolves when it is open; `closed` resolves with the code that it is closed with. */
async function openSocket(process: AccountProcess, token: string) {
  const url = `${process.url.replace('http', 'ws')}/ws`
  const socket = new WebSocket(url, { headers: bearer(token) })
  onTestFinished(() => socket.terminate())
  const closed = new Promise<number>((resolve) => void socket.once('close', resolve))
  await new Promise((resolve, reject) => void socket.once('open', resolve).once('error', reject))
  return { closed }
}
