import { describe, it } from 'vitest'
import { accountsOptions } from '../support/mounted-accounts.js'
import { expectSameTime } from './measure.js'
import { startTimedHost, unlimited } from './timed-host.js'

const noLimit = { points: 1_000_000, duration: 86_400 }
const mail = { address: noLimit, account: noLimit, network: noLimit, codes: noLimit }

// The id of a request is another each time.
const withoutId = (body: string) => body.replace(/"requestId":"[\w-]{43}"/, '')

/** A host whose user alice has a proven address, and fired is disabled. */
async function start() {
  const throttle = { ...unlimited, mail }
  const host = await startTimedHost({ options: { ...accountsOptions(), throttle } })
  for (const id of ['u-alice', 'u-fired']) host.users.change(id, { emailVerified: true })
  return host
}

describe('no clock tells', () => {
  it.each([
    ['alice, to whom a link is mailed', 'alice'],
    ['a disabled user', 'fired'],
    ['a user whose address was never proven', 'clara'],
    ['a user without a password', 'guest'],
  ])(
    'who has an account, by a forgotten password or a code to sign in: %s, or nobody',
    async (who, username) => {
      const { url } = await start()
      for (const path of ['/auth/password/forgot', '/auth/code'])
        await expectSameTime({
          name: `POST ${path} of ${who}, or of nobody`,
          url,
          one: { path, body: { username } },
          other: { path, body: { username: 'nobdy' } },
          hashes: false,
          status: 202,
          read: withoutId,
        })
    },
  )

  it.each([
    ['of a user', 'alice@example.com'],
    ['of a disabled user', 'fired@example.com'],
  ])('whose address it is, by a registration: one %s, or of nobody', async (_whose, email) => {
    const { url, users } = await start()
    users.change('u-fired', { email: 'fired@example.com' })
    const body = { username: 'newcomer', name: 'New Comer' }
    await expectSameTime({
      name: `POST /auth/register of ${email}, or of a free address`,
      url,
      one: { path: '/auth/register', body: { ...body, email } },
      other: { path: '/auth/register', body: { ...body, email: 'nobdy@example.com' } },
      hashes: false,
      status: 202,
      read: withoutId,
    })
  })
})
