import type { IncomingMessage } from 'node:http'
import type { Pages } from '../http/page-origin.js'
import type { SessionRecord } from '../stores/contract.js'
import { readSessionSecret } from '../tokens/session-secret.js'
import type { Sessions } from './sessions.js'

/** The live session of a browser's cookie; null without one. Rejects with 503. */
export async function findSessionOfCookie(
  { cookie }: Pick<Pages, 'cookie'>,
  sessions: Pick<Sessions, 'findBySecret'>,
  request: IncomingMessage,
): Promise<SessionRecord | null> {
  const sent = cookie.read(request)
  const secret = sent === null ? null : readSessionSecret('browser', sent)
  return secret === null ? null : sessions.findBySecret(secret)
}
