import type { RequestHandler } from 'express'

/**
 * Passes a request on at once if its path can be none of these. Express tries one route after the
 * other, and the host's own requests come through the router as well.
 *
 * @param routes - paths as Express takes them; a parameter such as `:id` ends the part compared
 */
export function skipForeignPaths(routes: readonly string[]): RequestHandler {
  const exact = new Set(routes.filter((route) => !route.includes(':')))
  const prefixes = routes
    .filter((route) => route.includes(':'))
    .map((route) => route.slice(0, route.indexOf(':')))
  return function skipForeignPath({ path }, _response, next) {
    // Express takes one slash at the end for none.
    if (exact.has(path.endsWith('/') ? path.slice(0, -1) : path)) return next()
    return next(prefixes.some((prefix) => path.startsWith(prefix)) ? undefined : 'router')
  }
}
