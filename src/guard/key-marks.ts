import { sha256 } from '../lib/digest.js'
import { type HostCall, UnexpectedAnswer } from '../lib/host-call.js'
import type { Principal } from '../principal/principal.js'
import type { TokenSigner } from '../signers/contract.js'

// A socket outlives the request that opened it, and the key by which its token was signed may be
// taken out meanwhile. So of each principal it is known which key that was.

// Beside the principal, which is the host's to read. `head`: of a token that was not looked at yet.
interface Noted {
  readonly mark: string | null
  readonly head: string | null
}
const noted = new WeakMap<Principal, Noted>()

/** Notes the key of a principal by its mark; null where what it has shown was signed by none. */
export function noteKey(principal: Principal, mark: string | null): void {
  noted.set(principal, { mark, head: null })
}

/** Notes the key of a principal who has shown a verified token. Read when it is asked for. */
export function noteKeyOfToken(principal: Principal, token: string): void {
  // At each guarded request, of which hardly any opens a socket: nothing is hashed or parsed here.
  noted.set(principal, { mark: null, head: token.slice(0, token.indexOf('.')) })
}

/** The mark of the key of a principal; null for one that goes by no key. */
export function keyMarkOf(principal: Principal): string | null {
  const known = noted.get(principal)
  if (known === undefined) return null
  if (known.head === null) return known.mark
  const mark = markIn(known.head)
  noted.set(principal, { mark, head: null })
  return mark
}

// The mark of the key that the head of a token names; null where it names none.
function markIn(head: string): string | null {
  try {
    const header: unknown = JSON.parse(Buffer.from(head, 'base64url').toString('utf8'))
    const kid = new Map(Object.entries(header ?? {})).get('kid')
    return typeof kid === 'string' ? markOf(kid) : null
  } catch {
    // A signer of the host's may make tokens of another form.
    return null
  }
}

/** Asks for the marks of the keys whose tokens are good. Rejects with 503. */
export type AskForKeys = () => Promise<ReadonlySet<string>>

/** Makes it; null for a signer that does not say which keys it has. */
export function createAskForKeys(
  signer: Pick<TokenSigner, 'keyIds'>,
  call: HostCall,
): AskForKeys | null {
  const keyIds = signer.keyIds?.bind(signer)
  if (keyIds === undefined) return null
  return () => call('signer.keyIds', async () => marksOf(await keyIds()))
}

function marksOf(kids: unknown): ReadonlySet<string> {
  const isList = Array.isArray(kids) && kids.length > 0
  if (!isList || !kids.every((kid): kid is string => typeof kid === 'string'))
    throw new UnexpectedAnswer('the signer answered something that is no list of key ids')
  return new Set(kids.map(markOf))
}

// Of one length, since an id may be any text.
function markOf(kid: string): string {
  return sha256(kid)
}
