import { type HostCall, UnexpectedAnswer } from '../lib/host-call.js'
import { sha256 } from '../lib/secrets.js'
import type { Principal } from '../principal/principal.js'
import type { TokenSigner } from '../signers/contract.js'
import type { OpenSockets, SocketEntry } from './open-sockets.js'

// A socket outlives the request that opened it, and the key that signed its token may be removed
// meanwhile. So we remember for each principal which key signed its token.

// The facts are kept beside the principal, which the host reads. `head`: the header of a token that
// was not parsed yet.
interface Noted {
  readonly mark: string | null
  readonly head: string | null
}
const noted = new WeakMap<Principal, Noted>()

/** Remembers the key of a principal by its digest; null if no key signed its credentials. */
export function noteKey(principal: Principal, mark: string | null): void {
  noted.set(principal, { mark, head: null })
}

/** Remembers the key of a verified token. The header is parsed only when the key is asked for. */
export function noteKeyOfToken(principal: Principal, token: string): void {
  // Runs on every guarded request, and few of them open a socket: nothing is hashed or parsed here.
  noted.set(principal, { mark: null, head: token.slice(0, token.indexOf('.')) })
}

/** The digest of the principal's key id; null if no key signed its credentials. */
export function keyMarkOf(principal: Principal): string | null {
  const known = noted.get(principal)
  if (known === undefined) return null
  if (known.head === null) return known.mark
  const mark = markIn(known.head)
  noted.set(principal, { mark, head: null })
  return mark
}

// The digest of the `kid` in a token's header; null without one.
function markIn(head: string): string | null {
  try {
    const header: unknown = JSON.parse(Buffer.from(head, 'base64url').toString('utf8'))
    const kid = new Map(Object.entries(header ?? {})).get('kid')
    return typeof kid === 'string' ? sha256(kid) : null
  } catch {
    // The host's own signer may make tokens of another format.
    return null
  }
}

/** Asks for the digests of the ids of all valid keys. Rejects with 503. */
export type AskForKeys = () => Promise<ReadonlySet<string>>

/** Null for a signer that does not list its keys. */
export function createAskForKeys(
  signer: Pick<TokenSigner, 'keyIds'>,
  call: HostCall,
): AskForKeys | null {
  const keyIds = signer.keyIds?.bind(signer)
  if (keyIds === undefined) return null
  return () => call('signer.keyIds', keyIds, marksOf)
}

function marksOf(kids: unknown): ReadonlySet<string> {
  const isList = Array.isArray(kids) && kids.length > 0
  if (!isList || !kids.every((kid): kid is string => typeof kid === 'string'))
    throw new UnexpectedAnswer('the signer did not return a list of key ids')
  // A digest has a fixed length; a key id may be any text.
  return new Set(kids.map((kid) => sha256(kid)))
}

/** Ticks between two questions to the signer, if tokens signed by it have opened sockets. */
const ticksBetweenKeys = 60

/**
 * Returns a function, called at each tick, that closes the sockets of removed keys. Requests with a
 * token of such a key are refused; a thief who had the key must not keep a socket until the token
 * expires.
 *
 * @param askForKeys - null if the signer does not list its keys
 */
export function createCloseByKey(
  open: Pick<OpenSockets<unknown>, 'all' | 'has'>,
  askForKeys: AskForKeys | null,
  close: (entry: SocketEntry) => void,
): (tick: number) => Promise<void> {
  return async function closeByKey(tick) {
    if (askForKeys === null || tick % ticksBetweenKeys !== 0) return
    const signed = open.all().flatMap(withMark)
    // An outage proves nothing about a key.
    const known = signed.length === 0 ? null : await askForKeys().catch(() => null)
    for (const { entry, principal, mark } of signed) {
      // A socket renewed meanwhile may have a key that did not exist when we asked.
      const isStill = open.has(entry) && entry.principal === principal
      if (isStill && known?.has(mark) === false) close(entry)
    }
  }
}

function withMark(entry: SocketEntry) {
  const { principal } = entry
  const mark = keyMarkOf(principal)
  return mark === null ? [] : [{ entry, principal, mark }]
}
