// Rocket.Chat's clients register, and forget their passwords.
import { expect, it } from 'vitest'
import { rocketChat } from '../../src/rocketchat/rocketchat.js'
import { startAccounts } from '../accounts/account-host.js'
import { get, logIn, post } from '../support/client.js'

const ada = {
  username: 'ada',
  email: 'ada@example.com',
  pass: 'a phrase that nobody else has typed',
  name: '',
}

const start = (registration: 'open' | 'invited' = 'open') =>
  startAccounts({
    accounts: { registration },
    before: (app, auth) => void app.use('/api/v1', rocketChat(auth, { accounts: true })),
  })

it('users.register mails a code, which makes the user', async () => {
  const host = await start()
  const { body } = await post(host, '/users.register', ada).expect(200)
  const { requestId } = body
  expect(body).toEqual({
    success: true,
    user: { username: 'ada', name: 'ada', type: 'user', status: 'offline', active: false },
    requestId,
    expiresIn: 3600,
  })
  const [{ code } = {}] = await host.mailed('register')
  const password = ada.pass
  await post(host, '/auth/register/confirm', { requestId, code, password }).expect(200)
  await logIn(host, { user: 'ada', password: ada.pass })
})

it('users.register is refused as a registration is', async () => {
  const host = await start('invited')
  const closed = await post(host, '/users.register', { ...ada, secretURL: '' }).expect(403)
  expect(closed.body).toMatchObject({ success: false, error: 'registration-closed' })
  const { token: secretURL } = await host.auth.accounts.invite()
  const taken = await post(host, '/users.register', { ...ada, username: 'alice', secretURL })
  expect([taken.status, taken.body.error]).toEqual([409, 'username-taken'])
  await post(host, '/users.register', { username: 'ada' }).expect(400)
  await post(host, '/users.register', { ...ada, secretURL }).expect(200)
  expect(await host.mailed('register')).toHaveLength(1)
})

it('users.forgotPassword mails a link, and answers everybody the same', async () => {
  const host = await start()
  for (const email of ['alice@example.com', 'nobody@example.com']) {
    const { body } = await post(host, '/users.forgotPassword', { email }).expect(200)
    expect(body).toEqual({ success: true })
  }
  expect((await host.mailed('reset-password')).map(({ to }) => to)).toEqual(['alice@example.com'])
  await post(host, '/users.forgotPassword', {}).expect(400)
})

it('neither is there unless it is asked for', async () => {
  const host = await startAccounts({
    before: (app, auth) => void app.use('/api/v1', rocketChat(auth)),
  })
  for (const path of ['/users.register', '/users.forgotPassword'])
    expect((await post(host, path, ada)).status).toBe(404)
  await get(host, '/users.register').expect(404)
})

it('the host registers by a form of its own, with the same limits and errors', async () => {
  const host = await startAccounts({
    accounts: { registration: 'open' },
    after: (app, auth) =>
      void app.post('/sign-up', (request, response, next) => {
        const { email, username, name } = ada
        const user = { email, username, name: name || username }
        auth.accounts.register(request, user).then((sent) => response.json(sent), next)
      }),
  })
  const signUp = () => fetch(`${host.url.replace('/api/v1', '')}/sign-up`, { method: 'POST' })
  expect(await (await signUp()).json()).toMatchObject({ expiresIn: 3600 })
  expect(await host.mailed('register')).toHaveLength(1)
  await expect(host.auth.accounts.register({} as never, ada)).rejects.toMatchObject({
    code: 'invalid-request',
  })
  await expect(
    host.auth.accounts.forgotPassword({ headers: {}, socket: {} } as never, [] as never),
  ).rejects.toMatchObject({ code: 'invalid-request' })
})
