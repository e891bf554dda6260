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

/**
 * The same for a page in a language, and with scripts: their addresses, as the page has them. By
 * these it runs those files alone, and no other of its own origin, which is the host's as well.
 */
export function pageHeadersFor(
  language: string,
  scripts: readonly string[] = [],
): Readonly<Record<string, string>> {
  const headers = { ...pageHeaders, 'Content-Language': language }
  if (scripts.length === 0) return headers
  return { ...headers, 'Content-Security-Policy': policyWith(scripts.map(asSource).join(' ')) }
}

/** Whether a page has the script of passkeys: it comes with what a view has for them. */
export function hasScript(view: View): boolean {
  return 'passkey' in view && view.passkey !== null
}

/** Whether a page has a field for a password, and so the script that shows what was typed. */
export function hasPassword(view: View): boolean {
  return view.page === 'sign-in'
}

// These two would end it: https://www.w3.org/TR/CSP3/#grammardef-path-part
function asSource(address: string): string {
  return address.replaceAll(';', '%3B').replaceAll(',', '%2C')
}

// A page without a script runs none, whatever comes into it.
function policyWith(scripts: string): string {
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
