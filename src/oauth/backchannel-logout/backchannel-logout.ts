import type { RequestContext } from '../../audit/events.js'
import type { RpLogoutFault } from '../../audit/refusals.js'
import type { GroundKit } from '../../kits/ground-kit.js'
import { UnexpectedAnswer } from '../../lib/host-call.js'
import { randomId } from '../../lib/secrets.js'
import { isReplaced } from '../../sessions/replacing.js'
import type { Sessions } from '../../sessions/sessions.js'
import type { LogoutTokenClaims } from '../../signers/contract.js'
import type { OAuthClient } from '../../stores/client-contract.js'
import type { SessionRecord } from '../../stores/contract.js'
import { sidOf } from '../issue-tokens.js'
import type { OAuthServer } from '../oauth-server.js'
import { createLogoutQueue, type RpLogoutStats } from './logout-queue.js'

/**
 * Tells apps that their sessions have ended: [OpenID Connect Back-Channel Logout
 * 1.0](https://openid.net/specs/openid-connect-backchannel-1_0.html).
 */
export interface BackchannelLogout {
  stats(): RpLogoutStats
  /** Waits for messages under way, for this long at most; all others are lost. */
  close(milliseconds: number): Promise<void>
}

/** What apps are told with. */
export interface LogoutKit extends GroundKit, OAuthServer {
  readonly sessions: Sessions
}

interface Message {
  readonly session: SessionRecord
  readonly client: OAuthClient
  readonly uri: string
  readonly context: RequestContext
}

/** The process that has ended a session tells its app, so it is told once. */
export function createBackchannelLogout(kit: LogoutKit): BackchannelLogout {
  const { sessions, clients, audit } = kit
  const looking = new Set<Promise<void>>()
  const queue = createLogoutQueue<Message>({
    send: (message) => send(message, kit),
    conclude: ({ session, client, context }, fault) => report(session, client.id, fault, context),
  })

  function report(
    { userId, id: sessionId }: SessionRecord,
    clientId: string,
    reason: RpLogoutFault | null,
    context: RequestContext,
  ): void {
    const about = { userId, sessionId, clientId }
    if (reason === null) audit({ type: 'rp-logout.sent', ...about }, context)
    else audit({ type: 'rp-logout.failed', reason, ...about }, context)
  }

  async function tell(
    session: SessionRecord,
    clientId: string,
    context: RequestContext,
  ): Promise<void> {
    try {
      const client = await clients.find(clientId)
      const uri = client?.backchannelLogoutUri
      if (client && uri !== undefined) queue.add(clientId, { session, client, uri, context })
    } catch {
      report(session, clientId, 'store', context)
    }
  }

  sessions.onAppSessionEnded((session, context) => {
    const { clientId } = session
    // At its app, the session that has replaced it has the same name.
    if (clientId === undefined || isReplaced(session)) return
    const work = tell(session, clientId, context).finally(() => looking.delete(work))
    looking.add(work)
  })

  return {
    stats: queue.stats,
    async close(milliseconds) {
      await Promise.all(looking)
      await queue.close(milliseconds)
    },
  }
}

// A token of its own for each try: an app that has taken one whose answer was lost would refuse it
// the second time. Status 400 is tried again like any other: it also says that the logout failed,
// §2.8.
async function send(message: Message, kit: LogoutKit): Promise<RpLogoutFault | null> {
  const token = await sign(message, kit).catch(() => null)
  if (token === null) return 'signer'
  // Loaded with the first message.
  const { outgoing, SpecialUseAddress } = await import('../../lib/outgoing.js')
  const { webOnLoopback: allowsLoopback, privateHosts } = kit
  try {
    const form = {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ logout_token: token }),
    }
    const answer = await kit.watch('outgoing.logoutToken', () =>
      outgoing(message.uri, form, { allowsLoopback, privateHosts }),
    )
    return answer.ok ? null : 'rejected'
  } catch (error) {
    if (error instanceof SpecialUseAddress) return 'address'
    if (error instanceof UnexpectedAnswer) return 'rejected'
    return error instanceof Error && error.name === 'TimeoutError' ? 'timeout' : 'unreachable'
  }
}

function sign({ session, client }: Message, { signer, call, clock }: LogoutKit): Promise<string> {
  const { id, idTokenAlgorithm: algorithm = 'ES256' } = client
  return call('signer.signLogoutToken', async () => {
    const claims = logoutTokenClaims(session, id, clock())
    const token: unknown = await signer.signLogoutToken?.(claims, { algorithm })
    if (typeof token === 'string' && token !== '') return token
    throw new UnexpectedAnswer('the signer did not return a token')
  })
}

/** Seconds. An app reads the token once, when it gets it. */
const lifetimeSeconds = 120

/**
 * The claims of a logout token, without `iss`, which the signer adds: [OpenID Connect Back-Channel
 * Logout 1.0 §2.4](https://openid.net/specs/openid-connect-backchannel-1_0.html#LogoutToken).
 */
function logoutTokenClaims(session: SessionRecord, clientId: string, now: Date): LogoutTokenClaims {
  const iat = Math.floor(now.getTime() / 1000)
  return {
    sub: session.userId,
    aud: clientId,
    sid: sidOf(session, clientId),
    iat,
    exp: iat + lifetimeSeconds,
    jti: randomId(),
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
  }
}
