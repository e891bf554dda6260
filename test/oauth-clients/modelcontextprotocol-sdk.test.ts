// https://github.com/modelcontextprotocol/typescript-sdk: its OAuth client, with a client that is
// registered beforehand.
import {
  auth,
  discoverAuthorizationServerMetadata,
  type OAuthClientProvider,
} from '@modelcontextprotocol/sdk/client/auth.js'
import type { OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import express from 'express'
import { expect, it } from 'vitest'
import { openBrowser } from './support/browser.js'
import { userInfo } from './support/endpoints.js'
import { listen } from './support/listen.js'
import { alice, type Provider } from './support/provider.js'
import { desktop } from './support/registrations.js'
import { bothPaths, describeClient } from './support/suites.js'

/** A server of tools whose metadata name the provider, RFC 9728. */
async function startResource({ issuer }: Provider): Promise<URL> {
  const app = express()
  const origin = await listen(app)
  app.get('/.well-known/oauth-protected-resource/mcp', (_req, res) => {
    res.json({
      resource: `${origin}/mcp`,
      authorization_servers: [issuer],
      scopes_supported: ['openid', 'profile', 'offline_access'],
    })
  })
  return new URL(`${origin}/mcp`)
}

class Assistant implements OAuthClientProvider {
  readonly redirectUrl = 'http://127.0.0.1:50126/callback'
  readonly clientMetadata = { redirect_uris: [this.redirectUrl] }
  saved: OAuthTokens | undefined
  asked: URL | undefined
  private verifier = ''

  clientInformation = () => ({ client_id: desktop.id })
  tokens = () => this.saved
  saveTokens = (tokens: OAuthTokens) => {
    this.saved = tokens
  }
  redirectToAuthorization = (url: URL) => {
    this.asked = url
  }
  saveCodeVerifier = (verifier: string) => {
    this.verifier = verifier
  }
  codeVerifier = () => this.verifier
  state = () => 'a state'
  // The provider knows the API itself only.
  validateResourceURL = () => Promise.resolve(undefined)
}

describeClient('@modelcontextprotocol/sdk', bothPaths, (provider) => {
  it('finds the metadata from the issuer alone', async () => {
    const metadata = await discoverAuthorizationServerMetadata(provider().issuer)
    expect(metadata).toMatchObject({
      issuer: provider().issuer,
      code_challenge_methods_supported: ['S256'],
    })
  })

  it('signs in, starting at a resource that names the issuer, and refreshes', async () => {
    const serverUrl = await startResource(provider())
    const assistant = new Assistant()
    expect(await auth(assistant, { serverUrl })).toBe('REDIRECT')
    const { url } = await openBrowser(provider()).open(assistant.asked ?? '')
    expect(url.searchParams.get('state')).toBe('a state')
    const authorizationCode = url.searchParams.get('code') ?? ''
    expect(await auth(assistant, { serverUrl, authorizationCode })).toBe('AUTHORIZED')
    const first = assistant.saved
    expect(await userInfo(provider(), first?.access_token ?? '')).toMatchObject({ sub: alice.id })
    expect(await auth(assistant, { serverUrl })).toBe('AUTHORIZED')
    expect(assistant.saved?.access_token).not.toBe(first?.access_token)
  })
})
