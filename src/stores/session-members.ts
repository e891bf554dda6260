import { isDeepStrictEqual } from 'node:util'
import { AuthConfigError } from '../errors.js'
import { randomId } from '../lib/random.js'
import type { SessionRecord, SessionStore } from './contract.js'
import { moments, newWholeSession } from './new-records.js'
import { passOnce } from './pass-once.js'

/** The members of a session that a store of an earlier release does not know. */
type LaterMembers = Pick<
  SessionRecord,
  | 'secretHash'
  | 'passwordMark'
  | 'passwordMarkNext'
  | 'lifetime'
  | 'clientId'
  | 'parentId'
  | 'resources'
>

const names = Object.keys({
  secretHash: true,
  passwordMark: true,
  passwordMarkNext: true,
  lifetime: true,
  clientId: true,
  parentId: true,
  resources: true,
} satisfies Record<keyof LaterMembers, true>) as readonly (keyof LaterMembers)[]

// A host that uses none of them needs no store that knows them.
function hasLaterMembers(session: SessionRecord): boolean {
  return names.some((name) => session[name] !== undefined)
}

// Came later than the others: a store that signs in with those goes on doing so without it.
function withoutResources({ resources: _later, ...rest }: SessionRecord): SessionRecord {
  return rest
}

/**
 * Throws unless a session that was saved is found again with all of those members. Who drops one
 * would have every secret for none, or a session outlive its password, and nothing would fail.
 *
 * @throws AuthConfigError that names the members which are gone
 */
export async function checkLaterMembers(
  store: Pick<SessionStore, 'find'>,
  saved: SessionRecord,
): Promise<void> {
  const found = await store.find(saved.id)
  const lost = names.filter((name) => !isDeepStrictEqual(found?.[name], saved[name]))
  if (lost.length === 0) return
  throw new AuthConfigError(
    'sessions',
    `saved a session and found it again without its ${lost.join(', ')}, or with another.`,
    'keep every member of SessionRecord: with sqlStores() run migrateSql(); in a store of your ' +
      'own add a column for each, and run storeContract() from messaging-auth-router/testing.',
  )
}

/**
 * Makes what lets a session through that has one of those members: before the first of them, a row
 * of its own is saved, read back, compared and ended. One that opens nothing; `purge` deletes it a
 * minute later. Nothing is asked for any other session, or once the store has passed; `resources`
 * is asked for before the first session that has it.
 */
export function createMemberCheck(
  store: Pick<SessionStore, 'create' | 'find' | 'end'>,
): (session: SessionRecord) => Promise<void> {
  async function probe(like: (whole: SessionRecord) => SessionRecord): Promise<void> {
    const at = moments()
    const times = { idleExpiresAt: at(60), expiresAt: at(60) }
    const nothing = { userId: `mar-probe-${randomId()}`, scope: '', methods: [] }
    const session = like(newWholeSession(at, { ...nothing, ...times }))
    await store.create(session)
    try {
      await checkLaterMembers(store, session)
    } finally {
      await store.end(session.id, 'revoked', at(0))
    }
  }

  const pass = passOnce(() => probe(withoutResources))
  const passWhole = passOnce(() => probe((whole) => whole))
  return async function checkMembers(session) {
    if (session.resources !== undefined) await passWhole()
    else if (hasLaterMembers(session)) await pass()
  }
}
