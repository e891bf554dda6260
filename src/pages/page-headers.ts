import type { View } from './view.js'

/**
 * Headers of every page, besides `Content-Language`. No Cross-Origin-Opener-Policy, which would cut
 * off a popup from the page that waits for it, and no HSTS, which the host decides.
 *
 * @internal
 */
export const pageHeaders: Readonly<Record<string, string>> = Object.freeze({
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': policyWith("'none'"),
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  // With `no-referrer`, browsers would send `Origin: null` with our forms.
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy':
    'publickey-credentials-get=(self), publickey-credentials-create=(self), ' +
    'camera=(), microphone=(), geolocation=()',
  Vary: 'Cookie, Accept-Language',
})

/**
 * The same for a page in a language, with the addresses of its scripts. The policy allows only
 * those files, and no others of this origin, which is also the host's.
 */
export function pageHeadersFor(
  language: string,
  scripts: readonly string[] = [],
  formAction?: string,
): Readonly<Record<string, string>> {
  const headers = { ...pageHeaders, 'Content-Language': language }
  if (scripts.length === 0) return headers
  const policy = policyWith(scripts.map(asSource).join(' '), formAction)
  return { ...headers, 'Content-Security-Policy': policy }
}

/** Whether a page needs the script of passkeys. */
export function hasScript(view: View): boolean {
  return 'passkey' in view && view.passkey !== null
}

/** Whether a page has a password field, and so needs the script that reveals it. */
export function hasPassword(view: View): boolean {
  if (view.page === 'sign-in') return view.password !== 'none'
  if (view.page === 'undo') return view.password !== null
  return ['reset', 'confirm-register', 'account-password'].includes(view.page)
}

// These two characters would end the source: https://www.w3.org/TR/CSP3/#grammardef-path-part
function asSource(address: string): string {
  return address.replaceAll(';', '%3B').replaceAll(',', '%2C')
}

// A page without scripts may run none, even after an injection.
function policyWith(scripts: string, formAction = "'self'"): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    `script-src ${scripts}`,
    "img-src 'self'",
    "connect-src 'self'",
    `form-action ${formAction}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ')
}
