// The typed client registers.
import { expect, it } from 'vitest'
import { createAuthClient } from '../../src/client/client.js'
import { ada, goodPassword, startRegistration } from './registration-host.js'

it('registers, and is signed in', async () => {
  const host = await startRegistration()
  const client = createAuthClient({ baseUrl: host.url })
  expect(await client.registration()).toMatchObject({ open: true, invited: false })
  const mailed = await client.register(ada)
  expect(mailed).toMatchObject({ status: 'code-needed', expiresIn: 3600 })
  const code = (await host.mailed('register'))[0]?.code ?? ''
  await expect(mailed.submit('1', { password: goodPassword })).rejects.toMatchObject({
    code: 'proof-refused',
  })
  await expect(mailed.submit(code, { password: 'short' })).rejects.toMatchObject({
    code: 'password-refused',
    details: { reasons: ['too-short'], minLength: 15 },
  })
  const made = await mailed.submit(code, { password: goodPassword })
  expect(made).toMatchObject({ status: 'signed-in', me: { username: 'ada' } })
  expect(client.state.status).toBe('signed-in')
})

it('submits the same code with another name where that is taken', async () => {
  const host = await startRegistration()
  const client = createAuthClient({ baseUrl: host.url })
  const mailed = await client.register(ada)
  const code = (await host.mailed('register'))[0]?.code ?? ''
  host.users.add({ id: 'u-quick', username: 'ada', email: 'quick@example.com' })
  const password = goodPassword
  const taken = mailed.submit(code, { password })
  await expect(taken).rejects.toMatchObject({ code: 'username-taken', status: 409 })
  const result = await mailed.submit(code, { password, username: 'ada2' })
  expect(result).toMatchObject({ status: 'signed-in', me: { username: 'ada2' } })
})

it('reads an invitation, and is told why a registration is refused', async () => {
  const host = await startRegistration({ accounts: { registration: 'invited' } })
  const client = createAuthClient({ baseUrl: host.url })
  const { token: invitation } = await host.auth.accounts.invite({ note: 'Welcome!' })
  expect(await client.invitation(invitation)).toMatchObject({ note: 'Welcome!' })
  for (const bad of ['', '.', '..'])
    await expect(client.invitation(bad)).rejects.toMatchObject({ code: 'invalid-request' })
  await expect(client.register(ada)).rejects.toMatchObject({ code: 'registration-closed' })
})
