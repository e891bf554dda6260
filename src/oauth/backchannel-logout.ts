import { createFairQueue, type FairQueue } from '../admission/fair-queue.js'
import type { RequestContext } from '../audit/events.js'
import type { RpLogoutFault } from '../audit/refusals.js'
import type { GroundKit } from '../kits/ground-kit.js'
import { within } from '../lib/async.js'
import { UnexpectedAnswer } from '../lib/host-call.js'
import { randomId } from '../lib/secrets.js'
import { isReplaced } from '../sessions/opening.js'
import type { Sessions } from '../sessions/sessions.js'
import type { LogoutTokenClaims } from '../signers/contract.js'
import type { OAuthClient } from '../stores/client-contract.js'
import type { SessionRecord } from '../stores/contract.js'
import { sidOf } from './issue-tokens.js'
import type { OAuthServer } from './oauth-server.js'

/**
 * Tells apps that their sessions have ended: [OpenID Connect Back-Channel Logout
 * 1.0](https://openid.net/specs/openid-connect-backchannel-1_0.html).
 */
export interface BackchannelLogout {
  stats(): RpLogoutStats
  /** Waits for messages under way, for this long at most; all others are lost. */
  close(milliseconds: number): Promise<void>
}

/** The parts that tell apps of ended sessions. */
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
    // At its app, a replaced session has the name of the session that has replaced it.
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
  const { outgoing, SpecialUseAddress } = await import('../lib/outgoing.js')
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

/** Counts of messages to apps since the start. */
export interface RpLogoutStats {
  /** The app has taken it. */
  readonly sent: number
  /** Messages that were not sent; the event `rp-logout.failed` says why. */
  readonly failed: number
  /** Messages under way, or waiting for their turn or their next try. */
  readonly waiting: number
}

/** Messages to apps, of which nobody waits for any. */
export interface LogoutQueue<Message> {
  /** Returns at once. Apps take turns, by `clientId`. */
  add(clientId: string, message: Message): void
  stats(): RpLogoutStats
  /** Tries each message that waits for its turn once more, for this long at most. */
  close(milliseconds: number): Promise<void>
}

/** How apps are told. */
export interface Telling<Message> {
  /** Never rejects; null once the app has taken the message. */
  readonly send: (message: Message) => Promise<RpLogoutFault | null>
  /** Called once for each message. */
  readonly conclude: (message: Message, fault: RpLogoutFault | null) => void
}

interface Waiting<Message> {
  readonly clientId: string
  readonly message: Message
  /** How often it has been tried. */
  readonly tries: number
}

const maxWaiting = 1000
const maxAtOnce = 8
/** After the first try and after the second; there is no fourth. */
const pausesMs = [5000, 30_000]

/**
 * The queue is in memory: waiting messages are lost with the process.
 *
 * @internal
 */
export function createLogoutQueue<Message>({
  send,
  conclude: report,
}: Telling<Message>): LogoutQueue<Message> {
  const queue = createFairQueue<Waiting<Message>>()
  const paused = createPauses<Waiting<Message>>(enqueue)
  /** All messages, waiting or paused, for the shares of apps. */
  const all = createFairQueue<Waiting<Message>>()
  const underWay = new Set<Promise<void>>()
  let sent = 0
  let failed = 0
  let closed = false

  function conclude({ message }: Waiting<Message>, fault: RpLogoutFault | null): void {
    if (fault === null) sent += 1
    else failed += 1
    report(message, fault)
  }

  function enqueue(waiting: Waiting<Message>): void {
    queue.add(waiting.clientId, waiting)
    takeTurns()
  }

  function takeTurns(): void {
    while (underWay.size < maxAtOnce) {
      const next = queue.take()
      if (next === undefined) return
      all.remove(next.clientId, next)
      const work = tryOnce(next).then(() => {
        underWay.delete(work)
        takeTurns()
      })
      underWay.add(work)
    }
  }

  async function tryOnce(waiting: Waiting<Message>): Promise<void> {
    const fault = await send(waiting.message)
    const pauseMs = pausesMs[waiting.tries]
    if (fault === null || pauseMs === undefined || closed) return conclude(waiting, fault)
    const again = { ...waiting, tries: waiting.tries + 1 }
    all.add(again.clientId, again)
    paused.add(again, pauseMs)
  }

  const stats = () => ({ sent, failed, waiting: queue.size + paused.size + underWay.size })

  return {
    add(clientId, message) {
      const waiting = { clientId, message, tries: 0 }
      if (closed) return conclude(waiting, 'closed')
      const dropped =
        stats().waiting >= maxWaiting && (makeRoomFor(clientId, all, queue, paused) ?? waiting)
      if (dropped) conclude(dropped, 'overflow')
      if (dropped === waiting) return
      all.add(clientId, waiting)
      enqueue(waiting)
    },

    stats,

    async close(milliseconds) {
      closed = true
      for (let rest = paused.take(); rest !== undefined; rest = paused.take())
        conclude(rest, 'closed')
      await within(milliseconds, allOf(underWay))
      for (let rest = queue.take(); rest !== undefined; rest = queue.take())
        conclude(rest, 'closed')
    },
  }
}

// The app with the most messages loses one, so that it takes no place from the others: first what
// has
// failed before. Undefined if that is the newcomer's own app, and nothing of it has failed.
function makeRoomFor<Entry extends { readonly clientId: string }>(
  newcomer: string,
  all: FairQueue<Entry>,
  queue: FairQueue<Entry>,
  paused: Pauses<Entry>,
): Entry | undefined {
  const newest = all.makeRoomFor(newcomer)
  const clientId = newest?.clientId ?? newcomer
  const failedBefore = paused.take(clientId)
  if (failedBefore === undefined) {
    if (newest !== undefined) queue.remove(clientId, newest)
    return newest
  }
  all.remove(clientId, failedBefore)
  if (newest !== undefined && newest !== failedBefore) all.add(clientId, newest)
  return failedBefore
}

interface Pauses<Entry> {
  add(entry: Entry, milliseconds: number): void
  /** Takes an entry of this app, or of any app. */
  take(clientId?: string): Entry | undefined
  readonly size: number
}

/** Entries that go on after a time. Entries that were added first are taken first. */
function createPauses<Entry extends { readonly clientId: string }>(
  goOn: (entry: Entry) => void,
): Pauses<Entry> {
  const timers = new Map<Entry, NodeJS.Timeout>()
  return {
    add(entry: Entry, milliseconds: number): void {
      const end = () => {
        timers.delete(entry)
        goOn(entry)
      }
      timers.set(entry, setTimeout(end, milliseconds).unref())
    },
    take(clientId?: string): Entry | undefined {
      const oldest = [...timers.keys()].find(
        (entry) => clientId === undefined || entry.clientId === clientId,
      )
      if (oldest === undefined) return undefined
      clearTimeout(timers.get(oldest))
      timers.delete(oldest)
      return oldest
    },
    get size(): number {
      return timers.size
    },
  }
}

async function allOf(underWay: ReadonlySet<Promise<void>>): Promise<void> {
  while (underWay.size > 0) await Promise.all(underWay)
}
