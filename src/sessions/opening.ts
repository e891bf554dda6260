import { type AuthEventBody, noRequest, type RequestContext } from '../audit/events.js'
import type { RefreshState, SessionKind, SessionRecord } from '../stores/contract.js'
import type { ConsumeResult } from '../stores/one-time-contract.js'
import { oldestFirst } from '../stores/stored-values.js'
import type { ApprovedSignIn } from './approved-sign-in.js'
import type { SessionEnding } from './ending.js'
import { goesByParent, withLiveParents } from './ends-with-parent.js'
import type { PasswordMarks } from './password-watch.js'
import { isPlaceholder, placeholderId } from './placeholder-session.js'
import type { SessionRowsKit } from './rows-kit.js'
import type { AskedLifetime, SessionTimes } from './session-times.js'

/** The data of a new session. */
export interface NewSession {
  readonly id: string
  readonly approved: ApprovedSignIn
  readonly kind: SessionKind
  readonly scope: string
  readonly authenticatedAt: Date
  readonly refresh: RefreshState | null
  /** The hash of the secret that presents it; left out if signed tokens do. */
  readonly secretHash?: string
  /** Default: the router's lifetimes. */
  readonly lifetime?: AskedLifetime | undefined
  /**
   * The marks of the password hash that the session depends on. Default: the marks of the approved
   * user's hash.
   */
  readonly marks?: PasswordMarks | undefined
  /** The name its user knows it by. Default: the user agent. */
  readonly name?: string
  /** The OAuth client it is opened for. */
  readonly clientId?: string
  /** The session that it ends with. */
  readonly parentId?: string
  /** The APIs granted to its client. */
  readonly resources?: readonly string[]
  /** The session it is opened from; it ends with that one only if `parentId` says so. */
  readonly openedBySessionId?: string
  /** The identity at a provider that opens it. Default: none. */
  readonly upstream?: string | undefined
  /** Who acts in it. Default: its user. */
  readonly actorId?: string
  /** The session of that actor, which it ends with. */
  readonly actorSessionId?: string
  /** Its latest end. Default: only the router's lifetimes. */
  readonly until?: Date | undefined
}

/** Opens sessions; a user's oldest sessions make room for them. */
export interface SessionOpening {
  /** The record of a session that is not stored yet, so that its token can be signed first. */
  draft(session: NewSession, context: RequestContext): SessionRecord
  /**
   * Stores a drafted session; from now on its tokens are valid. A user with too many sessions then
   * loses the oldest, unless `makesRoom` is false.
   */
  start(session: SessionRecord, context: RequestContext, makesRoom?: boolean): Promise<void>
  /**
   * Stores a drafted session unless its id is taken: of several callers one gets true. It is nobody
   * else's, so it takes no room of other sessions.
   */
  startUnlessThere(session: SessionRecord, context: RequestContext): Promise<boolean>
  /**
   * Stores the session of a code, if this call is the one that used the code up; the caller reports
   * it ({@link startOf}). It does not evict: the oldest session may be the one that asked for the
   * code, and whether that is alive is still to be checked.
   */
  startByCode(codeHash: string, session: SessionRecord): Promise<ConsumeResult>
  /**
   * Evicts the oldest sessions after a code has opened one; sessions that a newer one has already
   * replaced go first. If the new session has a parent, former sessions of the same client and
   * parent end in a minute.
   */
  makeRoom(session: SessionRecord, context: RequestContext): Promise<void>
  /**
   * Stores a placeholder session for a code that the host asks for. It ends with the user's
   * sessions or at `until`, and no list shows it. Returns its id.
   */
  startPlaceholder(approved: ApprovedSignIn, scope: string, until: Date): Promise<string>
  /** A user's live sessions, oldest first. */
  listForUser(userId: string): Promise<SessionRecord[]>
}

/** Kinds that do not count as devices. */
const ofNoDevice: readonly string[] = ['token', 'oauth', 'service', 'acting']

/** Sessions of one user at one client. */
const maxSessionsPerClient = 10

/** Evictions per sign-in, so that nobody waits long; later sign-ins evict the rest. */
const maxEvictions = 20

export function createSessionOpening(
  kit: SessionRowsKit,
  times: SessionTimes,
  end: SessionEnding['end'],
): SessionOpening {
  const { store, createUnlessThere, redeem, maxSessionsPerUser, clock, audit } = kit
  const draft = createDraft(times, kit)

  async function listForUser(userId: string): Promise<SessionRecord[]> {
    const live = withLiveParents(await store.listForUser(userId, clock()))
    return withLiveActors(live.filter(({ id }) => !isPlaceholder(id)))
  }

  // The session of an actor is in the list of another user.
  async function withLiveActors(sessions: SessionRecord[]): Promise<SessionRecord[]> {
    const ofActors = sessions.flatMap(({ actorSessionId: id }) => (id === undefined ? [] : [id]))
    if (ofActors.length === 0) return sessions
    const live = new Set(await store.liveAmong(ofActors, clock()))
    return sessions.filter(({ actorSessionId: id }) => id === undefined || live.has(id))
  }

  function makeRoom(session: SessionRecord, context: RequestContext): Promise<void> {
    const { kind, userId } = session
    const most = kind === 'oauth' ? maxSessionsPerClient : maxSessionsPerUser
    if (replacesFormer(session) || store.countForUser === undefined)
      return evict(session, most, context)
    // Most users have few sessions: counting them avoids reading the whole list at every sign-in.
    return store.countForUser(userId, clock()).then(
      (count) => (count <= most ? undefined : evict(session, most, context)),
      () => {},
    )
  }

  async function evict(
    session: SessionRecord,
    most: number,
    context: RequestContext,
  ): Promise<void> {
    try {
      const live = await listForUser(session.userId)
      // The parent is never evicted: the new session would end with it.
      const rivals = live.filter((one) => one.id !== session.parentId && isRival(session, one))
      const evicted = surplusOf(rivals, most)
      const evicting = evicted.map((one) => end(one, 'evicted', context))
      await Promise.all([...evicting, replaceFormer(kit, session, live)])
    } catch {
      // The failed call has reported itself. The new session stays; the next sign-in makes room.
    }
  }

  return {
    draft,

    start: (session, context, makesRoom = true) =>
      store.create(session).then(() => {
        audit(startOf(session), context)
        return makesRoom ? makeRoom(session, context) : undefined
      }),

    async startUnlessThere(session, context) {
      const isMine = await createUnlessThere(session)
      if (isMine) audit(startOf(session), context)
      return isMine
    },

    startByCode: (codeHash, session) => redeem(codeHash, session, clock()),

    makeRoom,

    async startPlaceholder(approved, scope, until) {
      const authenticatedAt = clock()
      const given = { approved, kind: 'pkce', scope, authenticatedAt, refresh: null } as const
      const session = draft({ id: placeholderId(), ...given }, noRequest)
      await store.create({ ...session, idleExpiresAt: until, expiresAt: until })
      return session.id
    },

    listForUser,
  }
}

function createDraft(
  times: SessionTimes,
  { passwordWatch, clock }: SessionRowsKit,
): SessionOpening['draft'] {
  return function draft(
    { approved, lifetime: asked, marks, until, name, upstream, ...given },
    context,
  ) {
    const createdAt = clock()
    // Only sessions with a lifetime of their own store a lifetime.
    const own = asked === undefined ? {} : { lifetime: times.withinOwn(asked) }
    const end = times.absoluteEnd(createdAt, given.authenticatedAt, own.lifetime)
    const expiresAt = until !== undefined && until < end ? until : end
    const { kind, parentId } = given
    const ofParent = parentId === undefined ? {} : { parentId }
    // Spread last: V8 takes a microsecond for each new member that follows a spread.
    return {
      userId: approved.user.id,
      methods: approved.methods,
      createdAt,
      expiresAt,
      userAgent: name ?? context.userAgent,
      endedAt: null,
      endReason: null,
      ...times.seen({ kind, expiresAt, ip: null, ...own, ...ofParent }, context),
      ...given,
      ...own,
      ...(upstream === undefined ? {} : { upstream }),
      ...(marks ?? passwordWatch.marksOf(approved.user)),
    }
  }
}

// A bot must not lose its token because its owner signs in often, and must not take room from the
// owner's devices. An app or a service must not take room from devices or from another app.
function isRival(session: SessionRecord, other: SessionRecord): boolean {
  if (session.kind === 'oauth') return other.kind === 'oauth' && other.clientId === session.clientId
  return !ofNoDevice.includes(other.kind)
}

// All sign-ins evict in the same order, so that two at once do not evict each other. Of two
// sessions of the same millisecond either may go: nobody knows which is newer.
function surplusOf(live: readonly SessionRecord[], maxSessionsPerUser: number): SessionRecord[] {
  const surplus = Math.min(maxEvictions, live.length - maxSessionsPerUser)
  if (surplus <= 0) return []
  // Sessions that end within a minute anyway go first, before any in use.
  const former = formerAmong(live)
  const others = live.filter((one) => !former.includes(one)).toSorted(oldestFirst)
  return [...former, ...others].slice(0, surplus)
}

/** The event of a started session. */
export function startOf({ userId, id: sessionId, kind, methods }: SessionRecord): AuthEventBody {
  return { type: 'session.started', userId, sessionId, kind, methods }
}

/** How long an app's former session stays valid: another tab may use it. */
const appOverlapMs = 60_000

/**
 * If two tabs sign their browser in at once, nobody knows whose cookie it keeps. This is longer
 * than it takes to record a session in use, so the one in use stays and the other ends.
 */
const browserOverlapMs = 5 * 60_000

/**
 * Ends former sessions in the same place: all but the newest session of one app in one browser end
 * in a minute; all but the newest of a browser signed in by one web app end in five minutes, unless
 * in use.
 *
 * No timer: the store keeps the end, as an idle end. For an app's session nothing moves it later,
 * since the use of such sessions is not recorded. Of several sessions opened at once, each checks
 * after it was stored and gives way to a newer session. So the last session to check sees all of
 * them, and one session stays.
 *
 * @param session - a session that has just been stored
 * @param live - all live sessions of its user
 */
async function replaceFormer(
  { store, clock }: SessionRowsKit,
  session: SessionRecord,
  live: readonly SessionRecord[],
): Promise<void> {
  const place = placeOf(session)
  if (place === null) return
  const overlapMs = session.kind === 'browser' ? browserOverlapMs : appOverlapMs
  const idleExpiresAt = new Date(clock().getTime() + overlapMs)
  await Promise.all(
    formerAmong(live.filter((one) => placeOf(one) === place))
      // Only ever earlier: a sign-in every half a minute must not keep all of them alive.
      .filter((one) => one.idleExpiresAt > idleExpiresAt)
      .map(({ id, lastSeenAt, ip }) => store.touch(id, { lastSeenAt, idleExpiresAt, ip })),
  )
}

/** Whether a session replaces former ones. */
function replacesFormer(session: SessionRecord): boolean {
  return placeOf(session) !== null
}

/** The sessions replaced by a newer one, oldest first. */
function formerAmong(sessions: readonly SessionRecord[]): SessionRecord[] {
  const replaceable = sessions.filter((one) => placeOf(one) !== null).toSorted(oldestFirst)
  const newest = new Map(replaceable.map((one) => [placeOf(one), one]))
  return replaceable.filter((one) => newest.get(placeOf(one)) !== one)
}

/**
 * Whether an app's session, read from the store, has been replaced by a newer one in the same
 * browser. Only that moves its idle end.
 */
export function isReplaced(session: SessionRecord): boolean {
  return goesByParent(session) && session.idleExpiresAt < session.expiresAt
}

// Sessions with the same place replace each other: the sessions of one app in one browser, or of a
// browser signed in by one web app. Null for all others.
function placeOf(session: SessionRecord): string | null {
  const { kind, clientId, parentId } = session
  const isBrowserOfApp = kind === 'browser' && parentId !== undefined
  if (!isBrowserOfApp && !goesByParent(session)) return null
  return JSON.stringify([kind, parentId, clientId])
}
