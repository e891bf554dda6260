import { randomInt } from 'node:crypto'
import { noRequest } from '../events.js'
import { isForClient } from '../http/endpoint.js'
import type { Revocations } from '../revocations/revocations.js'
import type { Sessions } from '../sessions/sessions.js'
import { createEndedAmong } from './ended-sessions.js'
import type { LiveSessions } from './live-sessions.js'
import type { Principal } from './principal.js'

/** The codes that sockets are closed with. Neither is mended by connecting again with the same token. */
export const socketCloseCodes: { readonly sessionEnded: 4401; readonly tokenExpired: 4408 } = {
  sessionEnded: 4401,
  tokenExpired: 4408,
}

/** A socket as the registry sees it. */
export interface TrackedConnection {
  close(code: number, reason: string): void
  /** Cuts the connection, for a client that does not answer a close. */
  terminate(): void
}

/** One tracked socket. */
export interface SocketEntry {
  principal: Principal
  readonly connection: TrackedConnection
}

/** The sockets of one session, and the tick at which to ask for it and its user again. */
interface SessionSockets {
  readonly entries: Set<SocketEntry>
  checkAt: number
  /** In which of the ticks of a round it is asked for together with many others. */
  readonly turn: number
}

/** Live sockets by session, so that ending a session costs as much as it has sockets, however many there are in all. */
export interface SocketRegistry {
  add(connection: TrackedConnection, principal: Principal): SocketEntry
  remove(entry: SocketEntry): void
  /** Whether the socket is still watched, which means that nobody has closed it. */
  has(entry: SocketEntry): boolean
  count(sessionId: string): number
  readonly size: number
  /** How many sessions have sockets. */
  readonly sessions: number
  close(): void
}

/** What the registry needs. */
export interface SocketRegistryDeps {
  readonly revocations: Revocations
  readonly liveSessions: LiveSessions
  readonly sessions: Pick<Sessions, 'liveAmong'>
  readonly clock: () => Date
}

const tickMilliseconds = 1000
/** Each session with sockets is asked for again this often with its user, who may have been disabled. */
const ticksBetweenChecks = 60
/**
 * And this often by its id, many in one query: the message of its end may have been lost, or there may be no bus. Wire §7 allows 5
 * seconds.
 */
const ticksOfARound = 4

/** Closes sockets when their session ends, and when their token does. */
export function createSocketRegistry({ revocations, liveSessions, sessions, clock }: SocketRegistryDeps): SocketRegistry {
  const bySession = new Map<string, SessionSockets>()
  const endedAmong = createEndedAmong(sessions)
  let ticks = 0
  let timer: NodeJS.Timeout | undefined

  function hangUp(entry: SocketEntry, code: number, reason: string): void {
    remove(entry)
    disconnect(entry.connection, code, reason)
  }

  function remove(entry: SocketEntry): void {
    const sockets = bySession.get(entry.principal.sessionId)
    if (sockets?.entries.delete(entry) !== true) return
    if (sockets.entries.size === 0) bySession.delete(entry.principal.sessionId)
  }

  function endSession(sessionId: string): void {
    liveSessions.forget(sessionId) // Requests are refused from now on as well, however fresh what is remembered.
    for (const entry of [...(bySession.get(sessionId)?.entries ?? [])])
      hangUp(entry, socketCloseCodes.sessionEnded, 'session ended')
  }

  const check = async (id: string) => void ((await isRefused(liveSessions, id)) && endSession(id))

  async function askForTurn(turn: number): Promise<void> {
    const ids = [...bySession].filter(([, sockets]) => sockets.turn === turn).map(([id]) => id)
    for (const id of await endedAmong(turn, ids)) endSession(id)
  }

  function tick(): void {
    const now = clock()
    ticks += 1
    void askForTurn(ticks % ticksOfARound)
    for (const [sessionId, sockets] of bySession) {
      for (const entry of sockets.entries) {
        if (entry.principal.expiresAt <= now) hangUp(entry, socketCloseCodes.tokenExpired, 'token expired')
      }
      if (ticks < sockets.checkAt) continue
      sockets.checkAt = ticks + ticksBetweenChecks
      void check(sessionId)
    }
  }

  revocations.onEnded(({ sessionId }) => endSession(sessionId))

  return {
    add(connection, principal) {
      const entry: SocketEntry = { connection, principal }
      // Each at a time of its own, or a thousand sockets that came together would be asked for together.
      const checkAt = ticks + randomInt(1, ticksBetweenChecks + 1)
      const sockets = bySession.get(principal.sessionId) ?? { entries: new Set(), checkAt, turn: randomInt(ticksOfARound) }
      sockets.entries.add(entry)
      bySession.set(principal.sessionId, sockets)
      timer ??= setInterval(tick, tickMilliseconds).unref()
      // The session may have ended between the handshake and this line, when there was nothing yet to close.
      void check(principal.sessionId)
      return entry
    },
    remove,
    has: (entry) => bySession.get(entry.principal.sessionId)?.entries.has(entry) === true,
    count: (sessionId) => bySession.get(sessionId)?.entries.size ?? 0,
    get size() {
      return [...bySession.values()].reduce((sum, { entries }) => sum + entries.size, 0)
    },
    get sessions() {
      return bySession.size
    },
    close() {
      clearInterval(timer)
      timer = undefined
    },
  }
}

// An outage is no verdict: sockets stay open while the store is down.
async function isRefused(liveSessions: LiveSessions, sessionId: string): Promise<boolean> {
  try {
    await liveSessions.require(sessionId, noRequest)
    return false
  } catch (error) {
    return isForClient(error) && error.status < 500
  }
}

function disconnect(connection: TrackedConnection, code: number, reason: string): void {
  // A socket that throws must not keep the others open, nor turn a logout that is done into a failure.
  attempt(() => connection.close(code, reason))
  // Whoever does not answer the close could otherwise go on sending.
  setTimeout(() => attempt(() => connection.terminate()), tickMilliseconds).unref()
}

function attempt(work: () => void): void {
  try {
    work()
  } catch {
    // Nothing is left to do: the socket is not watched any more.
  }
}
