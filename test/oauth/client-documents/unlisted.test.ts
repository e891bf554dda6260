// A host that is taken out of the list of those whose documents count: its apps after the restart.
import { expect, it } from 'vitest'
import { openVisitor, wayTo } from '../../pages/mounted/visitor.js'
import { pkcePair } from '../../support/client.js'
import { password } from '../../support/host.js'
import { startTools } from '../further-apis.js'
import { editorId, startVendor, vendorHost } from './vendor.js'

it.each([
  ['host is no longer listed', ['other.example'], []],
  ['address is an exception', [vendorHost, 'other.example'], [editorId]],
])('an app whose %s gets no token by anything that it holds', async (_why, left, exceptions) => {
  await startVendor()
  let hosts: readonly string[] = [vendorHost, 'other.example']
  let except: readonly string[] = []
  const scopes = ['messages:read']
  const { host, base, get, token } = await startTools({
    oauthAt: () => ({ clientDocuments: { hosts, except, scopes } }),
  })
  const redirect_uri = 'http://127.0.0.1:49152/callback'
  const visitor = openVisitor(host)
  async function askForCode() {
    const { codeVerifier: code_verifier, codeChallenge: code_challenge } = pkcePair()
    const asked = { client_id: editorId, redirect_uri, response_type: 'code', scope: scopes[0] }
    const pkce = { code_challenge, code_challenge_method: 'S256' }
    const query = new URLSearchParams({ ...asked, ...pkce } as Record<string, string>)
    let page = await visitor.open(`${base}/oauth/authorize?${query}`)
    if (page.heading === 'Sign in') page = await visitor.fill(page, { username: 'alice', password })
    const [, choice] = /value="(allow|continue)"/.exec(page.text) ?? []
    if (choice !== undefined) page = await visitor.fill(page, { choice })
    const code = page.status < 400 ? (wayTo(page)?.searchParams.get('code') ?? null) : null
    return { page, form: { grant_type: 'authorization_code', code, redirect_uri, code_verifier } }
  }
  const exchange = ({ code, ...form }: Awaited<ReturnType<typeof askForCode>>['form']) =>
    token({ ...form, code: code ?? '', client_id: editorId })
  const { status, json } = await exchange((await askForCode()).form)
  expect(status).toBe(200)
  const held = (await askForCode()).form
  expect(held.code).not.toBeNull()
  expect((await get('/chat', json['access_token'])).status).toBe(200)

  hosts = left
  except = exceptions
  await host.restart()
  const invalid = { status: 401, json: { error: 'invalid_client' } }
  const refresh = {
    grant_type: 'refresh_token',
    refresh_token: json['refresh_token'] ?? '',
    client_id: editorId,
  }
  expect(await token(refresh)).toMatchObject(invalid)
  expect(await exchange(held)).toMatchObject(invalid)
  expect((await askForCode()).page.status).toBe(400)

  // The access token that it has lasts as long as it says.
  expect((await get('/chat', json['access_token'])).status).toBe(200)
  host.clock.advance(700)
  expect((await get('/chat', json['access_token'])).status).toBe(401)
})
