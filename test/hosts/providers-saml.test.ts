// samlify, unmodified, as the provider of SAML for docs/passport-strategies.md.
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import type { Provider } from 'messaging-auth-router/providers'
import * as samlify from 'samlify'
import { expect, it } from 'vitest'
import { example } from './support/doc-examples.js'
import { spIssuer } from './support/fake-saml.js'

const { samlProvider } = await example<{
  samlProvider: (settings: object) => Provider
}>('saml.ts')

const state = 'S'.repeat(43)
const callbackUrl = 'https://chat.example.com/auth/providers/saml/callback'
const entityID = 'https://samlify.example.com/metadata'
const entryPoint = 'https://samlify.example.com/sso'
const persistent = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'
const mfa = 'https://refeds.org/profile/mfa'
const { binding } = samlify.Constants.namespace

const pem = selfSigned()
// It has no schemas of its own: what comes here was made by passport-saml.
samlify.setSchemaValidator({ validate: async () => 'ok' })

const statement = `<saml:AuthnStatement AuthnInstant="{IssueInstant}"><saml:AuthnContext>\
<saml:AuthnContextClassRef>${mfa}</saml:AuthnContextClassRef>\
</saml:AuthnContext></saml:AuthnStatement>`
const { context } = samlify.SamlLib.defaultLoginResponseTemplate
const template = context.replace('{AuthnStatement}', statement).replace('{AttributeStatement}', '')

const identityProvider = samlify.IdentityProvider({
  entityID,
  privateKey: pem.key,
  signingCert: pem.cert,
  requestSignatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  nameIDFormat: [persistent],
  singleSignOnService: [{ Binding: binding.redirect, Location: entryPoint }],
  loginResponseTemplate: { context: template, attributes: [] },
})

/** What samlify knows of us. */
const serviceWith = (signed: { assertion: boolean; answer: boolean }) =>
  samlify.ServiceProvider({
    entityID: spIssuer,
    nameIDFormat: [persistent],
    wantAssertionsSigned: signed.assertion,
    wantMessageSigned: signed.answer,
    assertionConsumerService: [{ Binding: binding.post, Location: callbackUrl }],
  })

/** A key and its certificate, of which nobody has heard. */
function selfSigned() {
  const made = 'openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=samlify -days 2'
  const written = '-keyout /dev/stdout -out /dev/stdout 2>/dev/null | cat'
  const text = execFileSync('sh', ['-c', `${made} ${written}`], { encoding: 'utf8' })
  const [key = '', cert = ''] = text.split(/(?=-----BEGIN CERT)/)
  return { key, cert }
}

async function signIn(service: ReturnType<typeof serviceWith>) {
  const own = { issuer: spIssuer, callbackUrl }
  const settings = { entryPoint, idpCert: pem.cert, idpIssuer: entityID, ...own }
  const provider = samlProvider(settings)
  const { url, keep } = await provider.start({ state, callbackUrl })
  const query = Object.fromEntries(new URL(url).searchParams)
  const { extract } = await identityProvider.parseLoginRequest(service, 'redirect', { query })
  const now = new Date()
  const soon = new Date(now.getTime() + 300_000).toISOString()
  const values = {
    ID: `_${randomUUID()}`,
    AssertionID: `_${randomUUID()}`,
    Destination: callbackUrl,
    Audience: spIssuer,
    SubjectRecipient: callbackUrl,
    NameIDFormat: persistent,
    NameID: 'samlify-alice',
    Issuer: entityID,
    IssueInstant: now.toISOString(),
    StatusCode: samlify.Constants.StatusCode.Success,
    ConditionsNotBefore: now.toISOString(),
    ConditionsNotOnOrAfter: soon,
    SubjectConfirmationDataNotOnOrAfter: soon,
    InResponseTo: String(extract.request?.['id']),
  }
  const fill = (text: string) => ({
    id: values.ID,
    context: samlify.SamlLib.replaceTagsByValue(text, values),
  })
  const user = { email: 'alice@example.com' }
  const answer = await identityProvider.createLoginResponse(
    service,
    { extract },
    'post',
    user,
    fill,
  )
  const parameters = { SAMLResponse: answer.context, RelayState: state }
  const stored = JSON.parse(JSON.stringify(keep))
  const came = { state, callbackUrl, method: 'POST', headers: {}, keep: stored } as const
  return provider.finish({ ...came, parameters })
}

it('signs in, and says how the user has signed in there', async () => {
  const identity = { issuer: entityID, subject: 'samlify-alice', acr: mfa }
  for (const answer of [false, true])
    expect(await signIn(serviceWith({ assertion: true, answer }))).toEqual({
      outcome: 'identified',
      identity,
    })
})

it('an answer that is signed around an assertion without a signature signs nobody in', async () => {
  const finished = await signIn(serviceWith({ assertion: false, answer: true }))
  expect(finished).toEqual({ outcome: 'refused', reason: 'error' })
})
