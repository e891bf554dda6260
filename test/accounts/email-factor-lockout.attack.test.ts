// A thief of the password must not keep the owner of the mailbox out.
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { totpCode } from '../../src/testing/testing.js'
import { post } from '../support/client.js'
import { statusesOf } from '../support/guessing.js'
import { password, totpSecret } from '../support/host.js'
import { attempt, expectAnswer, noon } from '../support/two-factor.js'
import { type AccountHost, newPassword, reset, startAccounts, tokenFor } from './account-host.js'
import { codeFor, withEmailFactor } from './email-factor-host.js'

/** The limit of an address is over, again and again; that of the account is not. */
const overADay = {
  throttle: {
    mail: { address: { points: 1000, duration: 900 } },
    secondFactor: { points: 1000, duration: 60 },
  },
}

const start = () => withEmailFactor({ options: overADay })

/** A thief of the password has code after code mailed, until no more are. */
async function useUp(host: AccountHost) {
  const before = (await host.mailed('second-factor-code')).length
  expect(await statusesOf(11, () => attempt(host))).toEqual(Array(11).fill(401))
  expect(await host.mailed('second-factor-code')).toHaveLength(before + 10)
  // The codes of this period are used up as well; those of the next are not.
  host.clock.advance(600)
  await attempt(host).expect(429)
}

it('an owner signs in with the code of a mail more often than a thief has mails', async () => {
  const host = await start()
  for (let i = 0; i < 12; i += 1) {
    expectAnswer(await attempt(host, await codeFor(host)), 200)
    host.clock.advance(600)
  }
  await useUp(host)
})

it('an owner who sets a new password after that gets a code at once', async () => {
  const host = await start()
  await useUp(host)
  await reset(host, await tokenFor(host)).expect(200)
  const body = { username: 'alice', password: newPassword }
  await post(host, '/login', body).expect(401)
  const code = (await host.mailed('second-factor-code')).at(-1)?.code
  await post(host, '/login', { ...body, code }).expect(200)
})

it('a support desk lifts the limit with those of passwords and codes', async () => {
  const host = await start()
  await useUp(host)
  await host.auth.unlockLogin({ kind: 'username', value: 'alice' })
  expectAnswer(await attempt(host, await codeFor(host)), 200)
})

describe('wrong codes of a thief of the password', () => {
  const guess = (host: AccountHost, typed: string, code = 'wrong') =>
    post(host, '/login', { username: 'alice', password: typed, code })

  /** Alice's codes come from an app; eight wrong ones of ten are for unknown networks. */
  async function withApp() {
    const host = await startAccounts({
      now: noon,
      options: { throttle: { ...overADay.throttle, secondFactorTotal: 10 } },
    })
    await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
    return host
  }

  const eightThen429 = [...Array(8).fill(401), 429]

  it('are forgotten with a new password, so that the next right one signs the owner in', async () => {
    const host = await withApp()
    expect(await statusesOf(9, () => guess(host, password))).toEqual(eightThen429)
    await reset(host, await tokenFor(host)).expect(200)
    await guess(host, newPassword, totpCode(totpSecret, host.clock())).expect(200)
  })

  it('are forgotten once a day, so that a thief of the mailbox has no more guesses', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const host = await withApp()
    const setAndGuess = async (count: number) => {
      await reset(host, await tokenFor(host)).expect(200)
      return statusesOf(count, () => guess(host, newPassword))
    }
    expect(await setAndGuess(9)).toEqual(eightThen429)
    expect(await setAndGuess(1)).toEqual([429])
    vi.setSystemTime(Date.now() + 86_401_000)
    expect(await setAndGuess(9)).toEqual(eightThen429)
  })
})
