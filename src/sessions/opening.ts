import { type Audit, type AuthEventBody, noRequest, type RequestContext } from '../audit/events.js'
import type { ConsumeResult } from '../stores/code-contract.js'
import type { RefreshState, SessionKind, SessionRecord, SessionStore } from '../stores/contract.js'
import { oldestFirst } from '../stores/oldest-first.js'
import type { ApprovedSignIn } from './approved-sign-in.js'
import type { SessionEnding } from './ending.js'
import { withLiveParents } from './ends-with-parent.js'
import type { PasswordMarks, PasswordWatch } from './password-watch.js'
import { createReplaceFormer, formerAmong, replacesFormer } from './replacing.js'
import type { AskedLifetime, SessionTimes } from './session-times.js'
import { isStandIn, standInId } from './stand-in.js'

/** What a new session is made of. */
export interface NewSession {
  readonly id: string
  readonly approved: ApprovedSignIn
  readonly kind: SessionKind
  readonly scope: string
  readonly authenticatedAt: Date
  readonly refresh: RefreshState | null
  /** Of the secret that it is shown by; left out where it is shown by signed tokens. */
  readonly secretHash?: string
  /** Left out: the router's own. */
  readonly lifetime?: AskedLifetime | undefined
  /** By which password hash it stands or falls. Left out: by that of the user who was approved. */
  readonly marks?: PasswordMarks | undefined
  /** What its user knows it by. Left out: what the program that sends the request is. */
  readonly name?: string
  /** The client that it is opened for. */
  readonly clientId?: string
  /** The session that it ends with. */
  readonly parentId?: string
  /** The APIs that its client was granted. */
  readonly resources?: readonly string[]
  /** The session that it is opened from; it ends with that one only where `parentId` says so. */
  readonly openedBySessionId?: string
  /** It ends here at the latest. Left out: by the router's times alone. */
  readonly until?: Date | undefined
}

/** Opens sessions; a user's oldest ones make room for them. */
export interface SessionOpening {
  /**
   * The record of a session that does not exist yet, so that its token can be signed before
   * anything is stored.
   */
  draft(session: NewSession, context: RequestContext): SessionRecord
  /**
   * Stores a drafted session; from here on its tokens are good. A user with too many sessions then
   * loses the oldest.
   */
  start(session: SessionRecord, context: RequestContext): Promise<void>
  /**
   * The same for the session that a code opens: stored only if this call is the one that used the
   * code up. The oldest do not yet make room: one of them may be the session that asked for the
   * code, and whether that is alive is still asked.
   */
  startByCode(
    codeHash: string,
    session: SessionRecord,
    context: RequestContext,
  ): Promise<ConsumeResult>
  /**
   * The oldest make room for a session that a code has opened, and before them those in whose place
   * there is a newer one. Where it has a parent, the former ones of the same client and parent end
   * in a minute.
   */
  makeRoom(session: SessionRecord, context: RequestContext): Promise<void>
  /**
   * Stores a session without any token, for a code that the host asks for: it ends when the user's
   * sessions are ended, or at `until`, and no list shows it. Answers its id.
   */
  standIn(approved: ApprovedSignIn, scope: string, until: Date): Promise<string>
  /** A user's live sessions, the oldest first. */
  listForUser(userId: string): Promise<SessionRecord[]>
}

export interface SessionOpeningDeps {
  readonly store: Pick<SessionStore, 'create' | 'listForUser' | 'countForUser' | 'touch'>
  /** Uses a code up and stores the session it opens. */
  readonly redeem: (codeHash: string, session: SessionRecord, now: Date) => Promise<ConsumeResult>
  readonly maxSessionsPerUser: number
  /** Whether sessions end with the hash they were opened by. */
  readonly passwordWatch: Pick<PasswordWatch, 'marksOf'>
  readonly clock: () => Date
  readonly audit: Audit
}

/** The most of one user at one client. */
const maxSessionsPerClient = 10

/** At most this many per sign-in, so that nobody waits long; later sign-ins evict the rest. */
const maxEvictions = 20

/** Makes what opens sessions. */
export function createSessionOpening(
  deps: SessionOpeningDeps,
  times: SessionTimes,
  end: SessionEnding['end'],
): SessionOpening {
  const { store, redeem, maxSessionsPerUser, clock, audit } = deps
  const replaceFormer = createReplaceFormer({ store, clock })
  const draft = createDraft(times, deps.passwordWatch, clock)

  async function listForUser(userId: string): Promise<SessionRecord[]> {
    const live = withLiveParents(await store.listForUser(userId, clock()))
    return live.filter(({ id }) => !isStandIn(id))
  }

  // Most users have a few sessions: their number is asked before the rows, which are a list to read
  // with every sign-in.
  async function hasRoom({ userId }: SessionRecord, most: number): Promise<boolean> {
    const count = await store.countForUser?.(userId, clock())
    return count !== undefined && count <= most
  }

  async function makeRoom(session: SessionRecord, context: RequestContext): Promise<void> {
    const most = session.kind === 'oauth' ? maxSessionsPerClient : maxSessionsPerUser
    const evictOldest = async () => {
      if (!replacesFormer(session) && (await hasRoom(session, most))) return
      const live = await listForUser(session.userId)
      // Never the one that it was opened by: it would be over with it.
      const rivals = live.filter(
        (other) => other.id !== session.parentId && isRival(session, other),
      )
      const evicted = surplusOf(rivals, most)
      const evicting = evicted.map((one) => end(one, 'evicted', context))
      await Promise.all([...evicting, replaceFormer(session, live)])
    }
    // The call that failed has been reported. The new session stays; the next sign-in makes room.
    await evictOldest().catch(() => {})
  }

  return {
    draft,

    async start(session, context) {
      await store.create(session)
      audit(startOf(session), context)
      await makeRoom(session, context)
    },

    async startByCode(codeHash, session, context) {
      const result = await redeem(codeHash, session, clock())
      if (result.outcome === 'consumed') audit(startOf(session), context)
      return result
    },

    makeRoom,

    async standIn(approved, scope, until) {
      const authenticatedAt = clock()
      const given = { approved, kind: 'pkce', scope, authenticatedAt, refresh: null } as const
      const session = draft({ id: standInId(), ...given }, noRequest)
      await store.create({ ...session, idleExpiresAt: until, expiresAt: until })
      return session.id
    },

    listForUser,
  }
}

function createDraft(
  times: SessionTimes,
  passwordWatch: SessionOpeningDeps['passwordWatch'],
  clock: () => Date,
): SessionOpening['draft'] {
  return function draft({ approved, lifetime: asked, marks, until, name, ...given }, context) {
    const createdAt = clock()
    // Left out of the record of a session that lives as long as the router's own.
    const own = asked === undefined ? {} : { lifetime: times.withinOwn(asked) }
    const end = times.absoluteEnd(createdAt, given.authenticatedAt, own.lifetime)
    const expiresAt = until !== undefined && until < end ? until : end
    const { kind, parentId } = given
    const ofParent = parentId === undefined ? {} : { parentId }
    return {
      ...given,
      ...own,
      ...(marks ?? passwordWatch.marksOf(approved.user)),
      userId: approved.user.id,
      methods: approved.methods,
      createdAt,
      expiresAt,
      ...times.seen({ kind, expiresAt, ip: null, ...own, ...ofParent }, context),
      userAgent: name ?? context.userAgent,
      endedAt: null,
      endReason: null,
    }
  }
}

// A bot must not lose its token because its maker signs in often, nor take up their room; nor must
// an app the room of its user's devices, or of another app.
function isRival(session: SessionRecord, other: SessionRecord): boolean {
  if (session.kind === 'oauth') return other.kind === 'oauth' && other.clientId === session.clientId
  return other.kind !== 'token' && other.kind !== 'oauth'
}

// By one order that all sign-ins agree on, so that two at once do not end each other. Of two
// sessions of the same millisecond either may go: which was the newer is not known.
function surplusOf(live: readonly SessionRecord[], maxSessionsPerUser: number): SessionRecord[] {
  const surplus = Math.min(maxEvictions, live.length - maxSessionsPerUser)
  if (surplus <= 0) return []
  // What is over in a minute anyhow must push out none that is in use.
  const former = formerAmong(live)
  const others = live.filter((one) => !former.includes(one)).toSorted(oldestFirst)
  return [...former, ...others].slice(0, surplus)
}

/** The event of a session that began. */
export function startOf({ userId, id: sessionId, kind, methods }: SessionRecord): AuthEventBody {
  return { type: 'session.started', userId, sessionId, kind, methods }
}
