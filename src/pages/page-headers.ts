import type { View } from './view.js'

/**
 * What goes with every page; a `Content-Language` comes to it. No Cross-Origin-Opener-Policy, which
 * would cut a popup from the page that waits for it, and no HSTS, which is the host's.
 *
 * @internal
 */
export const pageHeaders: Readonly<Record<string, string>> = Object.freeze({
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': policyWith("'none'"),
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  // With `no-referrer` browsers would send `Origin: null` from our own forms.
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy':
    'publickey-credentials-get=(self), publickey-credentials-create=(self), ' +
    'camera=(), microphone=(), geolocation=()',
  Vary: 'Cookie, Accept-Language',
})

/** The same for a page in a language, and for one with the script of passkeys. */
export function pageHeadersFor(
  language: string,
  hasScript: boolean,
): Readonly<Record<string, string>> {
  const headers = { ...pageHeaders, 'Content-Language': language }
  return hasScript ? { ...headers, 'Content-Security-Policy': policyWith("'self'") } : headers
}

/** Whether a page has that script: it comes with what a view has for passkeys. */
export function hasScript(view: View): boolean {
  return 'passkey' in view && view.passkey !== null
}

// A page without a script runs none, whatever comes into it.
function policyWith(scripts: "'none'" | "'self'"): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    `script-src ${scripts}`,
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ')
}
