import type { IncomingMessage } from 'node:http'
import type { Pages } from '../http/pages.js'
import type { SessionRecord } from '../stores/contract.js'
import { isSecretOf, readSessionSecret } from '../tokens/session-secret.js'
import type { Sessions } from './sessions.js'

/** The session that a browser has; null where it has none that lives. Rejects with 503. */
export async function findSessionOfCookie(
  { cookie }: Pick<Pages, 'cookie'>,
  sessions: Pick<Sessions, 'findLive'>,
  request: IncomingMessage,
): Promise<SessionRecord | null> {
  const sent = cookie.read(request)
  const secret = sent === null ? null : readSessionSecret('browser', sent)
  const session = secret === null ? null : await sessions.findLive(secret.sessionId)
  return secret !== null && session !== null && isSecretOf(secret, session) ? session : null
}
