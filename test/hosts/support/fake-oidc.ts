// A provider of OpenID Connect that can be told to lie.
import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { listen } from './passport-host.js'

export const clientId = 'chat'
export const clientSecret = 'a secret of the client'
const right = await generateKeyPair('RS256')
const wrong = await generateKeyPair('RS256')

/** What is false about the next ID token. */
export interface Lies {
  claims?: JWTPayload
  foreignKey?: boolean
  unsigned?: boolean
  /** The token endpoint is down. */
  down?: boolean
}

/** Starts one, at which `subject` is signed in. */
export async function startProvider(subject = 'google-alice') {
  const state = { subject, lies: {} as Lies, asked: [] as URL[] }
  const codes = new Map<string, { challenge: string | null; redirectUri: string | null }>()
  const jwk = { ...(await exportJWK(right.publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' }

  async function idToken(issuer: string): Promise<string> {
    const { claims, foreignKey, unsigned } = state.lies
    const now = Math.floor(Date.now() / 1000)
    const payload = {
      iss: issuer,
      sub: state.subject,
      aud: clientId,
      iat: now,
      exp: now + 300,
      ...claims,
    }
    if (unsigned === true) {
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
      return `${part({ alg: 'none' })}.${part(payload)}.`
    }
    return new SignJWT(payload)
      .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
      .sign(foreignKey === true ? wrong.privateKey : right.privateKey)
  }

  async function exchange(request: IncomingMessage, issuer: string): Promise<[number, object]> {
    if (state.lies.down === true) return [502, {}]
    const given = new URLSearchParams(await text(request))
    const code = codes.get(given.get('code') ?? '')
    codes.delete(given.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(given.get('code_verifier') ?? '')
      .digest('base64url')
    const isRight =
      code !== undefined &&
      code.challenge === challenge &&
      code.redirectUri === given.get('redirect_uri') &&
      given.get('client_secret') === clientSecret
    if (!isRight) return [400, { error: 'invalid_grant' }]
    const tokens = { access_token: 'at', token_type: 'Bearer', id_token: await idToken(issuer) }
    return [200, tokens]
  }

  // Whoever comes is signed in already, and is sent back.
  function sendBack(url: URL): string {
    state.asked.push(url)
    const redirectUri = url.searchParams.get('redirect_uri')
    const code = randomUUID()
    codes.set(code, { challenge: url.searchParams.get('code_challenge'), redirectUri })
    const back = new URL(redirectUri ?? '')
    back.searchParams.set('code', code)
    return back.href
  }

  async function answer(request: IncomingMessage, url: URL): Promise<[number, object]> {
    if (url.pathname === '/token') return exchange(request, issuer)
    return [200, url.pathname === '/jwks' ? { keys: [jwk] } : metadata(issuer)]
  }

  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', issuer)
    if (url.pathname === '/authorize')
      return void response.writeHead(302, { Location: sendBack(url) }).end()
    const [status, body] = await answer(request, url)
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
  })
  const issuer = await listen(server)
  return { issuer, state }
}

const metadata = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/jwks`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
  code_challenge_methods_supported: ['S256'],
})
