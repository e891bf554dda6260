/** Proof that whoever exchanges a code is who asked for it: RFC 7636 §4. */
export async function newVerifier() {
  const codeVerifier = randomText()
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(codeVerifier))
  return { codeVerifier, codeChallenge: base64url(new Uint8Array(digest)) }
}

/** 256 random bits, for an address. */
export function randomText() {
  return base64url(crypto.getRandomValues(new Uint8Array(32)))
}

function base64url(bytes) {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
