// Several sites with one set of passkeys: WebAuthn Level 3 §5.11.
import supertest from 'supertest'
import { expect, it } from 'vitest'
import { newPasskey } from './authenticator.js'
import { type PasskeySettings, startPasskeys } from './passkey-host.js'

const relatedOrigins = ['https://example.de', 'https://chat.example.org:8443']

async function startRelated(passkeys: PasskeySettings['passkeys'] = { relatedOrigins }) {
  const host = await startPasskeys({ passkeys })
  const { passkey } = await host.add(await host.logIn(), newPasskey())
  const from = (origin: string) => host.signIn(passkey, { clientData: { origin } })
  return { host, from }
}

it('a passkey signs in at the sites that are named, and at no other', async () => {
  const { from } = await startRelated()
  for (const origin of relatedOrigins) expect((await from(origin)).status).toBe(200)
  for (const origin of [
    'https://example.org',
    'https://chat.example.org',
    'https://evil.example.de',
    'http://example.de',
    'https://example.de.evil.example',
  ])
    expect([origin, (await from(origin)).status]).toEqual([origin, 401])
})

it('without the option no other site is one', async () => {
  const { from } = await startRelated({})
  expect((await from('https://example.de')).status).toBe(401)
})

it('browsers read them where they look, from every page', async () => {
  const { host } = await startRelated()
  const { status, body, headers } = await supertest(host.url)
    .get('/.well-known/webauthn')
    .set('Origin', 'https://example.de')
  expect([status, body]).toEqual([200, { origins: relatedOrigins }])
  expect(headers['content-type']).toMatch(/^application\/json/)
  expect(headers['access-control-allow-origin']).toBe('*')
  const { host: without } = await startRelated({})
  expect((await supertest(without.url).get('/.well-known/webauthn')).status).toBe(404)
})
