// The typed client registers.
import { expect, it } from 'vitest'
import { createAuthClient } from '../../src/client/client.js'
import { ada, startRegistration } from './registration-host.js'

it('registers, and is signed in', async () => {
  const host = await startRegistration()
  const client = createAuthClient({ baseUrl: host.url })
  expect(await client.registration()).toMatchObject({ open: true, invited: false })
  const mailed = await client.register(ada)
  expect(mailed).toMatchObject({ status: 'code-needed', expiresIn: 3600 })
  const code = (await host.mailed('register'))[0]?.code ?? ''
  await expect(mailed.submit('1')).rejects.toMatchObject({ code: 'proof-refused' })
  expect(await mailed.submit(code)).toMatchObject({ status: 'signed-in', me: { username: 'ada' } })
  expect(client.state.status).toBe('signed-in')
})

it('submits the same code with another name where that is taken', async () => {
  const host = await startRegistration()
  const client = createAuthClient({ baseUrl: host.url })
  const mailed = await client.register(ada)
  const code = (await host.mailed('register'))[0]?.code ?? ''
  host.users.add({ id: 'u-quick', username: 'ada', email: 'quick@example.com' })
  await expect(mailed.submit(code)).rejects.toMatchObject({ code: 'username-taken', status: 409 })
  const result = await mailed.submit(code, { username: 'ada2' })
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
  const weak = client.register({ ...ada, invitation, password: 'short' })
  await expect(weak).rejects.toMatchObject({
    code: 'password-refused',
    details: { reasons: ['too-short'], minLength: 15 },
  })
})
