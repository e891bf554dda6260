/** The document of OpenID Connect, below the issuer. */
export const openIdDocument = '/.well-known/openid-configuration'

/**
 * The paths of the document that describes the server. If the issuer has a path, RFC 8414 puts it
 * after the document's name ([§3.1](https://www.rfc-editor.org/rfc/rfc8414#section-3.1)), and
 * OpenID Connect [Discovery §4](https://openid.net/specs/openid-connect-discovery-1_0.html) before
 * it. Clients request either.
 */
export function serverDocumentPaths(issuer: URL): readonly string[] {
  const path = pathOf(issuer)
  return [
    `/.well-known/oauth-authorization-server${path}`,
    `${openIdDocument}${path}`,
    `${path}${openIdDocument}`,
  ]
}

/** The path of an address, where a lone slash is none (RFC 8414 §3.1). */
export function pathOf({ pathname }: URL): string {
  return pathname === '/' ? '' : pathname
}
