import { toBase64Url } from '../platform.js'
import { OAuthError } from './query.js'

/** The parts of the runtime used here. Read at each use: a polyfill may load later. */
interface Runtime {
  readonly crypto?: {
    getRandomValues(bytes: Uint8Array): Uint8Array
    readonly subtle?: { digest(algorithm: string, data: Uint8Array): Promise<ArrayBuffer> }
  }
  readonly TextEncoder: new () => { encode(text: string): Uint8Array }
}

const runtime = globalThis as unknown as Runtime

/** 256 random bits, base64url. */
export function newSecret(): string {
  if (runtime.crypto === undefined) throw notSupported()
  return toBase64Url(runtime.crypto.getRandomValues(new Uint8Array(32)))
}

/** The code challenge of a verifier, RFC 7636 §4.2. */
export async function challengeOf(codeVerifier: string): Promise<string> {
  const subtle = runtime.crypto?.subtle
  if (subtle === undefined) throw notSupported()
  const bytes = new runtime.TextEncoder().encode(codeVerifier)
  return toBase64Url(await subtle.digest('SHA-256', bytes))
}

function notSupported(): OAuthError {
  return new OAuthError('not-supported', 'crypto.subtle is missing: the page needs HTTPS.')
}
