// Ways around a sign-in by a mailed code: what strangers, thieves of a mailbox or of an old code
// could do.
import { describe, expect, it } from 'vitest'
import { type AccountHost, newPassword } from '../accounts/account-host.js'
import { factorPath } from '../accounts/email-factor-host.js'
import { bearer, headersOf, logIn, post } from '../support/client.js'
import { gate } from '../support/gate.js'
import { behindProxy, from, tally } from '../support/guessing.js'
import { password, passwordHash } from '../support/host.js'
import { begin, confirm, expectAnswer, noon, codeOf as totpOf } from '../support/two-factor.js'
import { ask, codeOf, otherThan, sessionsIn, signIn, startCodes } from './code-host.js'

const noLimit = { points: 1000, duration: 900 }
/** Of mails and networks. */
const unlimited = {
  throttle: { mail: { address: noLimit, account: noLimit, network: noLimit }, endpoints: noLimit },
}
/** The same, and of wrong codes. */
const unlimitedCodes = {
  throttle: { ...unlimited.throttle, mail: { ...unlimited.throttle.mail, codes: noLimit } },
}

/** Alice, and others whom no code is mailed. */
async function withOthers() {
  const host = await startCodes({ ...behindProxy, options: unlimited })
  host.users.add({ id: 'u-off', username: 'off', disabled: true, emailVerified: true })
  host.users.add({ id: 'u-new', username: 'new', emailVerified: false })
  host.users.add({ id: 'u-none', username: 'none', email: null, emailVerified: true })
  return { host, names: ['alice', 'nobody', 'off', 'new', 'none'] }
}

const refusalsIn = ({ events }: AccountHost) =>
  events.flatMap((event) => (event.type === 'proof.refused' ? event.reason : []))

describe('who has an account', () => {
  it('is told by no answer, neither when a code is asked for nor when one is typed', async () => {
    const { host, names } = await withOthers()
    const asked = new Set<string>()
    const typed = new Set<string>()
    for (const [i, username] of names.entries()) {
      const answer = await ask(host, { username }, from(`10.0.0.${i}`))
      const { requestId } = answer.body.data
      asked.add(
        JSON.stringify([
          answer.status,
          headersOf(answer),
          answer.text.replace(requestId, 'the id').length,
        ]),
      )
      const [mail] = await host.mailed('sign-in-code')
      for (let guess = 0; guess < 7; guess += 1) {
        const code = otherThan(mail?.code ?? '')
        const { status, text } = await signIn(host, { requestId, code }, from(`10.1.${i}.1`))
        typed.add(`${status} ${text}`)
      }
    }
    expect(asked.size).toBe(1)
    expect([...typed]).toEqual([expect.stringMatching(/^400 .*"proof-refused"/)])
    expect((await host.mailed('sign-in-code')).map(({ to }) => to)).toEqual(['alice@example.com'])
    expect(sessionsIn(host)).toBe(0)
  })

  it('is told by no limit: thirty wrong codes for each name and day, whoever has it', async () => {
    const { host } = await withOthers()
    const statusesFor = async (username: string, network: number) => {
      const statuses: number[] = []
      for (let proof = 0; proof < 8; proof += 1) {
        const { body } = await ask(host, { username }, from(`10.2.${network}.${proof}`))
        await host.mailed('sign-in-code')
        for (let guess = 0; guess < 5; guess += 1) {
          const sent = { requestId: body.data.requestId, code: 'no code' }
          statuses.push((await signIn(host, sent, from(`10.3.${network}.${proof}`))).status)
        }
      }
      return statuses
    }
    const alice = await statusesFor('alice', 1)
    expect(tally(alice)).toEqual({ 400: 30, 429: 10 })
    expect(await statusesFor('nobody', 2)).toEqual(alice)
    // No stranger uses up what the owner has for the codes that a session asks for.
    const { authToken } = await logIn(host)
    host.users.change('u-alice', { emailVerified: false })
    const { body } = await post(host, '/auth/email/verify', {}, bearer(authToken)).expect(202)
    const { code } = (await host.mailed('verify-address')).at(-1) ?? {}
    const confirmed = { requestId: body.data.requestId, code }
    await post(host, '/auth/email/confirm', confirmed, bearer(authToken)).expect(200)
  })
})

describe('a code', () => {
  it('opens one session for 50 who send it at once, and none later', async () => {
    const host = await startCodes({ options: unlimitedCodes })
    const asked = await codeOf(host)
    const answers = await Promise.all(Array.from({ length: 50 }, () => signIn(host, asked)))
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 1, 400: 49 })
    expect(sessionsIn(host)).toBe(1)
    expectAnswer(await signIn(host, asked), 400, 'proof-refused')
    expect(sessionsIn(host)).toBe(1)
  })

  it('signs one in of three whose tries are all taken', async () => {
    const door = gate()
    let waiting = 0
    const host = await startCodes({
      options: {
        async beforeLogin() {
          waiting += 1
          await door.pass()
          return undefined
        },
      },
    })
    const asked = await codeOf(host)
    void door.shut()
    const answers = Promise.all(Array.from({ length: 3 }, () => signIn(host, asked)))
    await expect.poll(() => waiting).toBe(3)
    door.open()
    expect(tally((await answers).map(({ status }) => status))).toEqual({ 200: 1, 400: 2 })
    expect(sessionsIn(host)).toBe(1)
  })

  it('of another request, of another user or another purpose is worth nothing', async () => {
    const host = await startCodes()
    host.users.add({ id: 'u-bob', username: 'bob', emailVerified: true })
    const [first, second] = [await codeOf(host), await codeOf(host)]
    const bobs = await codeOf(host, { username: 'bob' })
    for (const { requestId, code } of [
      { requestId: first.requestId, code: second.code },
      { requestId: first.requestId, code: bobs.code },
      { requestId: 'another', code: first.code },
      { requestId: 'x'.repeat(100), code: first.code },
    ])
      expectAnswer(await signIn(host, { requestId, code }), 400, 'proof-refused')
    const mine = bearer((await logIn(host)).authToken)
    const email = 'new@example.org'
    const { body } = await post(host, '/auth/email/change', { email, password }, mine).expect(202)
    const { code } = (await host.mailed('change-address')).at(-1) ?? {}
    const other = { requestId: body.data.requestId, code }
    expectAnswer(await signIn(host, other), 400, 'proof-refused')
    expectAnswer(await post(host, '/auth/email/confirm', first, mine), 400, 'proof-refused')
    for (const asked of [first, second, bobs]) expectAnswer(await signIn(host, asked), 200)
  })

  it('works for ten minutes and not one second longer', async () => {
    const host = await startCodes()
    const [first, second] = [await codeOf(host), await codeOf(host)]
    host.clock.advance(599)
    expectAnswer(await signIn(host, first), 200)
    host.clock.advance(1)
    expectAnswer(await signIn(host, second), 400, 'proof-refused')
  })

  it('is used up by five wrong ones, however many come at once', async () => {
    const host = await startCodes({ options: unlimited })
    const { requestId, code } = await codeOf(host)
    const guesses = Array.from({ length: 20 }, () =>
      signIn(host, { requestId, code: otherThan(code) }),
    )
    await Promise.all(guesses)
    expectAnswer(await signIn(host, { requestId, code }), 400, 'proof-refused')
    expect(refusalsIn(host).filter((reason) => reason === 'wrong-code')).toHaveLength(5)
    expectAnswer(await signIn(host, await codeOf(host)), 200)
  })

  it('has five tries in all, those for the second factor too', async () => {
    const host = await startCodes({ now: noon })
    const { authToken } = await logIn(host)
    const secret = await begin(host, authToken)
    await confirm(host, authToken, secret)
    host.clock.advance(30)
    const asked = await codeOf(host)
    for (let guess = 0; guess < 5; guess += 1)
      expectAnswer(await signIn(host, { ...asked, secondFactor: '000000' }), 401, 'totp-invalid')
    const secondFactor = totpOf(host, secret)
    expectAnswer(await signIn(host, { ...asked, secondFactor }), 400, 'proof-refused')
  })

  it('is worth nothing for a user who is disabled, deleted, or has another address by now', async () => {
    const host = await startCodes()
    const alice = host.users.rows.get('u-alice')
    for (const [reason, change] of [
      ['no-user', () => host.users.change('u-alice', { disabled: true })],
      ['no-user', () => host.users.rows.delete('u-alice')],
      ['overtaken', () => host.users.change('u-alice', { email: 'new@example.org' })],
      ['overtaken', () => host.users.change('u-alice', { emailVerified: false })],
      ['overtaken', () => host.users.change('u-alice', { email: null })],
    ] as const) {
      const asked = await codeOf(host)
      change()
      expectAnswer(await signIn(host, asked), 400, 'proof-refused')
      expect(refusalsIn(host).at(-1)).toBe(reason)
      host.users.rows.set('u-alice', alice as never)
    }
    expect(sessionsIn(host)).toBe(0)
  })

  it('is void after a change of the password', async () => {
    const host = await startCodes()
    const asked = await codeOf(host)
    const mine = bearer((await logIn(host)).authToken)
    await post(host, '/auth/password/change', { newPassword, password }, mine).expect(200)
    expectAnswer(await signIn(host, asked), 400, 'proof-refused')
  })

  it('opens no session that outlives an undo of the address in its very moment', async () => {
    const door = gate()
    const host = await startCodes({
      options: { describeUser: async () => void (await door.pass()) },
    })
    const asked = await codeOf(host)
    const arrived = door.shut()
    const login = signIn(host, asked).then((response) => response)
    await arrived
    // As an undo does: first the address, then the sessions.
    host.users.change('u-alice', { email: 'former@example.com' })
    await host.auth.sessions.revokeAllForUser('u-alice')
    door.open()
    expectAnswer(await login, 400, 'proof-refused')
    expect(await host.auth.sessions.list('u-alice')).toEqual([])
  })

  it('opens no session that outlives a new password in its very moment', async () => {
    const door = gate()
    const host = await startCodes({
      options: { describeUser: async () => void (await door.pass()) },
    })
    const asked = await codeOf(host)
    const arrived = door.shut()
    const login = signIn(host, asked).then((response) => response)
    await arrived
    // As a reset does: first the hash, then the sessions.
    host.users.change('u-alice', { passwordHash: `${passwordHash.slice(0, -1)}H` })
    await host.auth.passwordChanged('u-alice')
    door.open()
    expectAnswer(await login, 503, 'temporarily-unavailable')
    expect(await host.auth.sessions.list('u-alice')).toEqual([])
  })

  it('comes to nothing when its user is disabled meanwhile', async () => {
    const door = gate()
    const host = await startCodes({
      options: { describeUser: async () => void (await door.pass()) },
    })
    const asked = await codeOf(host)
    const arrived = door.shut()
    const login = signIn(host, asked).then((response) => response)
    await arrived
    host.users.change('u-alice', { disabled: true })
    door.open()
    expectAnswer(await login, 401, 'Unauthorized')
    expect(await host.auth.sessions.list('u-alice')).toEqual([])
  })
})

describe('a mailbox is one factor', () => {
  it('so whoever has codes by mail alone must show the password', async () => {
    const host = await startCodes({ accounts: { emailSecondFactor: true } })
    const { authToken } = await logIn(host)
    await post(host, factorPath, { enabled: true }, bearer(authToken)).expect(200)
    const asked = await codeOf(host)
    const refused = await signIn(host, asked)
    expectAnswer(refused, 403, 'forbidden')
    expect(refused.body.message).toMatch(/password/)
    expect(await host.mailed('second-factor-code')).toHaveLength(0)
    const { code: secondFactor } = await codeOf(host)
    expectAnswer(await signIn(host, { ...asked, secondFactor }), 403, 'forbidden')
  })

  it('also beside TOTP, whose code is asked for', async () => {
    const host = await startCodes({ now: noon, accounts: { emailSecondFactor: true } })
    const { authToken } = await logIn(host)
    const secret = await begin(host, authToken)
    await confirm(host, authToken, secret)
    host.users.change('u-alice', { emailFactor: true })
    host.clock.advance(30)
    const asked = await codeOf(host)
    const due = await signIn(host, asked)
    expectAnswer(due, 401, 'totp-required')
    expect(due.body.details.availableMethods).toEqual(['totp', 'recovery'])
    const { code: secondFactor } = await codeOf(host)
    expectAnswer(await signIn(host, { ...asked, secondFactor }), 401, 'totp-invalid')
    expectAnswer(await signIn(host, { ...asked, secondFactor: totpOf(host, secret) }), 200)
  })
})

describe('limits', () => {
  it('three mails in a quarter of an hour, and a right code gives its own back', async () => {
    const host = await startCodes({
      ...behindProxy,
      options: { throttle: { mail: { account: noLimit } } },
    })
    const mails = async () => (await host.mailed('sign-in-code')).length
    const names = [{ username: 'alice' }, { user: 'u-alice' }, { email: 'alice@example.com' }]
    const requestIds: string[] = []
    for (let i = 0; i < 9; i += 1) {
      const { body } = await ask(host, names[i % 3] as object, from(`10.4.0.${i}`)).expect(202)
      requestIds.push(body.data.requestId)
    }
    expect(await mails()).toBe(3)
    // Who is elsewhere is not refused, and nobody is mailed.
    await ask(host, { username: 'alice' }, from('10.4.1.1')).expect(202)
    expect(await mails()).toBe(3)
    // What nobody was mailed is a request like the others.
    const answers = await Promise.all(
      requestIds.map((requestId) => signIn(host, { requestId, code: 'no code' })),
    )
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
  })

  it('wrong codes are limited by network, whatever the request', async () => {
    const host = await startCodes({
      options: { throttle: { endpoints: { points: 10, duration: 60 } } },
    })
    const answers = []
    for (let i = 0; i < 12; i += 1)
      answers.push((await signIn(host, { requestId: `guess-${i}`, code: '12345678' })).status)
    expect(tally(answers)).toEqual({ 400: 10, 429: 2 })
    // A right one is never refused because of others.
    expectAnswer(await signIn(host, await codeOf(host)), 200)
  })

  it('the support desk lifts that of mails', async () => {
    const host = await startCodes({
      options: { throttle: { mail: { account: { points: 1, duration: 86_400 } } } },
    })
    await codeOf(host)
    host.clock.advance(900)
    expectAnswer(await signIn(host, await codeOf(host)), 400, 'proof-refused')
    await host.auth.unlockLogin({ kind: 'username', value: 'alice' })
    expectAnswer(await signIn(host, await codeOf(host)), 200)
  })
})
