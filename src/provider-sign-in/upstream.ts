import { findNote, noteOnce } from '../accounts/noted-names.js'
import type { Proofs } from '../accounts/proofs.js'
import type { RequestContext } from '../audit/events.js'
import { sha256 } from '../lib/secrets.js'
import type { SessionRecord } from '../stores/contract.js'
import type { Vouched } from './tickets.js'

/** Names an identity in events, and in the sessions that it opens. */
export function identityDigest({
  accounts,
  identity: { subject },
}: Pick<Vouched, 'accounts'> & { readonly identity: { readonly subject: string } }): string {
  return sha256(JSON.stringify([accounts, subject]))
}

/** The member `upstream` of a session, which recognises the session when its provider ends it. */
export function upstreamOf(
  vouched: Pick<Vouched, 'provider' | 'accounts'> & {
    readonly identity: Pick<Vouched['identity'], 'subject' | 'sid'>
  },
): string {
  const { provider, identity } = vouched
  const session = identity.sid === undefined ? [] : [sidDigest(provider, identity.sid)]
  return [provider, identityDigest(vouched), ...session].join(' ')
}

/**
 * Whether the session was opened by this identity, and by this session there if it is given.
 * `provider`: null for all of the identity's, since two providers may have the same accounts.
 */
export function isOpenedBy(
  { upstream = '' }: Pick<SessionRecord, 'upstream'>,
  provider: string | null,
  digests: { readonly identity?: string | undefined; readonly session?: string | undefined },
): boolean {
  const [by, identity, session] = upstream.split(' ')
  if (provider !== null && by !== provider) return false
  const isIdentity = digests.identity === undefined || digests.identity === identity
  return isIdentity && (digests.session === undefined || digests.session === session)
}

/** Names a session at a provider. */
export function sidDigest(provider: string, sid: string): string {
  return sha256(JSON.stringify(['sid', provider, sid]))
}

/** A session at a provider, by its digest, and how many seconds one of ours may outlive it. */
interface SessionThere {
  readonly digest: string
  readonly lifetime: number
  readonly now: Date
}

/** Notes whose session it is there, while it can have opened one of ours. Rejects with 503. */
export async function noteSession(
  proofs: Pick<Proofs, 'openLink' | 'findLink'>,
  there: SessionThere & { readonly subject: string },
  context: RequestContext,
): Promise<void> {
  const [name] = namesOf(there)
  const { subject } = there
  const noted = { name, lifetime: 2 * there.lifetime, sealed: { subject } }
  await noteOnce(proofs, 'upstream', noted, context)
}

/**
 * The subject whose session it is there; null if none of ours was opened by it. The note does not
 * name the user: the account may be connected with another user by now. Rejects with 503.
 */
export async function notedSubject(
  proofs: Pick<Proofs, 'findLink'>,
  there: SessionThere,
  context: RequestContext,
): Promise<string | null> {
  for (const name of namesOf(there)) {
    const subject = (await findNote(proofs, 'upstream', name, context))?.sealed['subject']
    if (typeof subject === 'string') return subject
  }
  return null
}

// A note cannot be renewed, and a session there may open another one of ours on the last day of the
// note. So there is a note for each period, which lasts for the next one, too.
function namesOf({ digest, lifetime, now }: SessionThere): readonly [string, string] {
  const period = Math.floor(now.getTime() / (lifetime * 1000))
  return [`${digest} ${period}`, `${digest} ${period - 1}`]
}
