// The requests of passwords and addresses, for call-sites.ts: which parts of the host each calls,
// nobody writes down.
import type { MailKind } from '../../src/index.js'
import type { Ask, Outcome, Scene } from './call-sites.js'
import { bearer, get, logIn, post } from './client.js'
import { password } from './host.js'
import { tokenIn } from './mounted-accounts.js'

/** A password that the rules accept. */
export const nextPassword = 'a longer phrase that nobody else types'

type Response = { status: number; text: string; headers: Record<string, string> }

/** What was answered. */
export const outcomeOf = ({ status, text, headers }: Response): Outcome => ({
  status,
  text,
  retryAfter: Number(headers['retry-after'] ?? 0),
})

/** What the host's own code is told. */
export const called = async (work: () => Promise<unknown>): Promise<Outcome> => {
  try {
    return { status: 200, text: JSON.stringify(await work()) ?? '', retryAfter: 0 }
  } catch (error) {
    const {
      status = 500,
      clientMessage = '',
      retryAfter = 0,
    } = error as {
      status?: number
      clientMessage?: string
      retryAfter?: number
    }
    return { status, text: clientMessage, retryAfter }
  }
}

/** With the work after the answer: its calls belong to no later request. */
export const postTo =
  ({ host }: Scene, path: string, body: object, headers: Record<string, string> = {}): Ask =>
  async () => {
    const outcome = outcomeOf(await post(host, path, body, headers))
    await settled(host)
    return outcome
  }

/** The user's first address. */
export const addressOf = ({ user }: Scene): string => `${user.id}@example.com`
/** The one that the user changes to. */
const nextAddressOf = ({ user }: Scene): string => `${user.id}@example.org`

const proven = ({ users, user }: Scene) => users.change(user.id, { emailVerified: true })

/** The last mail of a kind to an address, once the work after the answer is done. */
export async function mailTo({ host, mails }: Scene, kind: MailKind, to: string) {
  await settled(host)
  return mails.findLast((mail) => mail.kind === kind && mail.to === to)
}

async function settled({ auth }: Scene['host']): Promise<void> {
  while (auth.stats().mail.waiting > 0) await new Promise((resolve) => setTimeout(resolve, 2))
}

/** The token of a link for a new password, which went to the user's address of the moment. */
export async function resetTokenOf(scene: Scene): Promise<string> {
  const { host, users, user } = scene
  proven(scene)
  await post(host, '/auth/password/forgot', { username: user.name }).expect(202)
  const email = users.rows.get(user.id)?.email ?? ''
  return tokenIn((await mailTo(scene, 'reset-password', email))?.url)
}

async function signedIn({ host, user }: Scene) {
  return bearer((await logIn(host, { username: user.name, password })).authToken)
}

type CodePath = '/auth/email/verify' | '/auth/email/change'

/** A session, and the body with which it confirms an address. */
async function withCode(scene: Scene, path: CodePath, body: object, to: string) {
  const headers = await signedIn(scene)
  const asked = await post(scene.host, path, body, headers).expect(202)
  const kind = path === '/auth/email/verify' ? 'verify-address' : 'change-address'
  const code = (await mailTo(scene, kind, to))?.code ?? ''
  return { headers, confirmed: { requestId: asked.body.data.requestId, code } }
}

/** Asks for a change of the address, and answers how to confirm it. */
export async function changing(scene: Scene): Promise<Ask> {
  proven(scene)
  const email = nextAddressOf(scene)
  const { headers, confirmed } = await withCode(
    scene,
    '/auth/email/change',
    { email, password },
    email,
  )
  return postTo(scene, '/auth/email/confirm', confirmed, headers)
}

/** Changes the address, and answers how to undo it. */
export async function undoing(scene: Scene): Promise<Ask> {
  await (await changing(scene))()
  const token = tokenIn((await mailTo(scene, 'address-changed', addressOf(scene)))?.url)
  return postTo(scene, '/auth/email/undo', { token, password: nextPassword })
}

/** The body of a login with the code that was mailed for it. */
async function mailedLogin(scene: Scene): Promise<object> {
  const { host, users, user } = scene
  proven(scene)
  users.change(user.id, { emailFactor: true })
  const body = { username: user.name, password }
  await post(host, '/login', body).expect(401)
  const { code } = (await mailTo(scene, 'second-factor-code', addressOf(scene))) ?? {}
  return { ...body, code }
}

/** By name, as `requests` of call-sites.ts. */
export const accountRequests: Readonly<Record<string, (scene: Scene) => Promise<Ask>>> = {
  'POST /auth/password/forgot': async (scene) => {
    proven(scene)
    return postTo(scene, '/auth/password/forgot', { username: scene.user.name })
  },
  'POST /auth/password/reset': async (scene) => {
    const token = await resetTokenOf(scene)
    return postTo(scene, '/auth/password/reset', { token, password: nextPassword })
  },
  'POST /auth/password/change': async (scene) => {
    const body = { newPassword: nextPassword, password }
    return postTo(scene, '/auth/password/change', body, await signedIn(scene))
  },
  'GET /auth/email': async (scene) => {
    const headers = await signedIn(scene)
    return async () => outcomeOf(await get(scene.host, '/auth/email', headers))
  },
  'POST /auth/email/verify': async (scene) =>
    postTo(scene, '/auth/email/verify', {}, await signedIn(scene)),
  'POST /auth/email/change': async (scene) => {
    proven(scene)
    const body = { email: nextAddressOf(scene), password }
    return postTo(scene, '/auth/email/change', body, await signedIn(scene))
  },
  'POST /auth/email/confirm of the present address': async (scene) => {
    const to = addressOf(scene)
    const { headers, confirmed } = await withCode(scene, '/auth/email/verify', {}, to)
    return postTo(scene, '/auth/email/confirm', confirmed, headers)
  },
  'POST /auth/email/confirm of a new address': changing,
  'POST /auth/email/undo': undoing,
  'POST /auth/email/second-factor, on': async (scene) => {
    proven(scene)
    return postTo(scene, '/auth/email/second-factor', { enabled: true }, await signedIn(scene))
  },
  'POST /auth/email/second-factor, off': async (scene) => {
    const { authToken } = await logIn(scene.host, await mailedLogin(scene))
    return postTo(scene, '/auth/email/second-factor', { enabled: false }, bearer(authToken))
  },
  'POST /login without the mailed code': async (scene) => {
    proven(scene)
    scene.users.change(scene.user.id, { emailFactor: true })
    return postTo(scene, '/login', { username: scene.user.name, password })
  },
  'POST /login with a mailed code': async (scene) => {
    // Codes are looked up by periods of ten minutes: each scene begins with one.
    const { clock } = scene.host
    clock.advance(600 - ((clock().getTime() / 1000) % 600))
    return postTo(scene, '/login', await mailedLogin(scene))
  },
  'POST /auth/code': async (scene) => {
    proven(scene)
    return postTo(scene, '/auth/code', { username: scene.user.name })
  },
  'POST /auth/code/login': async (scene) => {
    proven(scene)
    const { body } = await post(scene.host, '/auth/code', { username: scene.user.name })
    const { code } = (await mailTo(scene, 'sign-in-code', addressOf(scene))) ?? {}
    return postTo(scene, '/auth/code/login', { requestId: body.data.requestId, code })
  },
  'POST /auth/account/delete': async (scene) => {
    proven(scene)
    return postTo(scene, '/auth/account/delete', { password }, await signedIn(scene))
  },
  'POST /auth/account/delete without an address': async (scene) =>
    postTo(scene, '/auth/account/delete', { password }, await signedIn(scene)),
  'POST /auth/account/delete/confirm': async (scene) => {
    proven(scene)
    const headers = await signedIn(scene)
    const { body } = await post(scene.host, '/auth/account/delete', { password }, headers).expect(
      202,
    )
    const { code } = (await mailTo(scene, 'confirm-deletion', addressOf(scene))) ?? {}
    const confirmed = { requestId: body.data.requestId, code }
    return postTo(scene, '/auth/account/delete/confirm', confirmed, headers)
  },
  'accounts.delete()': async (scene) => {
    await signedIn(scene)
    return () => called(() => scene.host.auth.accounts.delete(scene.user.id))
  },
  'accounts.sendPasswordReset()': async (scene) => {
    proven(scene)
    return () => called(() => scene.host.auth.accounts.sendPasswordReset(scene.user.id))
  },
  'accounts.sendVerification()': async (scene) => () =>
    called(() => scene.host.auth.accounts.sendVerification(scene.user.id)),
  'accounts.endEverything()': async (scene) => {
    await signedIn(scene)
    return () => called(() => scene.host.auth.accounts.endEverything(scene.user.id))
  },
  'passwords.check()': async (scene) => {
    const { user, host } = scene
    return () => called(() => host.auth.passwords.check(nextPassword, { userId: user.id }))
  },
}
