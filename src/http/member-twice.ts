const steps: Readonly<Record<string, number>> = { '{': 1, '[': 1, '}': -1, ']': -1 }

/**
 * Whether a JSON object has a member twice; what is deeper in it is not looked at. In time that is
 * linear in the text.
 *
 * @param json - of an object that `JSON.parse` has taken
 */
export function hasMemberTwice(json: string): boolean {
  const names = new Set<string>()
  let depth = 0
  let text = ''
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]:]/g)) {
    depth += steps[token] ?? 0
    if (token.startsWith('"')) text = token
    if (token !== ':' || depth !== 1) continue
    // Parsed: two spellings of one name are the same.
    const name = JSON.parse(text) as string
    if (names.has(name)) return true
    names.add(name)
  }
  return false
}
