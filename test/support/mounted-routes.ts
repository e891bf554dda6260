// The routes of a router, as it names them itself: none is forgotten.
import type { AuthRouter } from '../../src/index.js'
import { password, type TestHost } from './host.js'

/** What asks for no token at all. */
export const signedOut = [
  'POST /login',
  'POST /auth/pkce/token',
  'POST /auth/refresh',
  'GET /auth/jwks.json',
]

/** Bodies that are good, so that nothing but who asks is refused. */
const bodies: Readonly<Record<string, object>> = {
  'POST /auth/access-tokens': { name: 'another', password },
  'POST /auth/pkce/authorize': { codeChallenge: 'A'.repeat(43), codeChallengeMethod: 'S256' },
  'POST /auth/totp': { password },
  'POST /auth/totp/confirm': { code: '123456' },
  'POST /auth/totp/disable': { password, code: '123456' },
  'POST /auth/totp/recovery-codes': { password, code: '123456' },
}

/** Of a router of Express: a route, or another router. */
interface Layer {
  readonly route?: { readonly path: string }
  readonly handle: { readonly stack?: readonly Layer[] }
}

/** Every path that is mounted, once the code of all of them is loaded. */
export async function mountedPaths(auth: AuthRouter): Promise<string[]> {
  await auth.openapi()
  const pathsIn = (layers: readonly Layer[]): string[] =>
    layers.flatMap(({ route, handle }) =>
      route === undefined ? pathsIn(handle.stack ?? []) : [route.path],
    )
  return pathsIn(auth.stack as unknown as readonly Layer[])
}

/** Every route that is mounted. */
export async function mountedRoutes({ auth, url }: TestHost): Promise<string[]> {
  const paths = await mountedPaths(auth)
  const routes = paths.map(async (path) => {
    const { headers } = await fetch(`${url}${path}`, { method: 'PATCH' })
    const methods = (headers.get('allow') ?? '').split(', ').filter((method) => method !== 'HEAD')
    return methods.map((method) => `${method} ${path}`)
  })
  return (await Promise.all(routes)).flat()
}

/** Asks one of them with a token; `id` stands in the path where that has one. */
export async function askRoute({ url }: TestHost, route: string, token: string, id: string) {
  const [method = '', path = ''] = route.split(' ')
  const body = bodies[route]
  const json = body === undefined ? {} : { 'Content-Type': 'application/json' }
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const headers = { ...json, Authorization: `Bearer ${token}` }
  const response = await fetch(`${url}${path.replace(':id', id)}`, { method, headers, ...sent })
  const text = await response.text()
  return { status: response.status, text, headers: Object.fromEntries(response.headers) }
}
