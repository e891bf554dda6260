import { randomInt } from 'node:crypto'
import { endReasons } from '../audit/event-counts.js'
import { noRequest, type RequestContext } from '../audit/events.js'
import { isForClient } from '../http/endpoint.js'
import type { SessionKit } from '../kits/session-kit.js'
import { boundedCache } from '../lib/bounded-cache.js'
import type { Principal } from '../principal/principal.js'
import type { LiveSessions } from '../sessions/live-sessions.js'
import { createEndedAmong } from '../sessions/sessions.js'
import type { EndReason, SessionRecord, StoredReason } from '../stores/contract.js'
import { type AskForKeys, createCloseByKey } from './key-marks.js'
import { createOpenSockets, type OpenSockets, type SocketEntry } from './open-sockets.js'

/**
 * The codes that sockets are closed with. A client that reconnects with the same token is refused
 * for the same reason.
 */
export const socketCloseCodes: { readonly sessionEnded: 4401; readonly tokenExpired: 4408 } = {
  sessionEnded: 4401,
  tokenExpired: 4408,
}

/**
 * The reason beside 4401: why the session has ended, where this process has heard of it; otherwise
 * without a word.
 */
export type SocketEndReason = 'session ended' | `session ended: ${EndReason}`

/** Open sockets by session. Ending a session costs only as much as it has sockets. */
export interface SocketRegistry {
  add(entry: SocketEntry): void
  remove(entry: SocketEntry): void
  /** Whether the socket is still tracked: the registry has not closed it. */
  has(entry: SocketEntry): boolean
  /**
   * Whether a socket that this principal held a moment ago may be opened again. False during an
   * outage.
   */
  mayReturn(principal: Principal): Promise<boolean>
  count(sessionId: string): number
  readonly size: number
  /** Number of sessions with open sockets. */
  readonly sessions: number
  close(): void
}

const { sessionEnded } = socketCloseCodes
const tokenExpired = [socketCloseCodes.tokenExpired, 'token expired'] as const
const keyGone = [socketCloseCodes.tokenExpired, 'signing key was taken out'] as const
const tickMs = 1000
/** Sessions that ended recently are remembered: at most this many, for `justEndedSeconds`. */
const maxJustEnded = 20_000
const justEndedSeconds = 60

/**
 * Closes sockets when their session ends and when their token expires.
 *
 * @param sessionIdle - seconds
 * @param askForKeys - null if the signer does not list its keys
 */
export function createSocketRegistry(
  { revocations, liveSessions, sessions, clock }: SessionKit,
  sessionIdle: number,
  askForKeys: AskForKeys | null,
): SocketRegistry {
  const schedule = createPollSchedule(sessionIdle)
  const endedAmong = createEndedAmong(sessions)
  const justEnded = boundedCache<StoredReason>(maxJustEnded, justEndedSeconds)
  const open = createOpenSockets(() => schedule.start(ticks, clock()))
  const ticker = createTicker(tick)
  const acting = createActingSockets(open)
  const closeByKey = createCloseByKey(open, askForKeys, (entry) => hangUp(open, entry, ...keyGone))
  let ticks = 0

  function endSession(sessionId: string): void {
    const why = justEnded.get(sessionId, clock())
    // Requests are refused from now on as well.
    liveSessions.forget(sessionId)
    for (const entry of open.of(sessionId)) hangUp(open, entry, sessionEnded, wordsOf(why))
    for (const id of acting.sessionsBy(sessionId)) endSession(id)
  }

  async function check(id: string, context: RequestContext | null): Promise<void> {
    if (await isRefused(liveSessions, id, context, clock)) endSession(id)
  }

  async function pollSlot(slot: number): Promise<void> {
    const ids = [...open].filter(([, { attached }]) => attached.pollSlot === slot).map(([id]) => id)
    for (const id of await endedAmong(slot, ids)) endSession(id)
  }

  function tick(): void {
    const now = clock()
    ticks += 1
    void pollSlot(ticks % pollSlotCount)
    acting.poll(ticks, (id) => check(id, null))
    void closeByKey(ticks)
    for (const [sessionId, { entries, attached }] of open) {
      for (const entry of lapsedAmong(entries, now)) hangUp(open, entry, ...tokenExpired)
      const due = schedule.takeDue(attached, ticks, now)
      // A check without a context does not count as use of the session.
      if (due !== 'nothing') void check(sessionId, due === 'touch' ? noRequest : null)
    }
  }

  revocations.onEnded(({ sessionId, reason }) => {
    justEnded.set(sessionId, reason, clock())
    endSession(sessionId)
  })

  function add(entry: SocketEntry): void {
    // The ticker has stopped, so nothing would ever close this socket.
    if (!ticker.run()) return void attempt(() => entry.connection.terminate())
    const { sessionId } = entry.principal
    open.add(entry)
    acting.add(entry)
    // The session may have ended since the handshake, when the registry did not know the socket.
    if (justEnded.get(sessionId, clock()) !== undefined) endSession(sessionId)
    else void check(sessionId, noRequest)
  }

  return {
    add,
    remove: open.remove,
    has: open.has,
    mayReturn: ({ sessionId, expiresAt }) => isAlive(liveSessions, sessionId, expiresAt, clock()),
    count: open.count,
    get size() {
      return open.size
    },
    get sessions() {
      return open.sessions
    },
    close: ticker.stop,
  }
}

/** Sockets of actors. What ends their sessions happens to somebody else. */
function createActingSockets({ has }: Pick<OpenSockets<unknown>, 'has'>) {
  const entries = new Set<SocketEntry>()
  function sessionsBy(actorSessionId?: string): Set<string> {
    const found = new Set<string>()
    for (const entry of entries) {
      const { actor, sessionId } = entry.principal
      if (!has(entry)) entries.delete(entry)
      else if ([undefined, actor?.sessionId].includes(actorSessionId)) found.add(sessionId)
    }
    return found
  }
  return {
    add: (entry: SocketEntry) => void (entry.principal.actor && entries.add(entry)),
    /** The sessions with sockets of an actor, or of every one. */
    sessionsBy,
    /** Checks them as often as sessions are polled. Nobody announces what ends them. */
    poll(ticks: number, check: (sessionId: string) => Promise<void>): void {
      if (ticks % pollSlotCount === 0) for (const id of sessionsBy()) void check(id)
    },
  }
}

// Only words of ours are used: anybody may publish on a bus.
function wordsOf(why = ''): SocketEndReason {
  return Object.hasOwn(endReasons, why) ? `session ended: ${why as EndReason}` : 'session ended'
}

function lapsedAmong(entries: Iterable<SocketEntry>, now: Date): SocketEntry[] {
  return [...entries].filter(({ principal }) => principal.expiresAt <= now)
}

// Starts with the first socket. `run` returns false after `stop`: a stopped ticker never restarts.
function createTicker(work: () => void): { run(): boolean; stop(): void } {
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  return {
    run() {
      if (!isStopped) timer ??= setInterval(work, tickMs).unref()
      return !isStopped
    },
    stop() {
      isStopped = true
      clearInterval(timer)
    },
  }
}

async function isAlive(
  liveSessions: LiveSessions,
  sessionId: string,
  expiresAt: Date,
  now: Date,
): Promise<boolean> {
  if (expiresAt <= now) return false
  return liveSessions.require(sessionId, null).then(
    () => true,
    () => false,
  )
}

// An outage proves nothing about the session: sockets stay open while the store is down.
async function isRefused(
  liveSessions: LiveSessions,
  sessionId: string,
  context: RequestContext | null,
  clock: () => Date,
): Promise<boolean> {
  try {
    const { session } = await liveSessions.require(sessionId, context)
    if (isTouchDue(session, clock())) await liveSessions.require(sessionId, noRequest)
    return false
  } catch (error) {
    return isForClient(error) && error.status < 500
  }
}

function hangUp(
  open: Pick<ReturnType<typeof createOpenSockets>, 'remove'>,
  entry: SocketEntry,
  code: number,
  reason: string,
): void {
  open.remove(entry)
  const { connection } = entry
  // A socket that throws must neither keep the others open nor fail a finished logout.
  attempt(() => connection.close(code, reason))
  // A client that ignores the close frame could otherwise go on sending.
  setTimeout(() => attempt(() => connection.terminate()), tickMs).unref()
}

function attempt(work: () => void): void {
  try {
    work()
  } catch {
    // Nothing left to do: the socket is no longer tracked.
  }
}

/** When the store is next asked about a session with open sockets. */
export interface PollTimes {
  /** The tick of the next full check: the session and its user. */
  checkAtTick: number
  /** When to record the session as in use, in milliseconds of the clock. */
  touchAtMs: number
  /** Which of {@link pollSlotCount} ticks polls the session in a batch. */
  readonly pollSlot: number
}

/**
 * The work that is due for a session: nothing, a full check, or a full check that records its use.
 */
type DueWork = 'nothing' | 'check' | 'touch'

/** Decides when the store is asked about sessions with open sockets. */
interface PollSchedule {
  /** Starts the times of a session with its first socket. */
  start(tick: number, now: Date): PollTimes
  /** Returns what is due at this tick, and schedules the next check. */
  takeDue(times: PollTimes, tick: number, now: Date): DueWork
}

/** A full check every 60 seconds: the user may have been disabled. */
const ticksBetweenChecks = 60
/**
 * A batch poll by session id every 4 seconds, for lost bus messages and hosts without a bus.
 * Clients are promised 5 seconds.
 */
const pollSlotCount = 4

/** A tick is one second; `sessionIdle` is in seconds, too. */
function createPollSchedule(sessionIdle: number): PollSchedule {
  const touchEveryMs = millisecondsBetweenTouches(sessionIdle)
  return {
    // At random times, so that a thousand sockets opened together are not checked together.
    start: (tick, now) => ({
      checkAtTick: tick + randomInt(1, ticksBetweenChecks + 1),
      touchAtMs: now.getTime() + touchEveryMs / 2 + randomInt(Math.ceil(touchEveryMs / 2)),
      pollSlot: randomInt(pollSlotCount),
    }),
    takeDue(times, tick, now) {
      const due =
        now.getTime() >= times.touchAtMs ? 'touch' : tick >= times.checkAtTick ? 'check' : 'nothing'
      if (due === 'touch') times.touchAtMs = now.getTime() + touchEveryMs
      if (due !== 'nothing') times.checkAtTick = tick + ticksBetweenChecks
      return due
    },
  }
}

// An open socket counts as use. Recording it every twentieth of the idle time is enough, but at
// most once a minute. With a short idle time it is recorded every third of it, so that one write
// may fail.
function millisecondsBetweenTouches(sessionIdle: number): number {
  return Math.min(Math.max(60, sessionIdle / 20), sessionIdle / 3) * 1000
}

/**
 * Whether a session read in a check must be recorded as in use. This concerns sessions with a
 * lifetime of their own, which the schedule does not know.
 */
function isTouchDue(
  { lifetime, lastSeenAt }: Pick<SessionRecord, 'lifetime' | 'lastSeenAt'>,
  now: Date,
): boolean {
  if (lifetime === undefined) return false
  return now.getTime() >= lastSeenAt.getTime() + millisecondsBetweenTouches(lifetime.idle)
}
