// An authenticator in Node: keys, client data, authenticator data and COSE by hand, so that a test
// can change each part of what is signed.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

export const rpId = 'chat.example.com'
export const origin = 'https://chat.example.com'

export type Algorithm = -7 | -8 | -257

/** Flags of WebAuthn Level 3 §6.1. */
const flagsOf = { up: 1, uv: 4, be: 8, bs: 16, at: 64, ed: 128 }
type Flags = Partial<Record<keyof typeof flagsOf, boolean>>

/** What a test may make the authenticator, or the browser, do wrong. */
export interface Deviations {
  readonly clientData?: Record<string, unknown>
  /** Instead of JSON. */
  readonly clientDataText?: string | Buffer
  readonly flags?: Flags
  readonly counter?: number
  readonly rpId?: string
  /** Null: left out. */
  readonly userHandle?: string | null
  /** Signs with another key. */
  readonly signedBy?: TestPasskey
  /** Behind the authenticator data. */
  readonly behind?: Buffer
  readonly alg?: number
}

/** A passkey on a device. */
export interface TestPasskey {
  readonly id: string
  readonly algorithm: Algorithm
  readonly privateKey: KeyObject
  /** A COSE_Key. */
  readonly cose: Buffer
  userHandle: string
  counter: number
  /** As at registration. */
  readonly flags: Flags
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()

/** A new key on a device that is synced, unless told otherwise. */
export function newPasskey(
  given: { algorithm?: Algorithm; flags?: Flags; counter?: number; idBytes?: number } = {},
): TestPasskey {
  const { algorithm = -7, counter = 0, idBytes = 16 } = given
  const { privateKey, cose } = keyOf(algorithm)
  const flags = { up: true, uv: true, be: true, bs: true, ...given.flags }
  const id = randomBytes(idBytes).toString('base64url')
  return { id, algorithm, privateKey, cose, userHandle: '', counter, flags }
}

function keyOf(algorithm: Algorithm): { privateKey: KeyObject; cose: Buffer } {
  if (algorithm === -257) {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const { n = '', e = '' } = publicKey.export({ format: 'jwk' })
    const parts: [number, number | Buffer][] = [
      [1, 3],
      [3, -257],
      [-1, fromJwk(n)],
      [-2, fromJwk(e)],
    ]
    return { privateKey, cose: cborMap(parts) }
  }
  if (algorithm === -8) {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const { x = '' } = publicKey.export({ format: 'jwk' })
    return {
      privateKey,
      cose: cborMap([
        [1, 1],
        [3, -8],
        [-1, 6],
        [-2, fromJwk(x)],
      ]),
    }
  }
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const parts: [number, number | Buffer][] = [
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, fromJwk(x)],
    [-3, fromJwk(y)],
  ]
  return { privateKey, cose: cborMap(parts) }
}

const fromJwk = (text: string) => Buffer.from(text, 'base64url')

function cborHead(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value])
  if (value < 256) return Buffer.from([(major << 5) | 24, value])
  return Buffer.from([(major << 5) | 25, value >> 8, value & 255])
}

function cbor(value: number | string | Buffer): Buffer {
  if (typeof value === 'number') return value < 0 ? cborHead(1, -1 - value) : cborHead(0, value)
  const bytes = Buffer.from(value as string)
  return Buffer.concat([cborHead(typeof value === 'string' ? 3 : 2, bytes.length), bytes])
}

function cborMap(members: readonly (readonly [number | string, number | string | Buffer])[]) {
  const parts = members.flatMap(([name, value]) => [cbor(name), cbor(value)])
  return Buffer.concat([cborHead(5, members.length), ...parts])
}

/** The bytes that stand in an attestation object: `fmt`, its statement, and the data. */
function attestationObject(authData: Buffer, fmt = 'none', attStmt = cborHead(5, 0)): Buffer {
  return Buffer.concat([
    cborHead(5, 3),
    cbor('fmt'),
    cbor(fmt),
    cbor('attStmt'),
    attStmt,
    cbor('authData'),
    cbor(authData),
  ])
}

function clientDataOf(type: string, challenge: string, given: Deviations): Buffer {
  if (given.clientDataText !== undefined) return Buffer.from(given.clientDataText as string)
  const clientData = { type, challenge, origin, crossOrigin: false, ...given.clientData }
  return Buffer.from(JSON.stringify(clientData))
}

function authenticatorData(flags: Flags, counter: number, given: Deviations, attested?: Buffer) {
  const all = { ...flags, ...given.flags, ...(attested === undefined ? {} : { at: true }) }
  const names = Object.keys(flagsOf) as (keyof typeof flagsOf)[]
  const bits = names.reduce((sum, name) => sum + (all[name] === true ? flagsOf[name] : 0), 0)
  const fixed = Buffer.alloc(5)
  fixed.writeUInt8(bits, 0)
  fixed.writeUInt32BE(given.counter ?? counter, 1)
  const rpIdHash = sha256(given.rpId ?? rpId)
  const [data, behind] = [attested ?? Buffer.alloc(0), given.behind ?? Buffer.alloc(0)]
  return Buffer.concat([rpIdHash, fixed, data, behind])
}

/** What `navigator.credentials.create()` answers, as JSON. */
export function creation(passkey: TestPasskey, challenge: string, given: Deviations = {}) {
  const id = Buffer.from(passkey.id, 'base64url')
  const length = Buffer.from([id.length >> 8, id.length & 255])
  const attested = Buffer.concat([Buffer.alloc(16, 7), length, id, passkey.cose])
  const data = authenticatorData(passkey.flags, passkey.counter, given, attested)
  const clientData = clientDataOf('webauthn.create', challenge, given)
  return {
    id: passkey.id,
    rawId: passkey.id,
    type: 'public-key',
    authenticatorAttachment: 'platform',
    clientExtensionResults: { credProps: { rk: true } },
    response: {
      clientDataJSON: clientData.toString('base64url'),
      attestationObject: attestationObject(data).toString('base64url'),
      authenticatorData: data.toString('base64url'),
      transports: ['internal', 'hybrid'],
    },
  }
}

/** What `navigator.credentials.get()` answers, as JSON. */
export function assertion(passkey: TestPasskey, challenge: string, given: Deviations = {}) {
  const data = authenticatorData(passkey.flags, passkey.counter, given)
  const clientData = clientDataOf('webauthn.get', challenge, given)
  const signer = given.signedBy ?? passkey
  const signed = Buffer.concat([data, sha256(clientData)])
  const signature = sign(signer.algorithm === -8 ? null : 'sha256', signed, signer.privateKey)
  const userHandle = given.userHandle === undefined ? passkey.userHandle : given.userHandle
  return {
    id: passkey.id,
    rawId: passkey.id,
    type: 'public-key',
    clientExtensionResults: {},
    response: {
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: signature.toString('base64url'),
      ...(userHandle === null ? {} : { userHandle }),
    },
  }
}
