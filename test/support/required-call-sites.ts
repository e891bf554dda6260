// The requests of what users must do first, for call-sites.ts.
import { called, outcomeOf, postTo } from './account-call-sites.js'
import type { Ask, Scene } from './call-sites.js'
import { bearer, get, logIn } from './client.js'
import { password } from './host.js'
import { terms } from './mounted-acceptance.js'

/** Signs in with documents to accept. */
async function withDocuments({ host, users, user }: Scene) {
  users.change(user.id, { accepted: [] })
  return bearer((await logIn(host, { username: user.name, password })).authToken)
}

/** By name, as `requests` of call-sites.ts. */
export const requiredRequests: Readonly<Record<string, (scene: Scene) => Promise<Ask>>> = {
  'GET /auth/acceptance': async (scene) => {
    const headers = await withDocuments(scene)
    return async () => outcomeOf(await get(scene.host, '/auth/acceptance', headers))
  },
  'POST /auth/acceptance': async (scene) => {
    const { id, version } = terms
    const body = { documents: [{ id, version }] }
    return postTo(scene, '/auth/acceptance', body, await withDocuments(scene))
  },
  'accounts.setTemporaryPassword()': async (scene) => () =>
    called(async () => {
      const made = await scene.host.auth.accounts.setTemporaryPassword(scene.user.id)
      return { isMade: made !== null }
    }),
}
