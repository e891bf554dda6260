/**
 * Whether a path may be one of these, by one lookup. Express tries one route after the other, and
 * the host's own requests pass through the router as well.
 *
 * @param routes - paths as Express takes them; a parameter such as `:id` ends the part compared
 */
export function createMayBeOwn(routes: readonly string[]): (path: string) => boolean {
  const exact = new Set(routes.filter((route) => !route.includes(':')))
  const prefixes = routes
    .filter((route) => route.includes(':'))
    .map((route) => route.slice(0, route.indexOf(':')))
  return function mayBeOwn(path) {
    // Express takes one slash at the end for none.
    const plain = path.endsWith('/') ? path.slice(0, -1) : path
    return exact.has(plain) || prefixes.some((prefix) => path.startsWith(prefix))
  }
}
