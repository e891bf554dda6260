// What somebody does who has an account on servers of server-processes.ts, up to what is mailed.
import { expect } from 'vitest'
import type { MailKind } from '../../src/index.js'
import { password } from './host.js'
import { tokenIn } from './mounted-accounts.js'
import { firstAddress, type SentMail, type ServerProcess } from './server-processes.js'

/** The body that confirms something. */
export interface Confirmation {
  readonly requestId: string
  readonly code: string
}

/** The last mail of a kind that the processes have sent, once it is there. */
export async function mailOf(
  processes: readonly ServerProcess[],
  kind: MailKind,
  to: string,
): Promise<SentMail> {
  const found = () =>
    processes.flatMap(({ mails }) => mails).findLast((mail) => mail.kind === kind && mail.to === to)
  await expect.poll(found, { interval: 5 }).toBeDefined()
  return found() as SentMail
}

/** The token of a login by password. */
export async function logInAt(
  process: ServerProcess,
  username = 'alice',
  secret = password,
): Promise<string> {
  const { status, error, data } = await process.post('/login', { username, password: secret })
  expect(status, error).toBe(200)
  return data.authToken
}

/** What a newcomer sends. */
export const newcomer = {
  email: 'ada@example.com',
  username: 'ada',
  name: 'Ada',
}

/** The password with which the newcomer confirms. */
export const newcomersPassword = 'a phrase that nobody else has typed'

/** The body that confirms a registration. */
export async function registerAt(
  process: ServerProcess,
  given: object = {},
): Promise<Confirmation & { readonly password: string }> {
  const body = { ...newcomer, ...given }
  const asked = await process.post('/auth/register', body)
  expect(asked.status, asked.error).toBe(202)
  const { code = '' } = await mailOf([process], 'register', body.email)
  return { requestId: asked.data.requestId, code, password: newcomersPassword }
}

/** The token of a link for a new password. */
export async function resetToken(
  process: ServerProcess,
  username = 'alice',
  address = firstAddress,
): Promise<string> {
  // Somebody may have asked before.
  const before = process.mails.length
  const { status } = await process.post('/auth/password/forgot', { username })
  expect(status).toBe(202)
  const mine = () =>
    process.mails.slice(before).find(({ kind, to }) => kind === 'reset-password' && to === address)
  await expect.poll(mine, { interval: 5 }).toBeDefined()
  return tokenIn(mine()?.url)
}

/** The body that deletes the account of a session. */
export async function deletionBy(
  process: ServerProcess,
  token: string,
  address = firstAddress,
  secret = password,
): Promise<Confirmation> {
  const asked = await process.post('/auth/account/delete', { password: secret }, token)
  expect(asked.status, asked.error).toBe(202)
  const { code = '' } = await mailOf([process], 'confirm-deletion', address)
  return { requestId: asked.data.requestId, code }
}

/** The body that confirms a change of the address. */
export async function changeTo(
  process: ServerProcess,
  email: string,
  token: string,
): Promise<Confirmation> {
  const asked = await process.post('/auth/email/change', { email, password }, token)
  expect(asked.status, asked.error).toBe(202)
  const { code = '' } = await mailOf([process], 'change-address', email)
  return { requestId: asked.data.requestId, code }
}
