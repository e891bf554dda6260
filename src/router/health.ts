import type { Admission, PasswordStats } from '../admission/admission.js'
import type { HostCall } from '../lib/host-call.js'
import { randomId, randomSecret } from '../lib/random.js'
import type { TokenSigner } from '../signers/contract.js'
import type { AuthorizationCodeStore } from '../stores/code-contract.js'
import type { SessionStore } from '../stores/contract.js'
import { checkAccessTokens, checkRs256 } from '../tokens/check-signer.js'

/** How one part of the router is. */
export interface PartHealth {
  readonly ok: boolean
  /** How long it took to answer, or to be given up, in whole milliseconds. */
  readonly ms: number
}

/** What `auth.health()` answers. */
export interface AuthHealth {
  /**
   * Whether this process can serve those who are signed in, for which it needs sessions and keys.
   * Nothing else makes it false: parts that all processes share would otherwise take all of them
   * out of service at once, and so would the queue of passwords in a login storm.
   */
  readonly ok: boolean
  /** Whether each answers a read. */
  readonly stores: { readonly sessions: PartHealth; readonly codes: PartHealth }
  /** The bus is joined, and its `check` resolves where it has one. Null without a bus. */
  readonly bus: PartHealth | null
  /**
   * A token can be signed and verified; with keys for RS256, an ID token as well, whose failure
   * alone leaves the process in service.
   */
  readonly keys: PartHealth
  /**
   * There is a place for one more password, and none failed since the last look. `ms` is how long
   * that password would wait.
   */
  readonly hashing: PartHealth
}

export interface HealthDeps {
  readonly sessionStore: Pick<SessionStore, 'find'>
  readonly codeStore: Pick<AuthorizationCodeStore, 'find'>
  readonly signer: TokenSigner
  /** Null without a bus. */
  readonly checkBus: (() => Promise<void>) | null
  readonly admission: Pick<Admission, 'stats'>
  /** Seconds of work on passwords that may wait. */
  readonly maxPasswordWait: number
  readonly call: HostCall
  readonly clock: () => Date
}

/** Anybody may ask often: the answer stays for this time. */
const maxAnswerAgeMs = 1000

/** Makes `auth.health`. Calls during a check, or soon after it, get the same answer. */
export function createHealth(deps: HealthDeps): () => Promise<AuthHealth> {
  const { clock, sessionStore, codeStore, signer, call } = deps
  const checkHashing = createHashingCheck(deps.admission.stats, deps.maxPasswordWait)
  const checkKeys = (check: typeof checkAccessTokens) =>
    timed(() => call('signer.check', () => check(signer, clock())))
  let asked = Number.NEGATIVE_INFINITY
  let underWay = false
  let answer: Promise<AuthHealth> | undefined

  async function look(): Promise<AuthHealth> {
    underWay = true
    // Random ids: the answers say nothing about any user.
    const [ofSessions, ofCodes, bus, ofAccess, ofRs256] = await Promise.all([
      timed(() => sessionStore.find(randomId())),
      timed(() => codeStore.find(randomSecret())),
      deps.checkBus && timed(deps.checkBus),
      checkKeys(checkAccessTokens),
      checkKeys(checkRs256),
    ])
    underWay = false
    const stores = { sessions: ofSessions, codes: ofCodes }
    const keys = { ok: ofAccess.ok && ofRs256.ok, ms: Math.max(ofAccess.ms, ofRs256.ms) }
    return { ok: ofSessions.ok && ofAccess.ok, stores, bus, keys, hashing: checkHashing() }
  }

  return async function health() {
    const age = clock().getTime() - asked
    // A clock that was set back must not make an old answer stay.
    const isFresh = underWay || (age >= 0 && age < maxAnswerAgeMs)
    if (answer === undefined || !isFresh) {
      asked = clock().getTime()
      answer = look()
    }
    return answer
  }
}

async function timed(work: () => Promise<unknown>): Promise<PartHealth> {
  const from = performance.now()
  const ok = await work().then(
    () => true,
    () => false,
  )
  return { ok, ms: Math.round(performance.now() - from) }
}

// Hashes no password: the numbers of the last ones say enough.
function createHashingCheck(stats: () => PasswordStats, maxWait: number): () => PartHealth {
  let before = stats()
  let isFailing = false
  return function checkHashing() {
    const now = stats()
    if (now.completed > before.completed) isFailing = false
    if (now.failed > before.failed) isFailing = true
    before = now
    const each = now.meanMs / now.concurrency
    return {
      ok: !isFailing && (now.waiting + 1) * each <= maxWait * 1000,
      ms: Math.round(now.waiting * each),
    }
  }
}
