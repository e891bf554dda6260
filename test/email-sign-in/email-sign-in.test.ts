// Signing in by a mailed code, in the place of a password.
import { describe, expect, it } from 'vitest'
import { createAuthClient } from '../../src/client/client.js'
import { addPasskey } from '../accounts/passkey-host.js'
import { assertion } from '../passkeys/authenticator.js'
import { bearer, get, logIn, post } from '../support/client.js'
import { password } from '../support/host.js'
import { passkeyOptions } from '../support/mounted-passkeys.js'
import { begin, confirm, expectAnswer, noon, codeOf as totpOf } from '../support/two-factor.js'
import { ask, codeOf, signIn, startCodes } from './code-host.js'

/** Alice has TOTP; the clock stands in the next step. */
async function withTotp() {
  const host = await startCodes({ now: noon })
  const { authToken } = await logIn(host)
  const secret = await begin(host, authToken)
  const [recovery] = await confirm(host, authToken, secret)
  host.clock.advance(30)
  return { host, secret, recovery }
}

describe('a mailed code', () => {
  it('signs its user in with the answer of a login, and mails no more than it must', async () => {
    const host = await startCodes()
    const { body } = await ask(host, { email: 'Alice@Example.com' }).expect(202)
    expect(body).toEqual({
      status: 'success',
      data: { requestId: expect.stringMatching(/^[\w-]{43}$/), expiresIn: 600 },
    })
    const [mail] = await host.mailed('sign-in-code')
    expect(mail?.to).toBe('alice@example.com')
    expect(mail?.text).toContain(`${mail?.code?.slice(0, 4)} ${mail?.code?.slice(4)}`)
    expect(mail?.text).toMatch(/Network address: /)
    const { requestId } = body.data
    const typed = { requestId, code: ` ${mail?.code?.slice(0, 4)} ${mail?.code?.slice(4)}` }
    const answer = await signIn(host, { ...typed, tokens: 'refreshable' })
    expectAnswer(answer, 200)
    const { authToken, me, refreshToken } = answer.body.data
    expect(me.username).toBe('alice')
    await get(host, '/me', bearer(authToken)).expect(200)
    await post(host, '/auth/refresh', { refreshToken }).expect(200)
    expect(host.events).toContainEqual(
      expect.objectContaining({ type: 'login.succeeded', userId: 'u-alice', methods: ['email'] }),
    )
  })

  it('is in the language of its user', async () => {
    const host = await startCodes()
    host.users.change('u-alice', { locale: 'de' })
    await codeOf(host)
    expect((await host.mailed('sign-in-code'))[0]?.subject).toMatch(/^Dein Code zur Anmeldung/)
  })

  it('of a user with TOTP asks for that, and stays good meanwhile', async () => {
    const { host, secret } = await withTotp()
    const asked = await codeOf(host)
    const due = await signIn(host, asked)
    expectAnswer(due, 401, 'totp-required')
    expect(due.body.details.availableMethods).toEqual(['totp', 'recovery'])
    expectAnswer(await signIn(host, { ...asked, secondFactor: '000000' }), 401, 'totp-invalid')
    const secondFactor = totpOf(host, secret)
    await signIn(host, { ...asked, secondFactor }).expect(200)
    expect(host.events.at(-1)).toMatchObject({
      type: 'login.succeeded',
      methods: ['email', 'otp'],
    })
  })

  it('and a recovery code sign in as well', async () => {
    const { host, recovery } = await withTotp()
    const asked = await codeOf(host)
    expectAnswer(await signIn(host, { ...asked, secondFactor: recovery }), 200)
  })

  it('and a passkey sign in, where sign-in demands one', async () => {
    const options = passkeyOptions({ asSecondFactor: 'always' })
    const host = await startCodes({ options })
    const passkey = await addPasskey(host, (await logIn(host)).authToken)
    const asked = await codeOf(host)
    const due = await signIn(host, asked)
    expectAnswer(due, 401, 'totp-required')
    const { challenge } = due.body.details.passkeyOptions
    const response = assertion(passkey, challenge)
    const both = { ...asked, passkey: response, secondFactor: '123456' }
    expectAnswer(await signIn(host, both), 400, 'invalid-request')
    expectAnswer(await signIn(host, { ...asked, passkey: response }), 200)
  })

  it('lets a user who must have a second factor enrol only', async () => {
    const host = await startCodes({ options: { secondFactor: { policy: () => 'required' } } })
    const { body } = await signIn(host, await codeOf(host)).expect(200)
    expect(body.data.enrolmentRequired).toBe(true)
    const mine = bearer(body.data.authToken)
    await get(host, '/auth/sessions', mine).expect(403)
    await post(host, '/auth/totp', { password }, mine).expect(200)
  })

  it('does not count among the mails of its address once it was right', async () => {
    const host = await startCodes({
      options: { throttle: { mail: { account: { points: 2, duration: 900 } } } },
    })
    for (let i = 0; i < 3; i += 1) {
      host.clock.advance(900)
      expectAnswer(await signIn(host, await codeOf(host)), 200)
    }
    expect(await host.mailed('sign-in-code')).toHaveLength(3)
  })

  it('makes the network known, and the host’s veto sees the door', async () => {
    const doors: string[] = []
    const host = await startCodes({
      options: {
        beforeLogin: ({ door, methods }) => {
          doors.push(`${door} ${methods}`)
          return doors.length === 1 ? 'Not before nine.' : undefined
        },
      },
    })
    const asked = await codeOf(host)
    const refused = await signIn(host, asked)
    expectAnswer(refused, 403, 'forbidden')
    expect(refused.body.message).toBe('Not before nine.')
    expectAnswer(await signIn(host, asked), 200)
    expect(doors).toEqual(['email-code email', 'email-code email'])
    const { reason } = host.events.find(({ type }) => type === 'login.failed') as never
    expect(reason).toBe('vetoed')
  })
})

describe('without the option', () => {
  it('there are no such routes', async () => {
    const host = await startCodes({ accounts: { emailSignIn: false } })
    await ask(host, { username: 'alice' }).expect(404)
    await signIn(host, { requestId: 'x', code: '1' }).expect(404)
  })
})

describe('the client', () => {
  it('asks for the code, then for the second factor', async () => {
    const { host, secret } = await withTotp()
    const client = createAuthClient({ baseUrl: host.url })
    const mailed = await client.signInByCode({ username: 'alice' })
    expect(mailed).toMatchObject({ status: 'code-needed', expiresIn: 600 })
    const code = (await host.mailed('sign-in-code'))[0]?.code ?? ''
    await expect(mailed.submit('1')).rejects.toMatchObject({ code: 'proof-refused' })
    const due = await mailed.submit(code)
    if (due.status !== 'code-needed') throw new Error(due.status)
    expect(due).toMatchObject({ methods: ['totp', 'recovery'], wrong: false })
    const wrong = await due.submit('000000')
    if (wrong.status !== 'code-needed') throw new Error(wrong.status)
    expect(wrong.wrong).toBe(true)
    expect((await wrong.submit(totpOf(host, secret))).status).toBe('signed-in')
    expect(client.state.status).toBe('signed-in')
  })

  it('sends both at once where they are known', async () => {
    const { host, secret } = await withTotp()
    const client = createAuthClient({ baseUrl: host.url })
    const { submit } = await client.signInByCode({ email: 'alice@example.com' })
    const code = (await host.mailed('sign-in-code'))[0]?.code ?? ''
    const secondFactor = totpOf(host, secret)
    expect(await submit(code, { secondFactor })).toMatchObject({ status: 'signed-in' })
  })
})
