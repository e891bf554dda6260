// A provider of SAML: it reads the request and signs an assertion, with a key made here.
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'
import { SignedXml } from 'xml-crypto'

const keys = () =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
const right = keys()
const wrong = keys()

/** Of the provider, as the host is told it. */
export const idpCert = right.publicKey
export const idpIssuer = 'https://idp.example.com'
export const entryPoint = `${idpIssuer}/sso`
export const spIssuer = 'https://chat.example.com'

const persistent = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'
const protocol = 'urn:oasis:names:tc:SAML:2.0:protocol'

/** What the provider says, and what is false about it. */
export interface Statement {
  nameId?: string
  context?: string
  audience?: string
  inResponseTo?: string | null
  /** Of the assertion's end, in minutes from now. */
  ends?: number
  foreignKey?: boolean
  unsigned?: boolean
  /** Changes what was signed. */
  tamper?: (xml: string) => string
}

/** The id of the request that the browser was sent away with. */
export function requestIdIn(location: string | null): string {
  const request = new URL(location ?? '').searchParams.get('SAMLRequest') ?? ''
  const xml = inflateRawSync(Buffer.from(request, 'base64')).toString()
  return /ID="([^"]+)"/.exec(xml)?.[1] ?? ''
}

const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
const reply = (inResponseTo: string | null) =>
  inResponseTo === null ? '' : ` InResponseTo="${inResponseTo}"`

function assertionOf(given: Required<Pick<Statement, 'inResponseTo'>> & Statement): string {
  const { nameId = 'saml-alice', audience = spIssuer, inResponseTo, ends = 5 } = given
  const context = given.context ?? 'urn:oasis:names:tc:SAML:2.0:ac:classes:Password'
  return [
    `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_${randomUUID()}"`,
    ` Version="2.0" IssueInstant="${at(0)}"><saml:Issuer>${idpIssuer}</saml:Issuer>`,
    `<saml:Subject><saml:NameID Format="${persistent}">${nameId}</saml:NameID>`,
    '<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">',
    `<saml:SubjectConfirmationData NotOnOrAfter="${at(ends)}"${reply(inResponseTo)}/>`,
    '</saml:SubjectConfirmation></saml:Subject>',
    `<saml:Conditions NotBefore="${at(-10)}" NotOnOrAfter="${at(ends)}">`,
    `<saml:AudienceRestriction><saml:Audience>${audience}</saml:Audience>`,
    '</saml:AudienceRestriction></saml:Conditions>',
    `<saml:AuthnStatement AuthnInstant="${at(0)}"><saml:AuthnContext>`,
    `<saml:AuthnContextClassRef>${context}</saml:AuthnContextClassRef>`,
    '</saml:AuthnContext></saml:AuthnStatement></saml:Assertion>',
  ].join('')
}

/** The field `SAMLResponse` of the form that the browser posts. */
export function samlResponse(requestId: string, statement: Statement = {}): string {
  const { inResponseTo = requestId } = statement
  const xml = [
    `<samlp:Response xmlns:samlp="${protocol}" ID="_${randomUUID()}" Version="2.0"`,
    ` IssueInstant="${at(0)}"${reply(inResponseTo)}><samlp:Status><samlp:StatusCode`,
    ' Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>',
    `${assertionOf({ ...statement, inResponseTo })}</samlp:Response>`,
  ].join('')
  const signed = statement.unsigned === true ? xml : sign(xml, statement.foreignKey === true)
  return Buffer.from(statement.tamper?.(signed) ?? signed).toString('base64')
}

function sign(xml: string, foreign: boolean): string {
  const signature = new SignedXml({
    privateKey: (foreign ? wrong : right).privateKey,
    canonicalizationAlgorithm: 'http://www.w3.org/2001/10/xml-exc-c14n#',
    signatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  })
  const assertion = "//*[local-name(.)='Assertion']"
  signature.addReference({
    xpath: assertion,
    digestAlgorithm: 'http://www.w3.org/2001/04/xmlenc#sha256',
    transforms: [
      'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
      'http://www.w3.org/2001/10/xml-exc-c14n#',
    ],
  })
  signature.computeSignature(xml, {
    location: { reference: `${assertion}/*[local-name(.)='Issuer']`, action: 'after' },
  })
  return signature.getSignedXml()
}
