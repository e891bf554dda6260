// What the tests of openid-client have in common.
import * as oidc from 'openid-client'
import type { Browser } from './browser.js'
import type { Provider } from './provider.js'
import type { Registration } from './registrations.js'

const insecure = { execute: [oidc.allowInsecureRequests] }
/** Finds the provider, for a client that shows itself so. */
export const discover = (
  { issuer }: Provider,
  id: string,
  how: oidc.ClientAuth,
  algorithm: 'oidc' | 'oauth2' = 'oidc',
) => oidc.discovery(new URL(issuer), id, undefined, how, { ...insecure, algorithm })

/** What a client keeps of a request. */
export const checks = () => ({
  verifier: oidc.randomPKCECodeVerifier(),
  state: oidc.randomState(),
  nonce: oidc.randomNonce(),
})

/** Proves the answer, and gets tokens for its code. */
export const exchange = (
  config: oidc.Configuration,
  back: URL,
  { verifier, state, nonce }: ReturnType<typeof checks>,
) =>
  oidc.authorizationCodeGrant(config, back, {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
    idTokenExpected: true,
  })

/** Asks for the least, in a browser that may be signed in already. */
export async function askBriefly(
  provider: Provider,
  browser: Browser,
  { id, secret, redirectUris }: Registration,
  more: Readonly<Record<string, string>> = {},
) {
  const how = secret === undefined ? oidc.None() : oidc.ClientSecretBasic(secret)
  const config = await discover(provider, id, how)
  const sent = checks()
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: redirectUris[0] ?? '',
    scope: 'openid',
    code_challenge: await oidc.calculatePKCECodeChallenge(sent.verifier),
    code_challenge_method: 'S256',
    state: sent.state,
    nonce: sent.nonce,
    max_age: '600',
    ...more,
  })
  return exchange(config, (await browser.open(url)).url, sent)
}
