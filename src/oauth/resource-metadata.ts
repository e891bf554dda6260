import type { ApiOptions, ScopeText } from './oauth-options.js'
import { textIn } from './scopes.js'

/** The metadata of an API: which server issues tokens for it. */
export interface ResourceMetadata {
  /** The name of the API in tokens and token requests. */
  readonly resource: string
  readonly authorization_servers: readonly string[]
  readonly scopes_supported: readonly string[]
  readonly bearer_methods_supported: readonly string[]
  /** For people. Default: none. */
  readonly resource_name?: string
}

interface DescribedApi extends Pick<ApiOptions, 'name'> {
  /** Of the server that issues its tokens, as in tokens, byte for byte. */
  readonly issuer: string
  /** All that clients may request, without `*`. */
  readonly scopes: readonly string[]
}

/** The metadata of an API, [RFC 9728 §2](https://www.rfc-editor.org/rfc/rfc9728#section-2). */
export function resourceMetadata(
  resource: string,
  { issuer, scopes, name }: DescribedApi,
): ResourceMetadata {
  return Object.freeze({
    resource,
    authorization_servers: [issuer],
    scopes_supported: [...new Set(scopes)],
    bearer_methods_supported: ['header'],
    ...(name !== undefined && { resource_name: textIn('en', name), ...inLanguages(name) }),
  })
}

// RFC 9728 §2.1.
function inLanguages(name: ScopeText): Readonly<Record<string, string>> {
  if (typeof name === 'string') return {}
  const tagged = Object.entries(name).map(([tag, text]) => [`resource_name#${tag}`, text])
  return Object.fromEntries(tagged)
}
