import type { Proofs } from '../accounts/proofs.js'
import type { RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import { sha256 } from '../lib/digest.js'
import type { Identity } from '../providers/contract.js'
import type { SessionRecord } from '../stores/contract.js'
import type { ProofPurpose } from '../stores/proof-contract.js'

type Named = Pick<Identity, 'issuer' | 'subject'>

/** Names an identity in events, and in the sessions that it opens. */
export function identityDigest({ issuer, subject }: Named): string {
  return sha256(JSON.stringify([issuer, subject]))
}

/** What a session is recognised by when its provider ends it: its member `upstream`. */
export function upstreamOf(provider: string, identity: Named & Pick<Identity, 'sid'>): string {
  const { issuer, sid } = identity
  const session = sid === undefined ? [] : [sidDigest(issuer, sid)]
  return [provider, identityDigest(identity), ...session].join(' ')
}

/** Whether the session was opened by this identity, and by this session there if it is given. */
export function isOpenedBy(
  { upstream = '' }: Pick<SessionRecord, 'upstream'>,
  provider: string,
  digests: { readonly identity?: string | undefined; readonly session?: string | undefined },
): boolean {
  const [by, identity, session] = upstream.split(' ')
  if (by !== provider) return false
  const isIdentity = digests.identity === undefined || digests.identity === identity
  return isIdentity && (digests.session === undefined || digests.session === session)
}

/** Names a session at a provider. */
export function sidDigest(issuer: string, sid: string): string {
  return sha256(JSON.stringify(['sid', issuer, sid]))
}

/**
 * Notes a name until it expires. False if it is noted already: of several calls one gets true.
 * Rejects with 503.
 */
export async function noteOnce(
  proofs: Pick<Proofs, 'openLink' | 'findLink'>,
  purpose: ProofPurpose,
  { name, userId, lifetime }: { name: string; userId: string | null; lifetime: number },
  context: RequestContext,
): Promise<boolean> {
  const token = sha256(name)
  try {
    await proofs.openLink({ purpose, userId, mark: null, sealed: {}, lifetime }, token)
    return true
  } catch (error) {
    // Also where the store was away: then this rejects as well.
    if (await isNoted(proofs, purpose, token, context)) return false
    throw error
  }
}

/** Whose name it is; null if it is not noted. Rejects with 503. */
export async function notedUser(
  proofs: Pick<Proofs, 'findLink'>,
  purpose: ProofPurpose,
  name: string,
  context: RequestContext,
): Promise<string | null> {
  const noted = await find(proofs, purpose, sha256(name), context)
  return noted?.record.userId ?? null
}

async function isNoted(
  proofs: Pick<Proofs, 'findLink'>,
  purpose: ProofPurpose,
  token: string,
  context: RequestContext,
): Promise<boolean> {
  return (await find(proofs, purpose, token, context)) !== null
}

async function find(
  proofs: Pick<Proofs, 'findLink'>,
  purpose: ProofPurpose,
  token: string,
  context: RequestContext,
) {
  try {
    return await proofs.findLink(purpose, token, context)
  } catch (error) {
    if (error instanceof AuthError && error.code === 'proof-refused') return null
    throw error
  }
}
