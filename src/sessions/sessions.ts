import type { NoticeTime } from '../clock-watch.js'
import { notSignedIn } from '../errors.js'
import type { Audit, RequestContext } from '../events.js'
import type { Revocations } from '../revocations/revocations.js'
import type {
  AuthenticationMethod,
  ConsumeResult,
  EndReason,
  RefreshState,
  RotateResult,
  SessionKind,
  SessionRecord,
  SessionSeen,
  SessionStore,
} from '../stores/contract.js'
import type { ApprovedSignIn } from './approved-sign-in.js'

/** What a new session is made of. */
export interface NewSession {
  readonly id: string
  readonly approved: ApprovedSignIn
  readonly kind: SessionKind
  readonly scope: string
  readonly authenticatedAt: Date
  readonly refresh: RefreshState | null
}

/** Names a session that may not have been read. */
export type SessionName = Pick<SessionRecord, 'id' | 'userId'>

/** The only writer of session rows. */
export interface Sessions {
  /** The record of a session that does not exist yet, so that its token can be signed before anything is stored. */
  draft(session: NewSession, context: RequestContext): SessionRecord
  /** Stores a drafted session; from here on its tokens are good. Whoever has too many then loses the oldest. */
  start(session: SessionRecord, context: RequestContext): Promise<void>
  /**
   * The same for the session that a code opens: stored only if this call is the one that used the code up. The oldest do not yet make room:
   * one of them may be the session that asked for the code, and whether that is alive is still asked.
   */
  startByCode(codeHash: string, session: SessionRecord, context: RequestContext): Promise<ConsumeResult>
  /** The oldest make room for a session that a code has opened. */
  makeRoom(session: SessionRecord, context: RequestContext): Promise<void>
  /** The session, if a token of it is good at this moment. */
  findLive(id: string): Promise<SessionRecord | null>
  /** Throws 401 unless the store says that it is alive: for what one that has ended elsewhere, and is remembered here, must not do. */
  requireLive(session: SessionName): Promise<void>
  /** Whether a session that was read a moment ago is still within its times. */
  isLive(session: SessionRecord): boolean
  /** Whether a session that was read a moment ago is within its times, and was noted as in use less than a minute ago. */
  isInUse(session: SessionRecord, now: Date): boolean
  /** What to note of a session in use; null when it was noted less than a minute ago. */
  seenNow(session: SessionRecord, context: RequestContext): SessionSeen | null
  /** Writes it down, without anybody waiting for it. A failure to write is not the client's problem. */
  touch(id: string, seen: SessionSeen): void
  /** Replaces the refresh token `presentedHash`, if it is still the current one. */
  rotateRefresh(
    session: SessionRecord,
    presentedHash: string,
    refresh: RefreshState,
    context: RequestContext,
  ): Promise<RotateResult>
  /** Notes what a session has shown by now. */
  setMethods(id: string, methods: readonly AuthenticationMethod[]): Promise<void>
  /** Ends a session durably, and tells everybody. True if this call ended it. */
  end(session: SessionName, reason: EndReason, context: RequestContext): Promise<boolean>
  /** Ends all sessions of a user durably, and tells everybody. Says how many this call ended. */
  endAllForUser(userId: string, reason: EndReason, context: RequestContext, exceptId?: string): Promise<number>
  /** A user's live sessions, the oldest first. */
  listForUser(userId: string): Promise<SessionRecord[]>
  /** Those of the sessions that are still good. */
  liveAmong(ids: readonly string[]): Promise<string[]>
}

/** What sessions need. */
export interface SessionsDeps {
  readonly store: SessionStore
  /** Uses a code up and stores the session it opens. */
  readonly redeem: (codeHash: string, session: SessionRecord, now: Date) => Promise<ConsumeResult>
  /** Seconds. */
  readonly lifetimes: { readonly sessionIdle: number; readonly sessionAbsolute: number }
  readonly maxSessionsPerUser: number
  readonly revocations: Revocations
  readonly clock: () => Date
  /** Is told when a session that was read was last seen, by whichever process. */
  readonly noticeTime: NoticeTime
  readonly audit: Audit
}

/** Opens, finds and ends sessions. */
export function createSessions(deps: SessionsDeps): Sessions {
  const { store, lifetimes, clock } = deps
  // Often enough that a session in use never looks idle, however short the host made that time.
  const secondsBetweenTouches = Math.min(60, lifetimes.sessionIdle / 4)
  const isNoted = ({ lastSeenAt }: SessionRecord, now: Date) => now.getTime() < lastSeenAt.getTime() + secondsBetweenTouches * 1000
  const isLive = (session: SessionRecord) => isLiveAt(session, clock())

  async function findLive(id: string): Promise<SessionRecord | null> {
    const session = await store.find(id)
    if (session !== null) deps.noticeTime(session.lastSeenAt)
    return session !== null && isLive(session) ? session : null
  }

  return {
    draft: (session, context) => draft(deps, session, context),

    async start(session, context) {
      await store.create(session)
      tellOfStart(deps, session, context)
      await makeRoom(deps, session, context)
    },

    async startByCode(codeHash, session, context) {
      const result = await deps.redeem(codeHash, session, clock())
      if (result.outcome === 'consumed') tellOfStart(deps, session, context)
      return result
    },

    makeRoom: (session, context) => makeRoom(deps, session, context),

    findLive,

    async requireLive({ id }) {
      if ((await findLive(id)) === null) throw notSignedIn('session ended or unknown')
    },

    isLive,

    isInUse: (session, now) => isLiveAt(session, now) && isNoted(session, now),

    seenNow: (session, context) => (isNoted(session, clock()) ? null : seen(deps, session, context)),

    touch: (id, noted) => void store.touch(id, noted).catch(() => {}),

    rotateRefresh: (session, presentedHash, refresh, context) =>
      store.rotateRefresh(session.id, presentedHash, { refresh, ...seen(deps, session, context) }, clock()),

    setMethods: (id, methods) => store.setMethods(id, methods),

    end: (session, reason, context) => endOne(deps, session, reason, context),

    endAllForUser: (userId, reason, context, exceptId) => endAll(deps, userId, reason, context, exceptId),

    listForUser: (userId) => store.listForUser(userId, clock()),

    liveAmong: (ids) => store.liveAmong(ids, clock()),
  }
}

function tellOfStart({ audit }: SessionsDeps, session: SessionRecord, context: RequestContext): void {
  const { userId, id: sessionId, kind, methods } = session
  audit({ type: 'session.started', userId, sessionId, kind, methods }, context)
}

async function makeRoom(deps: SessionsDeps, session: SessionRecord, context: RequestContext): Promise<void> {
  // Reported by the call that failed. Whoever has signed in stays signed in; the next sign-in evicts.
  await evictOldest(deps, session, context).catch(() => {})
}

function draft(deps: SessionsDeps, { approved, ...given }: NewSession, context: RequestContext): SessionRecord {
  const createdAt = deps.clock()
  // Counted from the sign-in, so that one password, and a code now and then, does not last for ever.
  const expiresAt = after(earlier(createdAt, given.authenticatedAt), deps.lifetimes.sessionAbsolute)
  return {
    ...given,
    userId: approved.user.id,
    methods: approved.methods,
    createdAt,
    expiresAt,
    ...seen(deps, { expiresAt, ip: null }, context),
    userAgent: context.userAgent,
    endedAt: null,
    endReason: null,
  }
}

// An open socket keeps its session in use without any request; the address is then still the last one known.
function seen(
  { clock, lifetimes }: SessionsDeps,
  { expiresAt, ip }: Pick<SessionRecord, 'expiresAt' | 'ip'>,
  context: RequestContext,
): SessionSeen {
  const lastSeenAt = clock()
  return { lastSeenAt, idleExpiresAt: earlier(after(lastSeenAt, lifetimes.sessionIdle), expiresAt), ip: context.ip ?? ip }
}

async function endOne(deps: SessionsDeps, session: SessionName, reason: EndReason, context: RequestContext): Promise<boolean> {
  const ended = await deps.store.end(session.id, reason, deps.clock()).catch((error: unknown) => {
    // The store may have ended it before its answer was lost.
    deps.revocations.doubt(session.userId)
    throw error
  })
  // Told even when somebody else ended it: whoever asked for the end must find it gone here as well.
  if (ended) await tellAll(deps, [session], reason, context)
  else await deps.revocations.announce([asEvent(session, reason, deps.clock())])
  return ended
}

async function tellAll(
  deps: SessionsDeps,
  ended: readonly SessionName[],
  reason: EndReason,
  context: RequestContext,
): Promise<void> {
  for (const { id: sessionId, userId } of ended) deps.audit({ type: 'session.ended', userId, sessionId, reason }, context)
  await deps.revocations.announce(ended.map((session) => asEvent(session, reason, deps.clock())))
}

async function endAll(
  deps: SessionsDeps,
  userId: string,
  reason: EndReason,
  context: RequestContext,
  exceptId: string | undefined,
): Promise<number> {
  const { store, clock, revocations } = deps
  const endThem = async () => {
    const ids = await store.endAllForUser(userId, reason, clock(), exceptId)
    const ended = ids.map((id) => ({ id, userId }))
    await tellAll(deps, ended, reason, context)
    return ids.length
  }
  try {
    // Once more, for a session that one of them opened while they were being ended, and that was not there yet for the first call.
    return (await endThem()) + (await endThem())
  } catch (error) {
    // The store may have ended them before its answer was lost, and a second try would then find nothing to tell of.
    revocations.doubt(userId)
    throw error
  }
}

/** Few enough that nobody waits long for them; whoever has more too many loses them with the next sign-ins. */
const mostEvictions = 20

// By one order that all sign-ins agree on, so that two at once do not end each other. Of two in the same millisecond the one may go
// that has just come; nobody could say which of them was the newer.
async function evictOldest(deps: SessionsDeps, { userId }: SessionRecord, context: RequestContext): Promise<void> {
  const live = await deps.store.listForUser(userId, deps.clock())
  const tooMany = Math.min(mostEvictions, live.length - deps.maxSessionsPerUser)
  if (tooMany <= 0) return
  const oldestFirst = live.sort((one, other) => (isOlder(one, other) ? -1 : 1))
  await Promise.all(oldestFirst.slice(0, tooMany).map((session) => endOne(deps, session, 'evicted', context)))
}

function isOlder(one: SessionRecord, other: SessionRecord): boolean {
  const difference = one.createdAt.getTime() - other.createdAt.getTime()
  return difference < 0 || (difference === 0 && one.id < other.id)
}

function asEvent({ id, userId }: SessionName, reason: EndReason, at: Date) {
  return { sessionId: id, userId, reason, at }
}

function isLiveAt({ endedAt, idleExpiresAt, expiresAt }: SessionRecord, now: Date): boolean {
  const moment = now.getTime()
  return endedAt === null && moment < idleExpiresAt.getTime() && moment < expiresAt.getTime()
}

function after(moment: Date, seconds: number): Date {
  return new Date(moment.getTime() + seconds * 1000)
}

function earlier(one: Date, other: Date): Date {
  return one < other ? one : other
}
