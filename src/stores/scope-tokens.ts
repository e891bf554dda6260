/**
 * The scopes, or an error for one that is no `scope-token` ([RFC 6749
 * §3.3](https://www.rfc-editor.org/rfc/rfc6749#section-3.3)). What is in no need of escaping is one
 * text in every JSON.
 */
export function checkedScopes(scopes: readonly string[]): readonly string[] {
  for (const scope of scopes) {
    if (typeof scope !== 'string' || !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))
      throw new TypeError('a scope is no scope-token of RFC 6749')
  }
  return scopes
}
