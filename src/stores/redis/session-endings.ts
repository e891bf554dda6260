import { z } from 'zod'
import { randomId } from '../../lib/random.js'
import type { SessionStore, StoredReason } from '../contract.js'
import type { EndCutOff } from './cutoffs.js'
import { inChunks } from './in-chunks.js'
import type { OwnerIndex } from './owner-index.js'
import { readReply } from './replies.js'
import type { RunScript } from './scripts.js'
import {
  type OwnedSession,
  type Owner,
  type Owners,
  ownedSession,
  ownerShape,
} from './session-owners.js'
import { reasonText } from './session-rows.js'
import { endSession } from './session-scripts.js'

export interface SessionEndingsDeps {
  readonly run: RunScript
  readonly key: (id: string) => string
  readonly owners: Owners
  readonly index: OwnerIndex
  /** The session, unless it is not there or has ended. */
  readonly findLiving: (id: string) => Promise<OwnedSession | null>
}

type Endings = 'end' | 'endAllForUser' | 'endAllForClient' | 'endChildren'

/** Why and when, and names and values of the fields by which it must be the owners' session. */
interface Ending {
  readonly reason: StoredReason
  readonly now: Date
  readonly ownedBy: readonly string[]
}

const endedShape = z.tuple([...ownerShape]).nullable()

/** Makes what ends sessions, one or all of an owner. */
export function sessionEndings(deps: SessionEndingsDeps): Required<Pick<SessionStore, Endings>> {
  const { owners, index, findLiving } = deps

  async function endPage(ids: readonly string[], ending: Ending): Promise<string[]> {
    const found = await inChunks(ids, (id) => endOne(deps, id, ending))
    const ended = found.flatMap((session) => (session === null ? [] : [session]))
    await forget(deps, ended)
    return ended.map(({ id }) => id)
  }

  // The cutoff comes first: what is opened from then on is spared, and named by nobody.
  async function endAllOf(
    owner: Owner,
    ending: Ending,
    limit = Number.POSITIVE_INFINITY,
    indexedBy = owner,
  ): Promise<string[]> {
    await index.cutOff(owner, reasonText(ending.reason), ending.now, null)
    const all: string[] = []
    for await (const page of index.pagesOf(indexedBy)) {
      all.push(...(await endPage(page, ending)))
      if (all.length >= limit) break
    }
    return all
  }

  return {
    async end(id, reason, now) {
      const ended = await endPage([id], { reason, now, ownedBy: [] })
      return ended.length === 1
    },
    async endAllForUser(userId, reason, now, exceptId) {
      const except = exceptId === undefined ? null : await findLiving(exceptId)
      const owner = owners.user(userId)
      await index.cutOff(owner, reasonText(reason), now, except)
      const ids = (await index.idsOf(owner)).filter((id) => id !== exceptId)
      // With the user's id: a refused duplicate can leave somebody else's session in this user's
      // index.
      return endPage(ids, { reason, now, ownedBy: ['user', userId] })
    },
    endAllForClient(clientId, { userId, limit }, reason, now) {
      const ending = { reason, now, ownedBy: ['client', clientId] }
      if (userId === undefined) return endAllOf(owners.client(clientId), ending, limit)
      const ownedBy = [...ending.ownedBy, 'user', userId]
      const pair = owners.pair(clientId, userId)
      return endAllOf(pair, { ...ending, ownedBy }, limit, owners.user(userId))
    },
    endChildren: (parentId, reason, now) =>
      endAllOf(owners.parent(parentId), { reason, now, ownedBy: ['parent', parentId] }),
  }
}

/**
 * Ends a session that a cutoff has ended, in its own row. The mark is not one of a call: it tells
 * `openAfter` whose doing it was.
 */
export function endCutOff(deps: Pick<SessionEndingsDeps, 'run' | 'key'>): EndCutOff {
  return function endByCutoff({ id, after }, { field }, { reason, at }) {
    // As it was judged: the number moves on where the session was opened after the cutoff.
    return endOne(deps, id, { reason, now: at, ownedBy: [field, String(after[field])] }, 'cutoff')
  }
}

async function endOne(
  { run, key }: Pick<SessionEndingsDeps, 'run' | 'key'>,
  id: string,
  { reason, now, ownedBy }: Ending,
  attempt = randomId(),
): Promise<OwnedSession | null> {
  const args = [now.getTime(), reasonText(reason), attempt, ...ownedBy]
  const row = readReply(endedShape, await run(endSession, key(id), ...args), 'session')
  return row === null ? null : ownedSession(id, row)
}

async function forget(
  { owners, index }: SessionEndingsDeps,
  ended: readonly OwnedSession[],
): Promise<void> {
  const idsOf = new Map<string, { readonly owner: Owner; readonly ids: string[] }>()
  for (const session of ended)
    for (const owner of owners.of(session)) {
      const known = idsOf.get(owner.key)
      if (known === undefined) idsOf.set(owner.key, { owner, ids: [session.id] })
      else known.ids.push(session.id)
    }
  await inChunks([...idsOf.values()], ({ owner, ids }) => index.forget(owner, ids))
}
