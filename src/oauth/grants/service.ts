import type { RequestContext } from '../../audit/events.js'
import { AuthError } from '../../errors.js'
import type { RequestParameters } from '../../http/input.js'
import { sha256 } from '../../lib/secrets.js'
import type { ApprovedSignIn } from '../../sessions/approved-sign-in.js'
import type { OAuthClient } from '../../stores/client-contract.js'
import type { SessionRecord } from '../../stores/contract.js'
import type { AppsKit } from '../apps-kit.js'
import { wordsOf } from '../authorization-request.js'
import { audiencesOf, resourcesOf } from '../client-schema.js'
import { issueTokens } from '../issue-tokens.js'
import type { GrantedTokens } from './code.js'
import { targetOf } from './remaining-grant.js'

/** It has only the parameters of all grants. */
export const serviceParameters = {} as const

/**
 * The scopes that are for people only: an account, an ID Token, and a sign-in that outlives the
 * browser.
 */
const scopesOfPeople: readonly string[] = ['*', 'openid', 'offline_access']
/** A session that ends while it is looked for is looked for again. */
const maxAttempts = 5

/** The session of a service: for one client, one user and one API. */
interface Post {
  readonly client: OAuthClient
  readonly approved: ApprovedSignIn
  readonly resource: string
}

/**
 * `client_credentials`, [RFC 6749 §4.4](https://www.rfc-editor.org/rfc/rfc6749#section-4.4): a
 * service gets tokens of its own user. There is one session for each client and API, which later
 * requests find again, so that a program that asks with every job leaves no trail of sessions. No
 * refresh token: the client shows its secret or key instead.
 */
export async function serve(
  kit: AppsKit,
  client: OAuthClient,
  parameters: RequestParameters,
  context: RequestContext,
): Promise<GrantedTokens> {
  // 400
  const scopes = scopesOf(client, parameters.one('scope'))
  const resource = resourceOf(kit, client, parameters.all('resource'))
  // 400, 503
  const approved = await approveUser(kit, client, context)
  const session = await sessionOf(kit, { client, approved, resource }, context)
  const seen = kit.sessions.seenNow(session, context)
  if (seen !== null) kit.sessions.touch(session.id, seen)
  const grant = { client, user: approved.user, scopes, resource, acr: null, nonce: null }
  return issueTokens(kit, session, grant)
}

function scopesOf({ scopes, defaultScopes = [] }: OAuthClient, asked: string | null) {
  const words = asked === null ? defaultScopes : wordsOf(asked)
  const mayHave = (word: string) => scopes.includes(word) && !scopesOfPeople.includes(word)
  if (words.length > 0 && words.every(mayHave)) return words
  throw new AuthError('invalid_scope', {
    clientMessage: 'Ask for some of the scopes of this client; a service has none for people.',
  })
}

function resourceOf(kit: AppsKit, client: OAuthClient, asked: readonly string[]): string {
  const allowed = resourcesOf(client, kit.ownResource)
  const isOwn = asked.length === 0 && allowed.includes(kit.ownResource)
  return isOwn ? kit.ownResource : targetOf(audiencesOf(asked, kit), allowed)
}

// The user is read for every token, as at each refresh of an app: the user may have been disabled.
async function approveUser(
  { users, decideSignIn, audit }: AppsKit,
  { id: clientId, serviceUserId = '' }: OAuthClient,
  context: RequestContext,
): Promise<ApprovedSignIn> {
  const user = await users.findById(serviceUserId)
  const asked = { door: 'service', user, methods: [], code: undefined, context } as const
  const decision = await decideSignIn(asked)
  if (decision.allowed) return decision.approved
  audit({ type: 'client.refused', reason: 'service-user', clientId }, context)
  throw refusal(`service user refused: ${decision.reason}`)
}

async function sessionOf(
  kit: AppsKit,
  post: Post,
  context: RequestContext,
): Promise<SessionRecord> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const session = (await findSession(kit, post)) ?? (await openSession(kit, post, context))
    if (session !== null) return session
  }
  throw new AuthError('temporarily-unavailable', { message: 'the session keeps ending' })
}

// Finds the oldest session, so that all processes choose one session.
async function findSession(
  { sessions, passwordStands, accessTokenLifetime, clock }: AppsKit,
  { client, approved: { user }, resource }: Post,
): Promise<SessionRecord | null> {
  const until = clock().getTime() + accessTokenLifetime * 1000
  for (const session of await sessions.listForUser(user.id)) {
    const { kind, clientId, resources, expiresAt } = session
    const isOfPost = kind === 'service' && clientId === client.id && resources?.[0] === resource
    // A session that is about to end would give shorter and shorter tokens.
    if (!isOfPost || expiresAt.getTime() < until) continue
    if (await passwordStands(session, user)) return session
  }
  return null
}

// Of all requests that find no session, in any process, one stores it: they all make one id for it,
// and a store inserts an id once. Null for a request that comes to this id too late, and finds the
// session ended.
async function openSession(
  kit: AppsKit,
  post: Post,
  context: RequestContext,
): Promise<SessionRecord | null> {
  const { sessions, clock } = kit
  const { client, approved, resource } = post
  const id = await freeId(kit, post)
  // A number may be taken by a session that was opened after the first look: the same one for all.
  const openedMeanwhile = await findSession(kit, post)
  if (openedMeanwhile !== null) return openedMeanwhile
  // 429, 503. A client that asks and revokes in a loop would store a row each time.
  const issued = { userId: approved.user.id, sessionId: client.id }
  await kit.takeIssue('service', issued, context)
  const session = sessions.draft(
    {
      id,
      approved,
      kind: 'service',
      scope: client.scopes.join(' '),
      authenticatedAt: clock(),
      refresh: null,
      name: client.name,
      clientId: client.id,
      resources: [resource],
    },
    context,
  )
  if (!(await sessions.startUnlessThere(session, context))) return sessions.findLive(id)
  await refuseChanged(kit, session, client, context)
  return session
}

// The ids of a post are numbered. Ended sessions keep their number until they are purged. So the
// search for the first free number goes in growing steps: many ended sessions must not make the
// next request slow.
async function freeId({ sessions }: AppsKit, post: Post): Promise<string> {
  const isTaken = async (number: number) => (await sessions.findEver(idOf(post, number))) !== null
  let free = 1
  while (await isTaken(free)) free *= 2
  let taken = Math.floor(free / 2)
  while (free - taken > 1) {
    const middle = Math.floor((free + taken) / 2)
    if (await isTaken(middle)) taken = middle
    else free = middle
  }
  return idOf(post, free)
}

function idOf({ client, approved, resource }: Post, number: number): string {
  // JSON is used so that no two posts yield the same text.
  const post = JSON.stringify(['service', client.id, approved.user.id, resource, number])
  return sha256(post).slice(0, 22)
}

// Disabling a client is stored first and ends its sessions then; this session is stored first, and
// the client read then. One of the two sees the other.
async function refuseChanged(
  { clients, sessions }: AppsKit,
  session: SessionRecord,
  { id, serviceUserId }: OAuthClient,
  context: RequestContext,
): Promise<void> {
  const client = await clients.findFresh(id).catch(async (error: unknown) => {
    await sessions.end(session, 'revoked', context)
    throw error
  })
  const isSame = client?.serviceUserId === serviceUserId && client?.disabled !== true
  if (isSame) return
  await sessions.end(session, 'client-disabled', context)
  throw refusal('the client was changed meanwhile')
}

function refusal(message: string): AuthError {
  return new AuthError('unauthorized_client', {
    clientMessage:
      'This client may have no token now: its user may not sign in, or it was disabled.',
    message,
  })
}
