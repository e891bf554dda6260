import type { LogoutRefusal } from '../audit/refusals.js'
import { claimedAudience } from '../signers/read-token.js'
import type { OAuthClient } from '../stores/client-contract.js'
import type { SessionRecord } from '../stores/contract.js'
import type { AppsKit } from './apps-kit.js'
import {
  isEchoable,
  maxStateChars,
  parseBrowserRequest,
  uiLocalesOf,
} from './authorization-request.js'
import { postLogoutRedirectOf } from './client-schema.js'
import { sidInBrowser } from './issue-tokens.js'
import {
  type AskingBrowser,
  findClientOfBrowser,
  type IdTokenHint,
  readIdTokenHint,
} from './judge-authorization.js'
import { appended, queryOf } from './redirect-uri.js'

/** The address that a browser returns to after signing out: a registered address of a client. */
export interface LogoutReturn {
  readonly client: OAuthClient
  readonly redirectUri: string
  readonly state: string | null
}

/** The parts of a sign-out request that count. */
export interface JudgedLogout {
  /** Null if there is no such client. */
  readonly clientId: string | null
  /** Null: the browser stays on a page of this server. */
  readonly back: LogoutReturn | null
  readonly refused: LogoutRefusal | null
  /** In order of preference. */
  readonly uiLocales: readonly string[]
  /**
   * Whether the client proves by an ID token that it has signed in this browser's user in this very
   * session: then nobody else has made up the request. Rejects with 503.
   */
  provesSession(session: SessionRecord): Promise<boolean>
}

/**
 * Judges the query of a request to sign out, without the `?`: [OpenID Connect RP-Initiated Logout
 * 1.0 §2 to §4](https://openid.net/specs/openid-connect-rpinitiated-1_0.html#RPLogout). A request
 * with a fault signs nobody out without a question, and leads to no other site.
 *
 * Rejects with 429 and 503.
 */
export type JudgeLogout = (
  query: string,
  asking: Pick<AskingBrowser, 'context'>,
) => Promise<JudgedLogout>

/** Characters of the query. Our own ID tokens have up to 4096. */
export const maxLogoutQueryChars: number = 8 * 1024

export function createJudgeLogout(kit: AppsKit): JudgeLogout {
  return async function judgeLogout(query, asking) {
    const parsed = parseBrowserRequest(query, maxLogoutQueryChars)
    const values: Values = parsed.at === 'page' ? new Map() : parsed.values
    const ignored = ignoring(uiLocalesOf(values))
    if (parsed.at === 'page' || !isEchoable(values.get('state'), maxStateChars))
      return ignored('malformed')
    const named = await clientNamedBy(values)
    if (named === null) return ignored(refusedWithoutClient(values))
    const client = await findClientOfBrowser(kit, named, asking)
    if (client === null || client.disabled === true) return ignored('unknown-client')
    return judgeForClient(kit, client, values, ignored)
  }
}

type Values = ReadonlyMap<string, string>
type Ignored = (refused: LogoutRefusal | null, clientId?: string) => JudgedLogout

function ignoring(uiLocales: readonly string[]): Ignored {
  const provesSession = async () => false
  return function ignored(refused, clientId = undefined) {
    return { clientId: clientId ?? null, back: null, refused, uiLocales, provesSession }
  }
}

async function clientNamedBy(values: Values): Promise<string | null> {
  const hint = values.get('id_token_hint')
  return values.get('client_id') ?? (hint === undefined ? null : claimedAudience(hint))
}

function refusedWithoutClient(values: Values): LogoutRefusal | null {
  if (values.has('id_token_hint')) return 'foreign-hint'
  return values.has('post_logout_redirect_uri') ? 'unknown-client' : null
}

async function judgeForClient(
  kit: AppsKit,
  client: OAuthClient,
  values: Values,
  ignored: Ignored,
): Promise<JudgedLogout> {
  const sent = values.get('id_token_hint') ?? null
  const hint = sent === null ? null : await readIdTokenHint(kit, sent, client.id)
  if (sent !== null && hint === null) return ignored('foreign-hint', client.id)
  const wanted = values.get('post_logout_redirect_uri') ?? null
  const redirectUri = wanted === null ? null : postLogoutRedirectOf(client, wanted)
  const state = values.get('state') ?? null
  return {
    ...ignored(wanted === redirectUri ? null : 'redirect-mismatch', client.id),
    back: redirectUri === null ? null : { client, redirectUri, state },
    provesSession: async (session) => hint !== null && isOfSession(kit, hint, client.id, session),
  }
}

async function isOfSession(
  { sessions }: AppsKit,
  { userId, sid }: IdTokenHint,
  clientId: string,
  session: SessionRecord,
): Promise<boolean> {
  if (userId !== session.userId || sid === null) return false
  if (sid === sidInBrowser(session.id, clientId)) return true
  // With a refresh token the client has a session of its own, and may have revoked it just now.
  const own = await sessions.findEver(sid)
  return own?.openedBySessionId === session.id && own.clientId === clientId
}

/** The parts of a request that count, as a query. The query is judged like the request itself. */
export function whatCounts({ back, uiLocales }: Pick<JudgedLogout, 'back' | 'uiLocales'>): string {
  return queryOf({
    ...(back !== null && {
      client_id: back.client.id,
      post_logout_redirect_uri: back.redirectUri,
      ...(back.state !== null && { state: back.state }),
    }),
    ...(uiLocales.length > 0 && { ui_locales: uiLocales.join(' ') }),
  })
}

/** The address that a browser returns to. */
export function returnAddress({ redirectUri, state }: LogoutReturn): string {
  return state === null ? redirectUri : appended(redirectUri, { state })
}
