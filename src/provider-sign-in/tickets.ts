import { isDeepStrictEqual } from 'node:util'
import type { FoundProof } from '../accounts/proofs.js'
import type { RequestContext } from '../audit/events.js'
import { ownMembers } from '../lib/check-options.js'
import { equalInConstantTime, sha256 } from '../lib/secrets.js'
import { verifierMatches } from '../pkce/authorization-code.js'
import type { Identity } from '../providers/contract.js'
import type { FlowGoal, LinkTo, ReturnedFlow } from './provider-flow.js'
import type { ProvidersKit } from './provider-kit.js'

/** Somebody whom a provider has identified, and the purpose of the flow. */
export interface Vouched {
  /** The id of the provider. */
  readonly provider: string
  /** The id that its accounts are stored under. */
  readonly accounts: string
  readonly identity: Omit<Identity, 'amr' | 'acr' | 'authenticatedAt'>
  /** When they signed in there, in milliseconds: 0 if it is not known, null if it counts as now. */
  readonly signedInAt: number | null
  /** Whether the provider's second factor counts here. */
  readonly hasMfa: boolean
  readonly linkTo: LinkTo | null
}

/** A ticket, and whom it vouches for. */
export interface FoundTicket extends Vouched {
  readonly proof: FoundProof
}

/** The proof that the ticket belongs to its owner, and the purpose that it must have. */
export type TicketProof = { readonly linkTo: LinkTo | null } & (
  | { readonly codeVerifier: string }
  | { readonly browser: string | null }
)

/** Seconds. On our pages the user may type a password, a code, or a name in between. */
const lifetimes: Readonly<Record<FlowGoal['kind'], number>> = { client: 2 * 60, page: 10 * 60 }
/** The tries for wrong codes, and for user names that are taken. */
const tries: Readonly<Record<FlowGoal['kind'], number>> = { client: 5, page: 20 }

/**
 * A ticket says who has come back from a provider. It is no credential alone: a client shows the
 * verifier of its challenge, a page the cookie of the browser. Rejects with 503.
 */
export async function issueTicket(
  { proofs }: ProvidersKit,
  vouched: Vouched,
  { goal, browser }: Pick<ReturnedFlow, 'goal' | 'browser'>,
): Promise<string> {
  const owner =
    goal.kind === 'client' ? { challenge: goal.codeChallenge } : { browser: sha256(browser) }
  const { token } = await proofs.openLink({
    purpose: 'vouched',
    userId: null,
    mark: null,
    sealed: { ...owner, vouched: JSON.stringify(vouched) },
    lifetime: lifetimes[goal.kind],
    tries: tries[goal.kind],
  })
  return token
}

/** The ticket, after a try is taken. Throws 400 `proof-refused`, 503. */
export async function findTicket(
  { proofs }: ProvidersKit,
  ticket: string,
  shown: TicketProof,
  context: RequestContext,
): Promise<FoundTicket> {
  const proof = await proofs.findLink('vouched', ticket, context)
  await proofs.takeTry(proof, context)
  const { sealed, record } = proof
  if (!isOwner(sealed, shown) || !sealed['vouched'])
    throw proofs.refusal('wrong-code', record, context)
  const vouched = ownMembers(JSON.parse(sealed['vouched']) as Vouched)
  // A sign-in must not become a connection, and a connection must not become one of another user.
  if (!isDeepStrictEqual(vouched.linkTo, shown.linkTo))
    throw proofs.refusal('wrong-session', record, context)
  // The copy has no prototype: a polluted prototype must not prove an address.
  return { ...vouched, identity: ownMembers(vouched.identity), proof }
}

/** Uses it up, before anything is opened or written by it. Throws 400 `proof-refused`, 503. */
export async function useTicket(
  { proofs }: ProvidersKit,
  { proof }: Pick<FoundTicket, 'proof'>,
  context: RequestContext,
): Promise<void> {
  if (!(await proofs.consume(proof))) throw proofs.refusal('void', proof.record, context)
}

function isOwner({ challenge, browser }: FoundProof['sealed'], shown: TicketProof): boolean {
  if ('codeVerifier' in shown)
    return typeof challenge === 'string' && verifierMatches(shown.codeVerifier, challenge)
  return (
    typeof browser === 'string' &&
    shown.browser !== null &&
    equalInConstantTime(sha256(shown.browser), browser)
  )
}
