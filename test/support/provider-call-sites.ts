// The requests of providers, for call-sites.ts: which parts of the host each calls, nobody writes
// down.
import type { Provider } from '../../src/providers/contract.js'
import { outcomeOf, postTo } from './account-call-sites.js'
import type { Ask, Scene } from './call-sites.js'
import { bearer, get, logIn, pkcePair, post, remove } from './client.js'
import { password } from './host.js'

export const returnTo = 'https://chat.example.com/signed-in'
const issuer = 'https://idp.example.com'

/** Whoever comes back with `as` is that, with an address of the same name. */
export const anybody: Provider = {
  id: 'anybody',
  name: 'Anybody',
  trustEmail: true,
  start: async ({ state }) => ({ url: `${issuer}/?state=${state}`, keep: {} }),
  async finish({ parameters: { as: subject = '' } }) {
    const address = { email: `${subject}@example.com`, emailVerified: true }
    const identity = { issuer, subject, sid: `session of ${subject}`, ...address }
    return { outcome: 'identified', identity }
  },
  async readLogoutToken(token) {
    const expiresAt = new Date(Date.now() + 365 * 24 * 60 * 60 * 1000)
    return { issuer, sid: `session of ${token}`, jti: token, expiresAt }
  },
}

const headersOf = async ({ host, user }: Scene) =>
  bearer((await logIn(host, { username: user.name, password })).authToken as string)

const connect = ({ stores, user }: Scene) =>
  stores.identities.link({
    issuer,
    subject: user.id,
    userId: user.id,
    id: `i-${user.id}`,
    provider: anybody.id,
    label: null,
    passwordMark: null,
    createdAt: new Date(),
    lastUsedAt: null,
  })

/** Begins a flow; returns how the browser comes back as whoever is meant. */
async function begin({ host, user }: Scene, path: string, headers = {}) {
  const { codeVerifier, codeChallenge } = pkcePair()
  const asked = { returnTo, codeChallenge }
  const { body } = await post(host, path, asked, headers).expect(200)
  const open = String(body.data.url).replace(/^.*(?=\/auth\/)/, '')
  const led = await get(host, open).expect(303)
  const [cookie = ''] = [led.headers['set-cookie'] ?? []].flat().map((one) => one.split(';')[0])
  const state = new URL(String(led.headers['location'])).searchParams.get('state')
  const callback = `/auth/providers/${anybody.id}/callback?state=${state}&as=${user.id}`
  return { codeVerifier, comeBack: () => get(host, callback, { Cookie: cookie }) }
}

async function ticketBy(scene: Scene, path: string, headers = {}) {
  const { codeVerifier, comeBack } = await begin(scene, path, headers)
  const { headers: told } = await comeBack().expect(303)
  const ticket = new URL(String(told['location'])).searchParams.get('ticket') ?? ''
  return { ticket, codeVerifier }
}

const signInTicket = (scene: Scene) => ticketBy(scene, `/auth/providers/${anybody.id}/start`)

/** By name, as `requests` of call-sites.ts. */
export const providerRequests: Readonly<Record<string, (scene: Scene) => Promise<Ask>>> = {
  'GET /auth/providers/:id/open': async ({ host }) => {
    const asked = { returnTo, codeChallenge: pkcePair().codeChallenge }
    const { body } = await post(host, `/auth/providers/${anybody.id}/start`, asked).expect(200)
    const open = String(body.data.url).replace(/^.*(?=\/auth\/)/, '')
    return async () => outcomeOf(await get(host, open))
  },
  'GET /auth/providers/:id/callback': async (scene) => {
    const { comeBack } = await begin(scene, `/auth/providers/${anybody.id}/start`)
    return async () => {
      const response = await comeBack()
      const outcome = outcomeOf(response)
      const { searchParams } = new URL(response.headers['location'] ?? returnTo)
      // The client is told of an outage by a redirect, which says as little as this when to return.
      const isOut = searchParams.get('error') === 'temporarily_unavailable'
      return isOut ? { ...outcome, status: 503, retryAfter: 7 } : outcome
    }
  },
  'POST /auth/providers/finish': async (scene) => {
    await connect(scene)
    return postTo(scene, '/auth/providers/finish', await signInTicket(scene))
  },
  'POST /auth/providers/finish by a trusted address': async (scene) => {
    scene.users.change(scene.user.id, { emailVerified: true })
    return postTo(scene, '/auth/providers/finish', await signInTicket(scene))
  },
  'POST /auth/providers/:id/backchannel-logout': async (scene) => {
    await connect(scene)
    await post(scene.host, '/auth/providers/finish', await signInTicket(scene)).expect(200)
    const token = { logout_token: scene.user.id }
    return postTo(scene, `/auth/providers/${anybody.id}/backchannel-logout`, token)
  },
  'GET /auth/identities': async (scene) => {
    await connect(scene)
    const headers = await headersOf(scene)
    return async () => outcomeOf(await get(scene.host, '/auth/identities', headers))
  },
  'POST /auth/identities': async (scene) => {
    const headers = await headersOf(scene)
    const ticket = await ticketBy(scene, `/auth/identities/${anybody.id}`, headers)
    return postTo(scene, '/auth/identities', ticket, headers)
  },
  'DELETE /auth/identities/:id': async (scene) => {
    await connect(scene)
    const headers = await headersOf(scene)
    const path = `/auth/identities/i-${scene.user.id}`
    return async () => outcomeOf(await remove(scene.host, path, headers))
  },
}
