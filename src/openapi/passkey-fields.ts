import { z } from 'zod'
import { always, count, flag, oneOf, text, textOrNull, texts, time } from './fields.js'
import type { Fields } from './operation.js'

// What browsers are handed for a ceremony, as WebAuthn Level 3 §5.1 has it in JSON, and what the
// router says of a passkey.

const publicKey = always('public-key')
const challenge = text('sealed; good for five minutes, once')
const timeout = count('milliseconds, 300,000')
const credential = z.object({ type: publicKey, id: text('base64url'), transports: texts() })

/** For `PublicKeyCredential.parseRequestOptionsFromJSON`. */
export const requestOptions: Fields = z.object({
  challenge,
  rpId: text('the domain that passkeys are made for'),
  timeout,
  allowCredentials: z.array(credential).describe('left out: any passkey of this site').optional(),
  userVerification: oneOf(['required', 'discouraged']),
})

/** For `PublicKeyCredential.parseCreationOptionsFromJSON`. */
export const creationOptions: Fields = z.object({
  challenge,
  rp: z.object({ id: text('the domain'), name: text('of the service') }),
  user: z.object({
    id: text('base64url, 32 random bytes: one for each user'),
    name: text('the user name'),
    displayName: text(),
  }),
  pubKeyCredParams: z.array(z.object({ type: publicKey, alg: count('of COSE') })),
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

/** A passkey, as its user sees it. */
export const passkeyFields: Fields = z.object({
  id: text('its credential id, base64url'),
  name: text('as it was given'),
  createdAt: time('ISO 8601, UTC'),
  lastUsedAt: time('null: never').nullable(),
  synced: flag('whether it may be on several devices'),
  backedUp: flag('whether it is, as far as its authenticator says'),
  transports: texts(),
  model: textOrNull('the AAGUID of the authenticator; null where it does not say'),
  suspectedCloneAt: time('when a copy of it was last suspected; null: never').nullable(),
})
