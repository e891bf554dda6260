// A deletion ends what anybody holds of the account with its first step, through every door.
import { expect, it } from 'vitest'
import { asAlice } from '../accounts/account-host.js'
import { isRefused, openSocket, startAll, thingsOf, tryAll } from '../accounts/held-things.js'
import { logIn, post } from '../support/client.js'
import { password } from '../support/host.js'
import { breakDown, expectAnswer } from '../support/two-factor.js'
import { askedBy, confirmPath, leftOf, nothingLeft } from './deletion-host.js'

it('nothing of before opens anything, though the user is still there', async () => {
  const host = await startAll({}, { deletion: true })
  const things = await thingsOf(host)
  const { closed } = await openSocket(host, (await logIn(host)).authToken)
  const alice = await asAlice(host)
  const asked = await askedBy(host, alice)
  const mend = breakDown(host.users, 'delete')
  expectAnswer(await alice.post(confirmPath, asked), 503)
  expect(await closed).toBe(4401)
  const statuses = Object.entries(await tryAll(things))
  expect(statuses.filter((one) => !isRefused(one))).toEqual([])
  expect((await leftOf(host)).sessions).toBe(0)
  mend()
  expectAnswer(await post(host, confirmPath, asked), 200)
  expect(await leftOf(host)).toEqual(nothingLeft)
})

it('once the user is gone, nothing opens anything either, nor does the password', async () => {
  const host = await startAll({}, { deletion: true })
  const things = await thingsOf(host)
  await host.auth.accounts.delete('u-alice')
  const statuses = Object.entries(await tryAll(things))
  expect(statuses.filter((one) => !isRefused(one))).toEqual([])
  await post(host, '/login', { username: 'alice', password }).expect(401)
  expect(await leftOf(host)).toEqual(nothingLeft)
})
