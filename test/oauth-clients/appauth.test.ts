// https://github.com/openid/AppAuth-JS, as an app on the desktop uses it: RFC 8252, with a server
// on a port of the loopback interface that is free just then.

import { type AddressInfo, createServer } from 'node:net'
import {
  AuthorizationNotifier,
  AuthorizationRequest,
  type AuthorizationResponse,
  AuthorizationServiceConfiguration,
  BaseTokenRequestHandler,
  RevokeTokenRequest,
  setFlag,
  TokenRequest,
} from '@openid/appauth'
import {
  NodeBasedHandler,
  NodeCrypto,
  NodeRequestor,
} from '@openid/appauth/built/src/node_support/index.js'
import { expect, it, vi } from 'vitest'
import { openBrowser } from './support/browser.js'
import { userInfo } from './support/endpoints.js'
import { alice, type Provider } from './support/provider.js'
import { desktop } from './support/registrations.js'
import { bothPaths, describeClient } from './support/suites.js'

// What would start the browser of the system.
const opener = vi.hoisted(() => vi.fn<(url: string) => void>())
vi.mock('opener', () => ({ default: opener }))
setFlag('IS_LOG', false)

const requestor = new NodeRequestor()

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** The app asks, alice's browser opens and comes back to the app. */
async function ask(provider: Provider) {
  const config = await AuthorizationServiceConfiguration.fetchFromIssuer(provider.issuer, requestor)
  const port = await freePort()
  const redirectUri = `http://127.0.0.1:${port}/callback`
  opener.mockImplementation((url) => {
    void openBrowser(provider)
      .open(url)
      .then(({ url: back }) => fetch(back))
  })
  const request = new AuthorizationRequest(
    {
      client_id: desktop.id,
      redirect_uri: redirectUri,
      scope: 'openid profile offline_access',
      response_type: AuthorizationRequest.RESPONSE_TYPE_CODE,
      extras: { prompt: 'consent' },
    },
    new NodeCrypto(),
  )
  const notifier = new AuthorizationNotifier()
  const handler = new NodeBasedHandler(port)
  handler.setAuthorizationNotifier(notifier)
  const response = await new Promise<AuthorizationResponse | null>((resolve) => {
    notifier.setAuthorizationListener((_request, answer) => resolve(answer))
    handler.performAuthorizationRequest(config, request)
  })
  return { config, request, redirectUri, response }
}

describeClient('@openid/appauth', bothPaths, (provider) => {
  it('signs in by a free port, refreshes and revokes', async () => {
    const { config, request, redirectUri, response } = await ask(provider())
    expect(response?.state).toBe(request.state)
    const tokens = new BaseTokenRequestHandler(requestor)
    const common = { client_id: desktop.id, redirect_uri: redirectUri }
    const token = await tokens.performTokenRequest(
      config,
      new TokenRequest({
        ...common,
        grant_type: 'authorization_code',
        code: response?.code ?? '',
        extras: { code_verifier: request.internal?.['code_verifier'] ?? '' },
      }),
    )
    // By default it takes a token for expired ten minutes before it is.
    expect(token.isValid(0)).toBe(true)
    expect(await userInfo(provider(), token.accessToken)).toMatchObject({ sub: alice.id })

    const refresh = (refreshToken = '') =>
      tokens.performTokenRequest(
        config,
        new TokenRequest({
          ...common,
          grant_type: 'refresh_token',
          refresh_token: refreshToken,
        }),
      )
    const fresh = await refresh(token.refreshToken)
    expect(fresh.accessToken).not.toBe(token.accessToken)
    const last = fresh.refreshToken ?? token.refreshToken ?? ''
    await tokens.performRevokeTokenRequest(
      config,
      new RevokeTokenRequest({ token: last, client_id: desktop.id }),
    )
    await expect(refresh(last)).rejects.toThrow()
  })
})
