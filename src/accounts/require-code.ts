import type { RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import type { Throttle } from '../throttle/throttle.js'
import type { FoundProof, Proofs } from './proofs.js'

/** A code that somebody has typed. */
export interface TypedCode {
  /** As it was typed; blanks and hyphens do not count. */
  readonly code: string
  /** The account whose guesses are counted; null: nobody's. */
  readonly userId: string | null
  /** What is counted instead, where strangers may type codes: the name that they have given. */
  readonly name?: string | undefined
  /** Whether it is typed where it was asked for. */
  readonly isHere: boolean
}

export interface RequireCodeDeps {
  readonly proofs: Pick<Proofs, 'takeTry' | 'isCode' | 'refusal'>
  readonly throttle: Pick<Throttle, 'takeMailedCode' | 'giveBackMailedCode'>
}

/**
 * Compares a code, after it is counted and a try is taken. Only a wrong code counts, and an outage
 * is none. Throws 400 `proof-refused`, 429, 503.
 */
export async function requireCode(
  { proofs, throttle }: RequireCodeDeps,
  proof: FoundProof,
  { code, userId, name, isHere }: TypedCode,
  context: RequestContext,
): Promise<void> {
  await throttle.takeMailedCode(userId, context, name)
  try {
    // First: no other session uses up the tries of this one.
    if (!isHere) throw proofs.refusal('wrong-session', proof.record, context)
    await proofs.takeTry(proof, context)
    if (!proofs.isCode(proof, code)) throw proofs.refusal('wrong-code', proof.record, context)
  } catch (error) {
    const isGuess = error instanceof AuthError && error.code === 'proof-refused'
    if (!isGuess) await throttle.giveBackMailedCode(userId, name)
    throw error
  }
  await throttle.giveBackMailedCode(userId, name)
}
