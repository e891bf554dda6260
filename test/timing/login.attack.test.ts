import { describe, it, onTestFinished, vi } from 'vitest'
import { post } from '../support/client.js'
import { password } from '../support/host.js'
import { type Ask, expectSameTime } from './measure.js'
import { hostWithOldHashes, startTimedHost, unlimited } from './timed-host.js'

const wrong = 'incorrect horse battery stable'

const logIn = (name: object, given: string, code?: string): Ask => ({
  path: '/login',
  body: { ...name, password: given, code },
})
const byEmail = (name: string, given = wrong) => logIn({ email: `${name}@example.com` }, given)
const byName = (username: string, given = wrong, code?: string) => logIn({ username }, given, code)

// ASVS V6.3.8. All are the same 401, and take the same time.
describe('nobody learns by the clock of a refused login', () => {
  it.each<[promise: string, one: Ask, other: Ask]>([
    ['whether an e-mail address belongs to a user', byEmail('niemo'), byEmail('alice')],
    ['whether a user name belongs to a user', byName('niemo'), byName('alice')],
    ['whether a user has a second factor', byName('alice'), byName('clara')],
    [
      'whether a user has a second factor, with a code',
      byName('alice', wrong, '123456'),
      byName('clara', wrong, '123456'),
    ],
    ['whether an account is disabled', byName('alice'), byName('fired')],
    [
      'whether a disabled account exists, even with its password',
      byName('niemo', password),
      byName('fired', password),
    ],
    ['whether a user has no password', byName('alice'), byName('guest')],
    ['whether a hash is damaged', byName('alice'), byName('rusty')],
  ])('%s', async (promise, one, other) => {
    const { url } = await startTimedHost()
    await expectSameTime({ name: promise, url, one, other, hashes: true, status: 401 })
  })
})

// A hash of a lower cost takes several calls of bcrypt. At cost 8 the price of a call would weigh
// four times what it does for a host, and it differs by machine and by what V8 has compiled.
describe('nobody learns by the clock, at the lowest cost there is,', () => {
  it.each<[promise: string, one: Ask, other: Ask]>([
    ['whether a hash is of a lower cost than others', byName('older'), byName('newer')],
    ['whether an account with a hash of a lower cost exists', byName('niemo'), byName('older')],
  ])('%s', async (promise, one, other) => {
    const { url } = await hostWithOldHashes()
    await expectSameTime({ name: promise, url, one, other, hashes: true, status: 401 })
  })
})

const one = { points: 1, duration: 86_400 }

// Where a limit is used up the account is looked up before anything is hashed, and the answer must
// not be the sooner for it.
describe('nobody learns by the clock of a limit', () => {
  it.each([
    ['that is used up over all networks', { unknownNetworks: one }],
    ['that is used up in the network', { network: one }],
  ])('%s whether a name belongs to a user', async (promise, limit) => {
    const host = await startTimedHost({ options: { throttle: { ...unlimited, ...limit } } })
    // So that all answers tell of the same time to come back.
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    for (const username of ['niemo', 'alice'])
      await post(host, '/login', { username, password: wrong })
    const pair = { one: byName('niemo'), other: byName('alice') }
    await expectSameTime({
      name: `a limit ${promise}`,
      url: host.url,
      ...pair,
      hashes: false,
      status: 429,
    })
  })

  it('per account whether the password was right', async () => {
    const host = await startTimedHost({
      options: { throttle: { ...unlimited, accountTotal: one } },
    })
    await post(host, '/login', { username: 'alice', password: wrong })
    const pair = { one: byName('alice'), other: byName('alice', password) }
    await expectSameTime({
      name: 'a right password beyond the limit',
      url: host.url,
      ...pair,
      hashes: true,
      status: 401,
    })
  })
})
