// Who knows the password alone must not keep the owner of the mailbox out.
import { expect, it } from 'vitest'
import { post } from '../support/client.js'
import { statusesOf } from '../support/guessing.js'
import { attempt, expectAnswer } from '../support/two-factor.js'
import { type AccountHost, newPassword, reset, tokenFor } from './account-host.js'
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
  const statuses = await statusesOf(11, () => attempt(host))
  expect(statuses).toEqual([...Array(10).fill(401), 429])
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
