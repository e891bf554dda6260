// The test vectors of WebAuthn Level 3 (https://www.w3.org/TR/webauthn-3/#sctn-test-vectors), as
// they stand there: registrations and sign-ins of other authenticators, as browsers spell them.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { simpleWebAuthn } from '../../src/passkeys/simple-webauthn.js'
import { judgeClientData } from '../../src/passkeys/verify-passkey.js'
import {
  assertionSchema,
  creationSchema,
  readAuthenticatorData,
  readClientData,
} from '../../src/two-factor/passkey-response.js'

interface Vector {
  readonly title: string
  readonly registration: {
    readonly challenge: string
    readonly credentialId: string
    readonly clientDataJSON: string
    readonly attestationObject: string
  }
  readonly authentication: {
    readonly challenge: string
    readonly clientDataJSON: string
    readonly authenticatorData: string
    readonly signature: string
  }
}

const file = new URL('./webauthn-vectors.json', import.meta.url)
const vectors: readonly Vector[] = JSON.parse(readFileSync(file, 'utf8'))
const site = { rpId: 'example.org', origins: ['https://example.org'] }
const verifier = simpleWebAuthn()

// What this package offers to take: ES256, EdDSA over Ed25519, RS256.
const isOffered = ({ title }: Vector) => !/ES384|ES512|Ed448/.test(title)
const isFramed = ({ title }: Vector) => /Origin"/.test(title)

/** Where the authenticator data begins in an attestation object: behind its name and length. */
function attested({ registration }: Vector): Buffer {
  const bytes = Buffer.from(registration.attestationObject, 'base64url')
  const name = bytes.indexOf('authData') + 'authData'.length
  return bytes.subarray(name + (bytes[name] === 0x59 ? 3 : 2))
}

function publicKeyOf(vector: Vector): string {
  const data = attested(vector)
  return data.subarray(55 + data.readUInt16BE(53)).toString('base64url')
}

const hasFlag = (data: Buffer, bit: number) => ((data[32] ?? 0) & (1 << bit)) !== 0

function creationOf({ registration }: Vector) {
  const { credentialId: id, clientDataJSON, attestationObject } = registration
  const response = { clientDataJSON, attestationObject }
  return creationSchema.parse({ id, rawId: id, type: 'public-key', response })
}

function assertionOf({ registration: { credentialId: id }, authentication }: Vector) {
  const { challenge: _challenge, ...response } = authentication
  return assertionSchema.parse({ id, rawId: id, type: 'public-key', response })
}

describe.each(vectors.map((vector) => [vector.title, vector] as const))('%s', (_title, vector) => {
  const { registration, authentication } = vector
  const data = attested(vector)

  it('is a registration that is taken if its user was verified and its algorithm is offered', async () => {
    const response = creationOf(vector)
    const { challenge } = registration
    const verified = await verifier.verifyCreation({ response, challenge, ...site })
    const isVerified = hasFlag(data, 2)
    // Those of frames are refused by another rule, and by the library only where it knows whose.
    if (!isVerified || !isOffered(vector)) return expect(verified).toBeNull()
    expect(verified).toMatchObject({
      credentialId: registration.credentialId,
      publicKey: publicKeyOf(vector),
      counter: 0,
      backupEligible: hasFlag(data, 3),
      backedUp: hasFlag(data, 4),
    })
    const hex = data.subarray(37, 53).toString('hex')
    expect(verified?.aaguid.replaceAll('-', '')).toBe(hex)
  })

  it('is a sign-in that is taken, and with the user verified if that was done', async () => {
    const response = assertionOf(vector)
    const publicKey = publicKeyOf(vector)
    const verify = (requireUserVerification: boolean, changed: object = {}) =>
      verifier.verifyAssertion({
        response,
        challenge: authentication.challenge,
        ...site,
        publicKey,
        requireUserVerification,
        ...changed,
      })
    const signed = Buffer.from(authentication.authenticatorData, 'base64url')
    const parsed = readAuthenticatorData(authentication.authenticatorData)
    expect(parsed).toMatchObject({
      userVerified: hasFlag(signed, 2),
      backupEligible: hasFlag(data, 3),
      counter: 0,
    })
    const isTaken =
      /topOrigin/.test(vector.title) || /Ed448/.test(vector.title) ? null : expect.anything()
    expect(await verify(false)).toEqual(isTaken)
    expect(await verify(true)).toEqual(hasFlag(signed, 2) ? isTaken : null)
    expect(await verify(false, { rpId: 'example.com' })).toBeNull()
    expect(await verify(false, { challenge: registration.challenge })).toBeNull()
    const other = vectors.find((one) => one !== vector && isOffered(one)) as Vector
    expect(await verify(false, { publicKey: publicKeyOf(other) })).toBeNull()
  })

  it('is refused in a frame of another site, and nowhere else', () => {
    for (const [encoded, type] of [
      [registration.clientDataJSON, 'webauthn.create'],
      [authentication.clientDataJSON, 'webauthn.get'],
    ] as const) {
      const clientData = readClientData(encoded)
      expect(clientData).not.toBeNull()
      if (clientData !== null)
        expect(judgeClientData(clientData, type, site)).toBe(
          isFramed(vector) ? 'cross-origin' : null,
        )
    }
  })
})

it('there are fifteen of them', () => {
  expect(vectors).toHaveLength(15)
})
