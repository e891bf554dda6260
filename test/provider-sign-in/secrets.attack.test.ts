// Whatever a provider of OpenID Connect answers: no code, token or state comes to stand in the log
// or the events, and the subject only as a digest.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import {
  clientSecret,
  foreign,
  type Lies,
  providerAt,
  sign,
  startIssuer,
} from '../providers/evil-issuer.js'
import { expectNothingTold } from '../support/after-attack.js'
import { begin, comeBack, type FakeProvider, finish, startProviders } from './provider-host.js'

const code = 'the-code-of-the-provider-1'
const accessToken = 'the-access-token-of-the-provider-1'
const subject = 'the-subject-of-alice-1'

const echo = (status: number) => (request: IncomingMessage, response: ServerResponse) => {
  const { authorization } = request.headers
  const told = { error: code, error_description: `${code} ${clientSecret} ${authorization}` }
  response.writeHead(status, { 'Content-Type': 'application/json', 'X-Code': code })
  response.end(JSON.stringify(told))
}
const redirect = (_request: IncomingMessage, response: ServerResponse) =>
  void response.writeHead(302, { Location: `/elsewhere?code=${code}` }).end()
const text = (_request: IncomingMessage, response: ServerResponse) => void response.end(code)
const hangUp = (request: IncomingMessage) => void request.socket.destroy()

const lies: [string, Lies][] = [
  ['the truth', {}],
  ['a refusal that repeats what was sent', { paths: { '/token': echo(400) } }],
  ['a fault that repeats what was sent', { paths: { '/token': echo(500) } }],
  ['a redirect with the code in it', { paths: { '/token': redirect } }],
  ['a text', { paths: { '/token': text } }],
  ['nothing', { paths: { '/token': hangUp } }],
  [
    'a token that is signed with another key',
    { idToken: (of) => sign(of, {}, foreign.privateKey) },
  ],
  ['a token for somebody else', { claims: { aud: 'another' } }],
  ['a token that has expired', { claims: { exp: 1, iat: 0 } }],
  ['a token with another nonce', { claims: { nonce: 'of another flow' } }],
  ['tokens that are none', { token: { id_token: 'x.y.z' } }],
  ['another user at the second question', { userinfo: { sub: `${subject}-2` } }],
  ['no keys', { paths: { '/jwks': echo(500) } }],
  ['keys that are none', { keys: [{ kty: 'EC', kid: 'es', d: code }] }],
]

async function start(told: Lies) {
  const issuer = await startIssuer()
  Object.assign(issuer.lies, told)
  issuer.lies.token = { access_token: accessToken, ...told.token }
  issuer.lies.claims = { sub: subject, ...told.claims }
  issuer.lies.userinfo = { sub: subject, ...told.userinfo }
  const provider = providerAt(issuer, { userinfo: true }) as FakeProvider
  const host = await startProviders({
    provider,
    providers: { baseUrl: 'https://chat.example.com/api/v1', unknown: 'create' },
  })
  return { host, issuer }
}

describe('A provider that answers', () => {
  it.each(lies)('%s: nothing of the flow is written down', async (_what, told) => {
    const { host, issuer } = await start(told)
    const begun = await begin(host)
    issuer.asked.nonce = begun.there.searchParams.get('nonce') ?? ''
    const callback = `${begun.callback}&code=${code}&scope=openid`
    const { ticket } = await comeBack({ ...begun, callback })
    if (ticket !== '') await finish(host, { ticket, codeVerifier: begun.codeVerifier })
    // Once more, and by a client that has nothing.
    await begun.browser.open(callback)
    await finish(host, { ticket: `${ticket}x`, codeVerifier: begun.codeVerifier })
    const sent = issuer.asked.forms.map((form) => form.get('code_verifier') ?? '')
    const secrets = [code, accessToken, subject, clientSecret, issuer.asked.nonce, ...sent]
    expect(host.events.map(({ type }) => type)).toContain('provider.started')
    expectNothingTold(
      host,
      secrets.filter((secret) => secret !== ''),
    )
  })
})
