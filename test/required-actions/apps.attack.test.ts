// An app gets no tokens of a user who must do something first: a server that only checks their
// signature would let it in. What it has shown is not spent by that.
import { expect, it } from 'vitest'
import { startAll } from '../accounts/held-things.js'
import { startDevices } from '../oauth/device/device-host.js'
import { codeFor, openBrowser, phone, sendAs, signInTo, wiki } from '../support/oauth-apps.js'
import { acceptance, both, signedIn } from './required-host.js'

const accepted = both.map((one) => ({ ...one, at: new Date() }))

/** Of each action: as it is owed, and as it is done. */
const actions = {
  'change-password': [{ mustChangePassword: true }, { mustChangePassword: false }],
  'verify-address': [{ emailVerified: false }, { emailVerified: true }],
  accept: [{ accepted: [] }, { accepted }],
} as const

/** A public one, whose refresh tokens are replaced, and one with a secret. */
const apps = [phone, wiki]

async function start() {
  const host = await startAll({ acceptance }, { provenAddress: true })
  const change = (to: object) => host.users.change('u-alice', to)
  change({ accepted })
  const exchange = async (app: typeof phone, sent: Record<string, string>) => {
    const answer = await sendAs(host, app, '/oauth/token', sent)
    const body = (await answer.json()) as Record<string, unknown>
    const { access_token, refresh_token, id_token } = body
    for (const token of [access_token, refresh_token, id_token])
      if (typeof token === 'string') host.issued.add(token)
    return { status: answer.status, body }
  }
  return { host, change, exchange }
}

const refreshOf = (token: unknown) => ({
  grant_type: 'refresh_token',
  refresh_token: String(token),
})

it.each(
  Object.entries(actions).flatMap(([action, pair]) => apps.map((app) => ({ action, pair, app }))),
)(
  'neither a code nor a refresh token of $app.id is spent while its user owes $action',
  async ({ action, pair: [owed, done], app }) => {
    const { host, change, exchange } = await start()
    const { refresh_token } = await signInTo(host, app)
    const shown = [refreshOf(refresh_token), await codeFor(host, await openBrowser(host), app)]
    change(owed)
    for (const sent of [...shown, ...shown]) {
      const { status, body } = await exchange(app, sent)
      expect([status, body['error'], body['details']]).toEqual([
        400,
        'interaction_required',
        { required: [action] },
      ])
      expect(body).not.toHaveProperty('access_token')
    }
    for (const type of ['refresh.refused', 'code.refused']) {
      const told = host.events.filter((event) => event.type === type)
      expect(told).toMatchObject(Array(2).fill({ reason: 'action-required', userId: 'u-alice' }))
    }
    change(done)
    for (const sent of shown) expect((await exchange(app, sent)).status).toBe(200)
  },
)

it('once the user has accepted a document elsewhere, the app goes on with the same token', async () => {
  const { host, change, exchange } = await start()
  const { refresh_token } = await signInTo(host, phone)
  change({ accepted: [] })
  expect((await exchange(phone, refreshOf(refresh_token))).status).toBe(400)
  const alice = await signedIn(host)
  expect((await alice.post('/auth/acceptance', { documents: both })).status).toBe(200)
  expect((await exchange(phone, refreshOf(refresh_token))).status).toBe(200)
})

it('a device asks again until its user is done', async () => {
  const { host, begin, poll, approve } = await startDevices({ options: { acceptance } })
  const change = (to: object) => host.users.change('u-alice', to)
  change({ accepted })
  const asked = await begin()
  await approve(asked.user_code)
  change({ accepted: [] })
  for (let i = 0; i < 3; i += 1)
    expect((await poll(asked)).body).toMatchObject({ error: 'authorization_pending' })
  change({ accepted })
  expect((await poll(asked)).status).toBe(200)
})

it('a refresh token that was used before ends the session all the same', async () => {
  const { host, change, exchange } = await start()
  const { refresh_token } = await signInTo(host, phone)
  const second = await exchange(phone, refreshOf(refresh_token))
  const third = await exchange(phone, refreshOf(second.body['refresh_token']))
  host.clock.advance(60)
  change({ accepted: [] })
  expect((await exchange(phone, refreshOf(refresh_token))).body['error']).toBe('invalid_grant')
  change({ accepted })
  const after = await exchange(phone, refreshOf(third.body['refresh_token']))
  expect([after.status, after.body['error']]).toEqual([400, 'invalid_grant'])
})

it('an outage of what says so is 503, and spends nothing', async () => {
  const { host, change, exchange } = await start()
  const { refresh_token } = await signInTo(host, phone)
  const shown = [refreshOf(refresh_token), await codeFor(host, await openBrowser(host), phone)]
  change({ emailVerified: 'no answer' })
  for (const sent of shown) expect((await exchange(phone, sent)).status).toBe(503)
  change({ emailVerified: true })
  for (const sent of shown) expect((await exchange(phone, sent)).status).toBe(200)
})
