// A support desk: bob helps alice, in a session that acts for her.
import type { ActForUserRequest, AuthRouter, SignedIn } from '../../src/index.js'
import { bearer, logIn } from '../support/client.js'
import { password, passwordHash, startHost, type TestHost } from '../support/host.js'

const bob = { username: 'bob', password }

/** Adds bob, a member of the staff. */
export function addBob(host: TestHost): void {
  host.users.add({ id: 'u-bob', username: 'bob', name: 'Bob', passwordHash })
}

/** Starts a host with alice and bob, and routes of the host's own. */
export async function startDesk(settings: Parameters<typeof startHost>[0] = {}): Promise<TestHost> {
  const host = await startHost({
    ...settings,
    after(app, auth) {
      app.get('/api/v1/rooms', auth.requireAuth(), (req, res) => void res.json(req.auth))
      const closed = auth.requireAuth({ actor: false })
      app.get('/api/v1/private', closed, (req, res) => void res.json(req.auth))
      settings.after?.(app, auth)
    },
  })
  addBob(host)
  return host
}

/** Bob's own session. */
export async function bobsSession(host: TestHost) {
  const { authToken } = await logIn(host, bob)
  const { sessionId } = await host.auth.authenticateToken(authToken)
  return { authToken, sessionId, headers: bearer(authToken) }
}

/** What a call of the host's says, where a test does not. */
export const asked: ActForUserRequest = {
  userId: 'u-alice',
  actor: { id: 'u-bob', reason: 'Ticket 4711' },
  lifetime: 900,
}

/** Opens a session that acts for alice. */
export async function act(
  host: Pick<TestHost, 'auth' | 'issued'>,
  change: Partial<ActForUserRequest> = {},
): Promise<SignedIn & { readonly headers: { Authorization: string } }> {
  const opened = await host.auth.sessions.open({ ...asked, ...change })
  host.issued.add(opened.token)
  return { ...opened, headers: bearer(opened.token) }
}

/** What a call is refused with, and the members that it names. */
export async function refusalOf(auth: AuthRouter, change: object): Promise<string> {
  const refused = await auth.sessions.open({ ...asked, ...change } as ActForUserRequest).then(
    () => ({ code: 'opened' }),
    (error: unknown) => error as { code: string; details?: { issues?: { path: string }[] } },
  )
  const issues = 'details' in refused ? (refused.details?.issues ?? []) : []
  return [refused.code, ...new Set(issues.map(({ path }) => path))].join(' ')
}

/** The claims of a token, unverified. */
export const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<
    string,
    unknown
  >
