// Registration: a stranger becomes a user by a mailed code.
import { expect, it } from 'vitest'
import { bearer, get, logIn } from '../support/client.js'
import { startHost } from '../support/host.js'
import {
  confirm,
  eventsOf,
  goodPassword,
  newUsers,
  register,
  registered,
  startRegistration,
} from './registration-host.js'

it('a stranger registers, proves the address and is signed in', async () => {
  const host = await startRegistration()
  const { body } = await register(host, { locale: 'de-AT' }).expect(202)
  const { requestId } = body.data
  expect(body).toEqual({ status: 'success', data: { requestId, expiresIn: 3600 } })
  expect(newUsers(host)).toEqual([])
  const [mail, ...others] = await host.mailed('register')
  expect(others).toEqual([])
  expect(mail).toMatchObject({ to: 'Ada@example.com', locale: 'de', user: null })
  const code = mail?.code ?? ''
  const spaced = `${code.slice(0, 4)} ${code.slice(4)}`
  const answer = await confirm(host, { requestId, code: spaced }).expect(200)
  const [user] = newUsers(host)
  expect(user).toMatchObject({
    email: 'Ada@example.com',
    emailVerified: true,
    username: 'ada',
    name: 'Ada Lovelace',
    locale: 'de-AT',
  })
  const { userId, authToken, me } = answer.body.data
  expect([userId, me.username]).toEqual([user?.id, 'ada'])
  await get(host, '/me', bearer(authToken)).expect(200)
  expect(eventsOf(host, 'account.registered')).toMatchObject([{ userId, invitationId: null }])
  expect(eventsOf(host, 'login.succeeded')).toMatchObject([{ methods: ['email', 'pwd'] }])
  await logIn(host, { username: 'ada', password: goodPassword })
})

it('blanks around the address and the names are none of theirs', async () => {
  const host = await startRegistration()
  const typed = { email: ' Ada@example.com\n', username: 'ada ', name: ' Ada Lovelace ' }
  const { requestId, code } = await registered(host, typed)
  await confirm(host, { requestId, code: `${code.slice(0, 4)}-${code.slice(4)}` }).expect(200)
  expect(newUsers(host)).toMatchObject([
    { email: 'Ada@example.com', username: 'ada', name: 'Ada Lovelace' },
  ])
})

it('closes without a restart, also for those who wait for their code', async () => {
  let answer: unknown = 'open'
  const registration = () => answer as 'open'
  const host = await startRegistration({ accounts: { registration } })
  const open = await registered(host)
  answer = 'invited'
  const { body } = await get(host, '/auth/registration').expect(200)
  expect(body.data).toMatchObject({ open: false, invited: true })
  const late = await register(host, { email: 'late@example.com', username: 'late' }).expect(403)
  expect(late.body.error).toBe('registration-closed')
  expect((await confirm(host, open).expect(403)).body.error).toBe('registration-closed')
  expect(newUsers(host)).toEqual([])
  const { token: invitation } = await host.auth.accounts.invite({})
  host.issued.add(invitation)
  await confirm(host, await registered(host, { invitation })).expect(200)
  answer = 'yes'
  const bob = { email: 'bob@example.com', username: 'bob' }
  await register(host, bob).expect(503)
  answer = 'open'
  await confirm(host, await registered(host, bob)).expect(200)
})

it('says what a form must know', async () => {
  const open = await startRegistration({
    accounts: { passwordRules: { minLength: 12, maxLength: 100 } },
  })
  const { body } = await get(open, '/auth/registration').expect(200)
  const passwordRules = { minLength: 12, maxLength: 100 }
  expect(body.data).toEqual({ open: true, invited: false, passwordRules })
  const invited = await startRegistration({ accounts: { registration: 'invited' } })
  const closed = await get(invited, '/auth/registration').expect(200)
  expect(closed.body.data).toMatchObject({ open: false, invited: true })
})

it('the answer has a refresh token where the client asks for one', async () => {
  const host = await startRegistration()
  const { body } = await confirm(host, {
    ...(await registered(host)),
    tokens: 'refreshable',
  }).expect(200)
  expect(body.data.refreshToken).toMatch(/^mar_rt_/)
})

it('without a password only where users sign in by mailed codes, and then without one', async () => {
  const without = await startRegistration()
  const none = { password: undefined }
  const { body } = await confirm(without, { ...(await registered(without)), ...none }).expect(400)
  expect(body.details.issues[0].path).toBe('password')
  const host = await startRegistration({ accounts: { emailSignIn: true } })
  await confirm(host, { ...(await registered(host)), ...none }).expect(200)
  expect(newUsers(host)[0]?.passwordHash).toBeNull()
  expect(eventsOf(host, 'login.succeeded')).toMatchObject([{ methods: ['email'] }])
})

it('a policy that demands a second factor lets the new user enrol only', async () => {
  const host = await startRegistration({ options: { secondFactor: { policy: () => 'required' } } })
  const { body } = await confirm(host, await registered(host)).expect(200)
  expect(body.data.enrolmentRequired).toBe(true)
  await get(host, '/auth/sessions', bearer(body.data.authToken)).expect(403)
})

it('a user whom the host refuses to sign in is made all the same', async () => {
  const host = await startRegistration({
    options: {
      beforeLogin: ({ door }) => (door === 'registration' ? 'Wait for approval.' : undefined),
    },
  })
  const { body } = await confirm(host, await registered(host)).expect(403)
  expect(body.message).toBe('Wait for approval.')
  expect(newUsers(host)).toHaveLength(1)
  expect(eventsOf(host, 'login.failed')).toMatchObject([{ reason: 'vetoed' }])
})

it('a password that the rules refuse, also one made of the new names, takes no try', async () => {
  const host = await startRegistration()
  const mine = await registered(host)
  for (const password of ['short', 'ada lovelace 2026', 'ada@example.com', 'x'.repeat(300)]) {
    const { body } = await confirm(host, { ...mine, password }).expect(400)
    expect(body).toMatchObject({ error: 'password-refused', details: { minLength: 15 } })
  }
  // Nor one that has the name that is chosen instead.
  const other = { username: 'somebody quite else', password: 'somebody quite else' }
  await confirm(host, { ...mine, ...other }).expect(400)
  expect(eventsOf(host, 'account.register-refused')[0]).toMatchObject({ reason: 'password' })
  await confirm(host, mine).expect(200)
})

it('the host can refuse, with a text for the client', async () => {
  const seen: object[] = []
  const host = await startRegistration({
    accounts: {
      async beforeRegister({ request, ...attempt }) {
        seen.push(attempt)
        return request.headers['x-captcha'] === 'right' ? undefined : 'Solve the puzzle.'
      },
    },
  })
  const { body } = await register(host).expect(403)
  expect(body).toMatchObject({ error: 'forbidden', message: 'Solve the puzzle.' })
  expect(seen).toEqual([
    { email: 'Ada@example.com', username: 'ada', name: 'Ada Lovelace', invitation: null },
  ])
  await register(host, {}, { 'X-Captcha': 'right' }).expect(202)
})

it('a user name that was free and is taken meanwhile is replaced without a new mail', async () => {
  const host = await startRegistration()
  const [mine, theirs] = [
    await registered(host),
    await registered(host, { email: 'other@example.com' }),
  ]
  await confirm(host, theirs).expect(200)
  const { body } = await confirm(host, mine).expect(409)
  expect(body.error).toBe('username-taken')
  await confirm(host, { ...mine, username: 'ALICE' }).expect(409)
  await confirm(host, { ...mine, username: 'ada2' }).expect(200)
  expect(newUsers(host).map(({ username }) => username)).toEqual(['ada', 'ada2'])
  expect(await host.mailed('register')).toHaveLength(2)
})

it('a name that is taken costs no try of the code', async () => {
  const host = await startRegistration()
  const mine = await registered(host)
  for (let i = 0; i < 6; i += 1) await confirm(host, { ...mine, username: 'alice' }).expect(409)
  await confirm(host, mine).expect(200)
})

it('a code works for an hour', async () => {
  const host = await startRegistration()
  const [first, second] = [await registered(host), await registered(host)]
  host.clock.advance(3599)
  await confirm(host, first).expect(200)
  host.clock.advance(1)
  await confirm(host, second).expect(400)
})

it('with a page of the host for codes, the mail leads there', async () => {
  const host = await startRegistration({
    accounts: {
      links: {
        reset: 'https://chat.example.com/#/reset/{token}',
        undo: 'https://chat.example.com/#/undo/{token}',
        confirm: 'https://chat.example.com/#/code/{token}',
      },
    },
  })
  const { requestId, code } = await registered(host)
  const [mail] = await host.mailed('register')
  expect(mail?.url).toBe(`https://chat.example.com/#/code/${requestId}.${code}`)
})

it('without the option there is no route, and the functions say what is missing', async () => {
  const host = await startHost()
  await register(host).expect(404)
  await get(host, '/auth/registration').expect(404)
  await expect(host.auth.accounts.invite()).rejects.toMatchObject({
    option: 'accounts.registration',
  })
})
