import { isUtf8 } from 'node:buffer'
import { z } from 'zod'
import { ownMembers } from '../lib/check-options.js'

// The responses of browsers, in the JSON form of WebAuthn Level 3 §5.1. Lengths are limited before
// anything is parsed; other members are ignored.

/** 1023 bytes (§4, Credential ID) in base64url. */
const maxIdChars = 1364
const maxClientDataChars = 2048
const maxAuthenticatorDataChars = 1024
const maxSignatureChars = 1400
const maxAttestationChars = 6000

/** An assertion, as a browser sends it. */
export interface AssertionResponse {
  readonly id: string
  readonly rawId: string
  readonly type: 'public-key'
  readonly clientExtensionResults: Readonly<Record<string, never>>
  readonly response: {
    readonly clientDataJSON: string
    readonly authenticatorData: string
    readonly signature: string
    readonly userHandle?: string | undefined
  }
}

/** A new passkey, as a browser sends it. */
export interface CreationResponse {
  readonly id: string
  readonly rawId: string
  readonly type: 'public-key'
  readonly clientExtensionResults: Readonly<Record<string, never>>
  readonly response: {
    readonly clientDataJSON: string
    readonly attestationObject: string
    readonly transports: string[]
  }
}

// One text for the same bytes: lenient base64url readers accept other last characters.
function isBase64Url(text: string): boolean {
  return /^[\w-]+$/.test(text) && Buffer.from(text, 'base64url').toString('base64url') === text
}

const bytes = (maxChars: number) =>
  z
    .string()
    .max(maxChars, { abort: true })
    .refine(isBase64Url, 'Invalid input: expected bytes in base64url')

// Members of nested objects must not be read from a polluted Object.prototype.
const own = <Schema extends z.ZodType>(schema: Schema) => z.preprocess(ownMembers, schema)

const named = {
  id: bytes(maxIdChars),
  rawId: bytes(maxIdChars),
  type: z.literal('public-key'),
}
const sameIds = ({ id, rawId }: { readonly id: string; readonly rawId: string }) => id === rawId
const notSame = { path: ['rawId'], message: 'Invalid input: expected the id' }

/** The schema of an assertion. */
export const assertionSchema: z.ZodType<AssertionResponse> = own(
  z
    .object({
      ...named,
      response: own(
        z.object({
          clientDataJSON: bytes(maxClientDataChars),
          authenticatorData: bytes(maxAuthenticatorDataChars),
          signature: bytes(maxSignatureChars),
          // Null and empty both mean that the authenticator did not send one.
          userHandle: z
            .union([z.literal(''), z.null(), bytes(86)])
            .optional()
            .transform((handle) => handle || undefined),
        }),
      ),
    })
    .refine(sameIds, notSame)
    .transform((response) => ({ ...response, clientExtensionResults: {} })),
)

const transport = z.string().regex(/^[a-z-]{1,20}$/)

/** The schema of a new passkey. */
export const creationSchema: z.ZodType<CreationResponse> = own(
  z
    .object({
      ...named,
      response: own(
        z.object({
          clientDataJSON: bytes(maxClientDataChars),
          attestationObject: bytes(maxAttestationChars),
          transports: z.array(transport).max(10).default([]),
        }),
      ),
    })
    .refine(sameIds, notSame)
    .transform((response) => ({ ...response, clientExtensionResults: {} })),
)

/** The client data that is signed (WebAuthn Level 3 §5.8.1). */
export interface ClientData {
  readonly type: unknown
  readonly challenge: string
  readonly origin: unknown
  readonly crossOrigin: unknown
  readonly topOrigin: unknown
}

/** Parses the client data; null if invalid. */
export function readClientData(encoded: string): ClientData | null {
  const text = Buffer.from(encoded, 'base64url')
  if (!isUtf8(text)) return null
  const { type, challenge, origin, crossOrigin, topOrigin } = membersOf(text.toString('utf8'))
  if (typeof challenge !== 'string') return null
  return { type, challenge, origin, crossOrigin, topOrigin }
}

function membersOf(text: string): Partial<Record<keyof ClientData, unknown>> {
  try {
    return ownMembers(Object(JSON.parse(text)))
  } catch {
    return {}
  }
}

/** The data that an authenticator signs (WebAuthn Level 3 §6.1), without extensions. */
export interface AuthenticatorData {
  readonly rpIdHash: Buffer
  readonly userPresent: boolean
  readonly userVerified: boolean
  readonly backupEligible: boolean
  readonly backedUp: boolean
  readonly counter: number
}

/** Bytes of the fixed part. */
const fixedBytes = 37

/** Parses authenticator data; null if too short. */
export function readAuthenticatorData(encoded: string): AuthenticatorData | null {
  const data = Buffer.from(encoded, 'base64url')
  if (data.length < fixedBytes) return null
  const flags = data.readUInt8(32)
  const has = (bit: number) => (flags & (1 << bit)) !== 0
  return {
    rpIdHash: data.subarray(0, 32),
    userPresent: has(0),
    userVerified: has(2),
    backupEligible: has(3),
    backedUp: has(4),
    counter: data.readUInt32BE(33),
  }
}
