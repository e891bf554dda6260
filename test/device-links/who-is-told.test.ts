// What the user shows again at an approval, and is told after it.
import { expect, it } from 'vitest'
import { startAccounts } from '../accounts/account-host.js'
import { assertion } from '../passkeys/authenticator.js'
import { startPasskeys } from '../passkeys/passkey-host.js'
import { pkcePair } from '../support/client.js'
import { deviceLinksOptions } from '../support/mounted-device-links.js'
import { begin, checkCodeOn, signedIn } from './link-host.js'

it('a user with a passkey shows it again, or signs in as usual', async () => {
  const host = await startPasskeys({ options: deviceLinksOptions() })
  const token = await host.logIn()
  const { passkey } = await host.add(token)
  const { codeVerifier, codeChallenge } = pkcePair()
  const { data } = await host.post('/auth/device-links', { codeChallenge })
  const [linkId, qr] = [String(data['linkId']), String(data['qr'])]
  await host.post('/auth/device-links/open', { link: qr.split('#')[1] }, token)
  const collect = () =>
    host.post('/auth/device-links/collect', { linkId, codeVerifier, confirm: true })
  const checkCode = (await collect()).body.details?.['checkCode']
  const approve = (proof: object = {}) =>
    host.post('/auth/device-links/approve', { linkId, checkCode, ...proof }, token)

  expect((await approve()).body.error).toBe('reauthentication-required')
  const shown = assertion(passkey, await host.challenge(token))
  expect((await approve({ passkey: shown })).status).toBe(200)
  host.clock.advance(2)
  expect((await collect()).status).toBe(200)
  const rows = await host.sessionsOf()
  expect(rows.map(({ methods }) => methods)).toContainEqual(['passkey'])
})

it('the user gets a mail that says where it was, and what to do about a stranger', async () => {
  const host = await startAccounts({ options: deviceLinksOptions() })
  const alice = await signedIn(host)
  const device = await begin(host)
  await alice.open(device.link).expect(200)
  await alice.approve(device.linkId, await checkCodeOn(device)).expect(200)
  const [mail] = await host.mailed('device-linked')
  expect(mail).toMatchObject({
    to: 'alice@example.com',
    subject: 'Another device was signed in at Messaging',
  })
  expect(mail?.text).toContain('sign that device out in the list of your sessions')
  expect(mail?.text).not.toContain(device.link)
})

it('the mail is a notice like any other: switched off, it is not sent', async () => {
  const host = await startAccounts({
    accounts: { notices: ['password-changed'] },
    options: deviceLinksOptions(),
  })
  const alice = await signedIn(host)
  const device = await begin(host)
  await alice.open(device.link).expect(200)
  await alice.approve(device.linkId, await checkCodeOn(device)).expect(200)
  expect(await host.mailed('device-linked')).toEqual([])
})
