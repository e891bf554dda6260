import { describe, it } from 'vitest'
import { password } from '../support/host.js'
import { type Ask, expectSameTime } from './measure.js'
import { startTimedHost } from './timed-host.js'

const wrong = 'incorrect horse battery stable'

const logIn = (name: object, given: string, code?: string): Ask => ({ path: '/login', body: { ...name, password: given, code } })
const byEmail = (name: string, given = wrong) => logIn({ email: `${name}@example.com` }, given)
const byName = (username: string, given = wrong, code?: string) => logIn({ username }, given, code)

// ASVS V6.3.8. All are the same 401, and take the same time.
describe('nobody learns by the clock of a refused login', () => {
  it.each<[promise: string, one: Ask, other: Ask]>([
    ['whether an e-mail address belongs to a user', byEmail('niemo'), byEmail('alice')],
    ['whether a user name belongs to a user', byName('niemo'), byName('alice')],
    ['whether a user has a second factor', byName('alice'), byName('clara')],
    ['whether a user has a second factor, with a code', byName('alice', wrong, '123456'), byName('clara', wrong, '123456')],
    ['whether a hash is of a lower cost than others', byName('older'), byName('alice')],
    ['whether an account with a hash of a lower cost exists', byName('niemo'), byName('older')],
    ['whether an account is disabled', byName('alice'), byName('fired')],
    ['whether a disabled account exists, even with its password', byName('niemo', password), byName('fired', password)],
    ['whether a user has no password', byName('alice'), byName('guest')],
    ['whether a hash is damaged', byName('alice'), byName('rusty')],
  ])('%s', async (promise, one, other) => {
    const { url } = await startTimedHost()
    await expectSameTime({ name: promise, url, one, other, hashes: true, status: 401 })
  })
})
