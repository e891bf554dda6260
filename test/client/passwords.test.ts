// Passwords and addresses, as a client asks for them.
import { expect, it } from 'vitest'
import { newPassword, startAccounts } from '../accounts/account-host.js'
import { password } from '../support/host.js'
import { tokenIn } from '../support/mounted-accounts.js'
import { alice, clientOf } from './recorded.js'

it('a forgotten password is set anew by the token of the mail, with nobody signed in', async () => {
  const host = await startAccounts()
  const client = clientOf(host)
  await client.password.forgot({ username: 'alice' })
  const token = tokenIn((await host.mailed('reset-password'))[0]?.url)
  const short = client.password.reset(token, 'short')
  await expect(short).rejects.toMatchObject({
    code: 'password-refused',
    details: { reasons: ['too-short'], minLength: 15 },
  })
  await client.password.reset(token, newPassword)
  await expect(client.password.reset(token, newPassword)).rejects.toMatchObject({
    code: 'proof-refused',
    details: { reason: 'used' },
  })
  expect(await client.signIn({ user: 'alice', password: newPassword })).toMatchObject({
    status: 'signed-in',
  })
})

it('a signed-in user changes the password, and proves and changes the address', async () => {
  const host = await startAccounts()
  const [client, other] = [clientOf(host), clientOf(host)]
  await client.signIn(alice)
  await other.signIn(alice)
  await expect(client.password.change(newPassword)).rejects.toMatchObject({
    code: 'reauthentication-required',
  })
  expect(await client.password.change(newPassword, { password })).toBe(1)
  expect(await client.email.get()).toEqual({ email: 'alice@example.com', verified: true })
  await expect(client.email.verify()).rejects.toMatchObject({ code: 'already-verified' })
  const { requestId, expiresIn } = await client.email.change('new@example.org', {
    password: newPassword,
  })
  expect(expiresIn).toBe(600)
  await expect(client.email.confirm(requestId, '1')).rejects.toMatchObject({
    code: 'proof-refused',
  })
  await client.email.confirm(requestId, (await host.mailed('change-address'))[0]?.code ?? '')
  expect(await client.email.get()).toEqual({ email: 'new@example.org', verified: true })
  await client.email.undo(
    tokenIn((await host.mailed('address-changed'))[0]?.url),
    `${newPassword} once more`,
  )
  expect(host.users.rows.get('u-alice')?.email).toBe('alice@example.com')
  expect(await client.check()).toMatchObject({ status: 'signed-out' })
})

it('a user switches codes by mail on and off, and signs in with one', async () => {
  const host = await startAccounts({ accounts: { emailSecondFactor: true } })
  const client = clientOf(host)
  await client.signIn(alice)
  await client.email.setSecondFactor(true)
  expect(await client.email.get()).toMatchObject({ verified: true, secondFactor: true })
  const code = async () => (await host.mailed('second-factor-code')).at(-1)?.code ?? ''
  const due = await client.signIn(alice)
  if (due.status !== 'code-needed') throw new Error(due.status)
  expect(await due.submit(await code())).toMatchObject({ status: 'signed-in' })
  await client.email.setSecondFactor(false)
  expect(await client.email.get()).toMatchObject({ secondFactor: false })
})
