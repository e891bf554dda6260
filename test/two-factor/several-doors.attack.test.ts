// A thief who knows the password and holds an old session, at all doors that ask for the password
// and a code: they are one lock, however many of them are tried at once.
import { describe, expect, it } from 'vitest'
import { afterAttack } from '../support/after-attack.js'
import { bearer, post } from '../support/client.js'
import { password, type TestHost } from '../support/host.js'
import { codeOf, disabling, enrolled, regeneration } from '../support/two-factor.js'

type Ask = (code: string | undefined) => ReturnType<typeof post>

/** The doors of a session that is an hour old. */
async function doors() {
  const { host, token, secret, recoveryCodes } = await enrolled({ options: { namedTokens: true } })
  host.clock.advance(3600)
  const at = (path: string, more: object = {}): Ask => {
    return (code) => post(host, path, { password, code, ...more }, bearer(token))
  }
  const makeToken = at('/auth/access-tokens', { name: 'bot' })
  const all = {
    makeToken,
    switchOff: at(disabling),
    replaceCodes: at(regeneration),
    logIn: (code: string | undefined) =>
      post(host, '/login', { username: 'alice', password, code }),
  }
  return { host, secret, recoveryCodes, all }
}

const atEach = (asks: readonly Ask[], each: number, codeAt: (turn: number) => string) =>
  Promise.all(
    asks.flatMap((ask, door) =>
      Array.from({ length: each }, (_none, turn) => ask(codeAt(turn * asks.length + door))),
    ),
  )
const count = (answers: readonly { status: number }[], status: number) =>
  answers.filter((answer) => answer.status === status).length

async function sessionsOf(host: TestHost) {
  return (await host.stores.sessions.listForUser('u-alice', host.clock())).length
}

describe('The second factor at several doors', () => {
  it('lets one code through one of them, eight times at each at once', async () => {
    const { host, secret, all } = await doors()
    const { makeToken, switchOff, logIn } = all
    const code = codeOf(host, secret)
    const before = await sessionsOf(host)
    const answers = await atEach([makeToken, switchOff, logIn], 8, () => code)
    expect(count(answers, 200)).toBe(1)
    expect(await sessionsOf(host)).toBeLessThanOrEqual(before + 1)
    await afterAttack(host, answers, [code])
  })

  it('lets one recovery code through one of them, likewise', async () => {
    const { host, recoveryCodes, all } = await doors()
    const { makeToken, switchOff, logIn } = all
    const [code = ''] = recoveryCodes
    const answers = await atEach([makeToken, switchOff, logIn], 8, () => code)
    expect(count(answers, 200)).toBe(1)
    await afterAttack(host, answers, [code])
  })

  it('judges ten wrong codes at all of them together, and then no right one', async () => {
    const { host, secret, all } = await doors()
    const right = codeOf(host, secret)
    const wrong = (turn: number) => String(100_000 + turn).replace(right, '000000')
    const answers = await atEach(Object.values(all), 8, wrong)
    expect([count(answers, 401), count(answers, 429)]).toEqual([10, 22])
    for (const ask of Object.values(all)) expect((await ask(right)).status).toBe(429)
    await afterAttack(host, answers)
  })

  it('is asked for at each: the password alone does nothing', async () => {
    const { host, all } = await doors()
    const before = await sessionsOf(host)
    for (const [door, ask] of Object.entries(all)) {
      const { status, body } = await ask(undefined)
      expect([door, status === 400 ? 'totp-required' : body.error]).toEqual([door, 'totp-required'])
    }
    expect(await sessionsOf(host)).toBe(before)
    expect(await host.stores.secondFactors.find('u-alice')).not.toBeNull()
  })
})
