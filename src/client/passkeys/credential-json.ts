import { fromBase64Url, toBase64Url } from '../base64url.js'
import { browser, type Credential } from './browser.js'

// WebAuthn Level 3 §5.1.8 to §5.1.10, in browsers since 2023 to 2025; by hand in older ones.

/** A passkey or user in options. */
interface Named {
  readonly id: string
}

/** Converts options of the server for `navigator.credentials`. */
export function optionsFromJson(kind: 'get' | 'create', options: object): unknown {
  const { PublicKeyCredential } = browser
  if (kind === 'get' && PublicKeyCredential?.parseRequestOptionsFromJSON)
    return PublicKeyCredential.parseRequestOptionsFromJSON(options)
  if (kind === 'create' && PublicKeyCredential?.parseCreationOptionsFromJSON)
    return PublicKeyCredential.parseCreationOptionsFromJSON(options)
  return byHand(options)
}

function byHand(options: object): object {
  const { challenge, user, allowCredentials, excludeCredentials } = options as {
    readonly challenge: string
    readonly user?: Named
    readonly allowCredentials?: readonly Named[]
    readonly excludeCredentials?: readonly Named[]
  }
  return {
    ...options,
    challenge: fromBase64Url(challenge),
    ...(user && { user: withBytes(user) }),
    ...(allowCredentials && { allowCredentials: allowCredentials.map(withBytes) }),
    ...(excludeCredentials && { excludeCredentials: excludeCredentials.map(withBytes) }),
  }
}

const withBytes = (named: Named) => ({ ...named, id: fromBase64Url(named.id) })

/** Converts the result of a ceremony for the server. */
export function credentialToJson(credential: Credential): object {
  try {
    if (credential.toJSON) return credential.toJSON()
  } catch {
    // Password managers return their own objects, and some of them throw here.
  }
  const { id, type, rawId, response } = credential
  const { clientDataJSON, attestationObject, authenticatorData, signature, userHandle } = response
  const bytes = { clientDataJSON, attestationObject, authenticatorData, signature, userHandle }
  const encoded = Object.entries(bytes).flatMap(([name, value]) =>
    value ? [[name, toBase64Url(value)]] : [],
  )
  const transports = attestationObject ? { transports: response.getTransports?.() ?? [] } : {}
  return {
    id,
    type,
    rawId: toBase64Url(rawId),
    clientExtensionResults: {},
    response: { ...Object.fromEntries(encoded), ...transports },
  }
}
