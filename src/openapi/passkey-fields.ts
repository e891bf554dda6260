import { z } from 'zod'
import { always, count, flag, oneOf, text, textOrNull, texts, time } from './fields.js'
import type { Fields } from './operation.js'

// Options for browsers in the JSON of WebAuthn Level 3 §5.1, and the passkeys in answers.

const publicKey = always('public-key')
const challenge = text('opaque; works once, within five minutes')
const timeout = count('milliseconds, 300,000')
const credential = z.object({ type: publicKey, id: text('base64url'), transports: texts() })

/** For `PublicKeyCredential.parseRequestOptionsFromJSON`. */
export const requestOptions: Fields = z.object({
  challenge,
  rpId: text('the domain of the passkeys'),
  timeout,
  allowCredentials: z.array(credential).describe('absent: any passkey of this site').optional(),
  userVerification: oneOf(['required', 'discouraged']),
})

/** For `PublicKeyCredential.parseCreationOptionsFromJSON`. */
export const creationOptions: Fields = z.object({
  challenge,
  rp: z.object({ id: text('the domain'), name: text('the name of the service') }),
  user: z.object({
    id: text('base64url, 32 random bytes; the same at each request of the user'),
    name: text('the user name'),
    displayName: text(),
  }),
  pubKeyCredParams: z.array(z.object({ type: publicKey, alg: count('number of COSE') })),
  timeout,
  excludeCredentials: z.array(credential),
  authenticatorSelection: z.object({
    residentKey: always('required'),
    requireResidentKey: always(true),
    userVerification: always('required'),
  }),
  attestation: always('none'),
  extensions: z.object({ credProps: always(true) }),
})

/** A passkey in answers to its user. */
export const passkeyFields: Fields = z.object({
  id: text('its credential id, base64url'),
  name: text('the name given by the user'),
  createdAt: time('ISO 8601, UTC'),
  lastUsedAt: time('null: never').nullable(),
  synced: flag('whether it can be on several devices'),
  backedUp: flag('whether it is on several devices, according to its authenticator'),
  transports: texts(),
  model: textOrNull('the AAGUID of the authenticator; null if unknown'),
  suspectedCloneAt: time('when a copy of it was last suspected; null: never').nullable(),
})
