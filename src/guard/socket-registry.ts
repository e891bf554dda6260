import { randomInt } from 'node:crypto'
import { noRequest } from '../events.js'
import { isForClient } from '../http/endpoint.js'
import type { Revocations } from '../revocations/revocations.js'
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

/** The sockets of one session, and the tick at which to ask for it again. */
interface SessionSockets {
  readonly entries: Set<SocketEntry>
  checkAt: number
}

/** Live sockets by session, so that ending a session costs as much as it has sockets, however many there are in all. */
export interface SocketRegistry {
  add(connection: TrackedConnection, principal: Principal): SocketEntry
  remove(entry: SocketEntry): void
  /** Whether the socket is still watched, which means that nobody has closed it. */
  has(entry: SocketEntry): boolean
  count(sessionId: string): number
  readonly size: number
  close(): void
}

/** What the registry needs. */
export interface SocketRegistryDeps {
  readonly revocations: Revocations
  readonly liveSessions: LiveSessions
  readonly clock: () => Date
}

const tickMilliseconds = 1000
/** Each session with sockets is asked for again this often, in case the message of its end was lost. */
const ticksBetweenChecks = 60

/** Closes sockets when their session ends, and when their token does. */
export function createSocketRegistry({ revocations, liveSessions, clock }: SocketRegistryDeps): SocketRegistry {
  const bySession = new Map<string, SessionSockets>()
  let size = 0
  let ticks = 0
  let timer: NodeJS.Timeout | undefined

  function hangUp(entry: SocketEntry, code: number, reason: string): void {
    remove(entry)
    // A socket that throws must not keep the others open, nor turn a logout that is done into a failure.
    attempt(() => entry.connection.close(code, reason))
    // Whoever does not answer the close could otherwise go on sending.
    setTimeout(() => attempt(() => entry.connection.terminate()), tickMilliseconds).unref()
  }

  function remove(entry: SocketEntry): void {
    const sockets = bySession.get(entry.principal.sessionId)
    if (sockets?.entries.delete(entry) !== true) return
    size -= 1
    if (sockets.entries.size === 0) bySession.delete(entry.principal.sessionId)
  }

  function endSession(sessionId: string): void {
    for (const entry of [...(bySession.get(sessionId)?.entries ?? [])])
      hangUp(entry, socketCloseCodes.sessionEnded, 'session ended')
  }

  // An outage is no verdict: sockets stay open while the store is down.
  async function check(sessionId: string): Promise<void> {
    try {
      await liveSessions.require(sessionId, noRequest)
    } catch (error) {
      if (isForClient(error) && error.status < 500) endSession(sessionId)
    }
  }

  function tick(): void {
    const now = clock()
    ticks += 1
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
      const sockets = bySession.get(principal.sessionId) ?? { entries: new Set(), checkAt }
      sockets.entries.add(entry)
      bySession.set(principal.sessionId, sockets)
      size += 1
      timer ??= setInterval(tick, tickMilliseconds).unref()
      // The session may have ended between the handshake and this line, when there was nothing yet to close.
      void check(principal.sessionId)
      return entry
    },
    remove,
    has: (entry) => bySession.get(entry.principal.sessionId)?.entries.has(entry) === true,
    count: (sessionId) => bySession.get(sessionId)?.entries.size ?? 0,
    get size() {
      return size
    },
    close() {
      clearInterval(timer)
      timer = undefined
    },
  }
}

function attempt(work: () => void): void {
  try {
    work()
  } catch {
    // Nothing is left to do: the socket is not watched any more.
  }
}
