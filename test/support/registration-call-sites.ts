// The requests of registration and invitations, for call-sites.ts: which parts of the host each
// calls, nobody writes down.
import { called, mailTo, nextPassword, outcomeOf, postTo } from './account-call-sites.js'
import type { Ask, Scene } from './call-sites.js'
import { get, post } from './client.js'

const newcomerOf = ({ user }: Scene) => ({
  email: `new-${user.id}@example.com`,
  username: `new-${user.id}`,
  name: 'New',
})

const inviteTo = ({ host }: Scene) => host.auth.accounts.invite()

/** By name, as `requests` of call-sites.ts. */
export const registrationRequests: Readonly<Record<string, (scene: Scene) => Promise<Ask>>> = {
  'POST /auth/register': async (scene) => {
    const { token: invitation } = await inviteTo(scene)
    return postTo(scene, '/auth/register', { ...newcomerOf(scene), invitation })
  },
  'POST /auth/register/confirm': async (scene) => {
    const { token: invitation } = await inviteTo(scene)
    const newcomer = newcomerOf(scene)
    const asked = await post(scene.host, '/auth/register', { ...newcomer, invitation }).expect(202)
    const { code } = (await mailTo(scene, 'register', newcomer.email)) ?? {}
    const { requestId } = asked.body.data
    const username = `other-${scene.user.id}`
    const given = { requestId, code, username, password: nextPassword }
    return postTo(scene, '/auth/register/confirm', given)
  },
  'GET /auth/invitations/:token': async (scene) => {
    const { token } = await inviteTo(scene)
    return async () => outcomeOf(await get(scene.host, `/auth/invitations/${token}`))
  },
  'accounts.invite()': async (scene) => () =>
    called(() => scene.host.auth.accounts.invite({ email: newcomerOf(scene).email, send: true })),
  'accounts.invitations()': async (scene) => {
    await inviteTo(scene)
    return () => called(() => scene.host.auth.accounts.invitations())
  },
  'accounts.revokeInvitation()': async (scene) => {
    const { id } = await inviteTo(scene)
    return () => called(() => scene.host.auth.accounts.revokeInvitation(id))
  },
}
