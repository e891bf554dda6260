// Somebody holds an access token whose user signed in more than ten minutes ago.
import { expect, it } from 'vitest'
import type { Mail } from '../../src/index.js'
import { begin, checkCodeOn } from '../device-links/link-host.js'
import { afterAttack } from '../support/after-attack.js'
import { bearer, logIn, pkcePair, post } from '../support/client.js'
import { requests } from '../support/described.js'
import { startHost } from '../support/host.js'
import { accountsOptions } from '../support/mounted-accounts.js'
import { deviceLinksOptions } from '../support/mounted-device-links.js'
import { oauthOptions } from '../support/mounted-oauth.js'
import { passkeyOptions } from '../support/mounted-passkeys.js'
import { providersOptions } from '../support/mounted-providers.js'

/** Doors to what outlives a session, and a body in which nothing else is wrong. */
const doors: Record<string, object> = {
  'POST /auth/pkce/authorize': { codeChallenge: pkcePair().codeChallenge },
  'POST /auth/browser-session': {},
  'POST /auth/access-tokens': { name: 'bot' },
  'POST /auth/device-links/approve': {},
  'POST /auth/passkeys/options': {},
  'POST /auth/identities/:id': {
    returnTo: 'https://chat.example.com/signed-in',
    codeChallenge: pkcePair().codeChallenge,
  },
  'POST /auth/email/change': { email: 'mallory@example.com' },
  'POST /auth/email/second-factor': { enabled: true },
  'POST /auth/phone/change': { phone: '+4917087654321' },
  'POST /auth/phone/second-factor': { enabled: true },
  'POST /auth/password/change': { newPassword: 'a phrase that nobody else types' },
  'POST /auth/account/delete': {},
}

/**
 * What makes nothing that outlives the session, goes on with what one of the doors has begun, or
 * takes the password whatever the age of the sign-in.
 */
const others = [
  'POST /logout',
  'DELETE /auth/sessions',
  'DELETE /auth/sessions/:id',
  'POST /auth/socket-ticket',
  'DELETE /auth/access-tokens',
  'DELETE /auth/access-tokens/:id',
  'DELETE /auth/remembered-browsers/:id',
  'POST /auth/totp',
  'POST /auth/totp/confirm',
  'POST /auth/totp/disable',
  'POST /auth/totp/recovery-codes',
  'POST /auth/passkeys',
  'POST /auth/passkeys/:id',
  'DELETE /auth/passkeys/:id',
  'POST /auth/reauthenticate',
  'POST /auth/email/verify',
  'POST /auth/email/confirm',
  'POST /auth/phone/verify',
  'POST /auth/phone/confirm',
  'POST /auth/account/delete/confirm',
  'POST /auth/identities',
  'DELETE /auth/identities/:id',
  'POST /auth/device-links/open',
  'POST /auth/device-links/deny',
  'DELETE /auth/consents/:clientId',
  'POST /auth/acceptance',
]

it('each request of a signed-in user is a door to what outlives the session, or none', () => {
  const changing = requests.filter(
    ({ route, request }) => request['x-who'].startsWith('signed in') && !route.startsWith('GET '),
  )
  const routes = changing.map(({ route }) => route)
  expect(routes.toSorted()).toEqual([...Object.keys(doors), ...others].toSorted())
})

it('no door to what outlives the session opens eleven minutes after the sign-in', async () => {
  const mails: Mail[] = []
  const host = await startHost({
    options: {
      namedTokens: true,
      ...oauthOptions(),
      ...passkeyOptions(),
      ...accountsOptions(mails),
      ...providersOptions(),
      ...deviceLinksOptions(),
    },
  })
  const { authToken } = await logIn(host)
  host.clock.advance(601)
  const device = await begin(host)
  await post(host, '/auth/device-links/open', { link: device.link }, bearer(authToken)).expect(200)
  const link = { linkId: device.linkId, checkCode: await checkCodeOn(device) }
  const ownPage = { Origin: host.url, 'Sec-Fetch-Site': 'same-origin' }
  for (const [door, body] of Object.entries(doors)) {
    const path = door.replace('POST ', '').replace(':id', 'x')
    const sent = door.includes('device-links') ? link : body
    const refused = await post(host, path, sent, { ...bearer(authToken), ...ownPage })
    expect([door, refused.status, refused.body.error]).toEqual([
      door,
      403,
      'reauthentication-required',
    ])
    await afterAttack(host, refused)
  }
  expect(await host.auth.sessions.list('u-alice')).toHaveLength(1)
  expect(mails).toEqual([])
})
