// The device flow of openid-client and of oauth4webapi, which checks each answer, unmodified:
// https://github.com/panva/openid-client, https://github.com/panva/oauth4webapi.
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { expect, it } from 'vitest'
import { issuer, secret } from '../relying-party.js'
import { cli, startDevices, television } from './device-host.js'

type Devices = Awaited<ReturnType<typeof startDevices>>

// It waits by the system's clock, so that of the server runs along.
async function configure(at: Devices, clientId: string, how: openid.ClientAuth) {
  const { origin } = new URL(at.host.url)
  const fetchLocally: openid.CustomFetch = (url, options) =>
    fetch(at.local(url), options as RequestInit)
  const given = { execute: [openid.allowInsecureRequests], [openid.customFetch]: fetchLocally }
  const server = new URL('https://chat.example.com')
  const config = await openid.discovery(server, clientId, {}, how, given)
  expect(origin).toMatch(/^http:/)
  return config
}

it.each([
  ['a public client', cli, openid.None()],
  ['a client with a secret', television, openid.ClientSecretBasic(secret.secret)],
] as const)('%s: waits, gets its tokens, and checks them', async (_what, client, how) => {
  const at = await startDevices()
  at.clock.set?.(new Date())
  const config = await configure(at, client.id, how)
  const scope = 'openid messages:read'
  const asked = await openid.initiateDeviceAuthorization(config, { scope })
  expect(asked).toMatchObject({ expires_in: 600, interval: 5 })
  at.host.issued.add(asked.device_code)
  await at.approve(asked.user_code)
  const tokens = await openid.pollDeviceAuthorizationGrant(config, { ...asked, interval: 0.01 })
  expect(tokens).toMatchObject({ token_type: 'bearer', scope })
  expect(tokens.claims()?.sub).toBe('u-alice')
  const told = await openid.fetchUserInfo(config, tokens.access_token, 'u-alice')
  expect(told.sub).toBe('u-alice')
})

it('a user who says no is an error by its name', async () => {
  const at = await startDevices()
  const config = await configure(at, cli.id, openid.None())
  const asked = await openid.initiateDeviceAuthorization(config, { scope: 'messages:read' })
  at.host.issued.add(asked.device_code)
  const [browser, rest] = await at.typeCode(asked.user_code)
  await browser.send(rest, { choice: 'deny' })
  const polling = openid.pollDeviceAuthorizationGrant(config, { ...asked, interval: 0.01 })
  await expect(polling).rejects.toMatchObject({ error: 'access_denied' })
})

it('oauth4webapi takes each answer of the flow: to wait, to slow down, and the tokens', async () => {
  const at = await startDevices()
  at.clock.set?.(new Date())
  const client: oauth.Client = { client_id: cli.id }
  const locally = {
    [oauth.allowInsecureRequests]: true,
    [oauth.customFetch]: (url: string, options: object) => fetch(at.local(url), options),
  }
  const found = await oauth.discoveryRequest(new URL(issuer), locally)
  const server = await oauth.processDiscoveryResponse(new URL(issuer), found)
  const parameters = { scope: 'openid messages:read' }
  const answer = await oauth.deviceAuthorizationRequest(
    server,
    client,
    oauth.None(),
    parameters,
    locally,
  )
  const asked = await oauth.processDeviceAuthorizationResponse(server, client, answer)
  at.host.issued.add(asked.device_code)
  const grant = () =>
    oauth.deviceCodeGrantRequest(server, client, oauth.None(), asked.device_code, locally)
  const poll = async () => oauth.processDeviceCodeResponse(server, client, await grant())
  for (const error of ['authorization_pending', 'slow_down'])
    await expect(poll()).rejects.toMatchObject({ error, status: 400 })
  await at.approve(asked.user_code)
  at.clock.advance(20)
  const response = await grant()
  const tokens = await oauth.processDeviceCodeResponse(server, client, response)
  expect(tokens).toMatchObject({ token_type: 'bearer', scope: 'openid messages:read' })
  expect(oauth.getValidatedIdTokenClaims(tokens)?.sub).toBe('u-alice')
  await oauth.validateApplicationLevelSignature(server, response, locally)
  at.clock.advance(20)
  await expect(poll()).rejects.toMatchObject({ error: 'invalid_grant' })
})
