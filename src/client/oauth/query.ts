// Without `URL`, which some runtimes with `fetch` implement only in part.

/** Appends parameters to an address. */
export function withQuery(
  address: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  const query = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
  )
  return `${address}${address.includes('?') ? '&' : '?'}${query.join('&')}`
}

/**
 * The parameters of an address, without those given twice: RFC 6749 §3.1 forbids repetition, and
 * parsers disagree on which one counts.
 */
export function queryOf(address: string): ReadonlyMap<string, string> {
  const [, query = ''] = /^[^?#]*\?([^#]*)/.exec(address) ?? []
  const found = new Map<string, string>()
  const twice = new Set<string>()
  for (const pair of query.split('&').filter(Boolean)) {
    const [name = '', ...rest] = pair.split('=')
    const key = decode(name)
    if (found.has(key)) twice.add(key)
    found.set(key, decode(rest.join('=')))
  }
  for (const name of twice) found.delete(name)
  return found
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return ''
  }
}
