import { isIP } from 'node:net'
import type { RequestHandler } from 'express'
import type { PasskeysOptions } from 'messaging-auth-router'
import { simpleWebAuthn } from 'messaging-auth-router/passkeys'

/**
 * Lets users sign in with passkeys: see docs/passkeys.md. Null where browsers reach the server by
 * an address of IP, for which WebAuthn makes none.
 */
export function passkeyOptions(
  publicUrl: string,
  stores: Pick<PasskeysOptions, 'store' | 'once'>,
): PasskeysOptions | null {
  const { hostname } = new URL(publicUrl)
  if (isIP(hostname.replaceAll(/[[\]]/g, '')) !== 0) return null
  return {
    rpId: hostname,
    rpName: 'Chat',
    origins: [publicUrl],
    verifier: simpleWebAuthn(),
    ...stores,
  }
}

/**
 * Leads whoever opens the page at an address of this machine to `localhost`, where that is the name
 * of the server. The two are one server, but two sites to a browser.
 */
export function leadToLocalhost(publicUrl: string): RequestHandler {
  const isLocal = new URL(publicUrl).hostname === 'localhost'
  return (request, response, next) => {
    if (!isLocal || !/^(127\.0\.0\.1|\[::1\])(:\d+)?$/.test(request.headers.host ?? '')) next()
    else response.redirect(302, `${publicUrl}${request.url}`)
  }
}
