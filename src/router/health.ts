import type { PasswordStats } from '../admission/admission.js'
import { randomId, randomSecret } from '../lib/secrets.js'
import { checkAccessTokens, checkRs256 } from '../tokens/check-signer.js'
import type { Kit } from './kit.js'

/** The health of one part. */
export interface PartHealth {
  readonly ok: boolean
  /** Whole milliseconds until the answer or the time limit. */
  readonly ms: number
}

/** The result of `auth.health()`. */
export interface AuthHealth {
  /**
   * Whether this process can serve signed-in users, for which it needs sessions and keys. Other
   * parts do not count: a failure of a shared part, or a storm of logins, would otherwise take all
   * processes out of service at once.
   */
  readonly ok: boolean
  /** Whether each store answers a read. */
  readonly stores: { readonly sessions: PartHealth; readonly codes: PartHealth }
  /** The bus is connected, and its `check` resolves if it has one. Null without a bus. */
  readonly bus: PartHealth | null
  /**
   * A token can be signed and verified; with RS256 keys also an ID token, whose failure alone
   * leaves the process in service.
   */
  readonly keys: PartHealth
  /**
   * The queue has a place for one more password, and none has failed since the last check. `ms` is
   * the time that the password would wait.
   */
  readonly hashing: PartHealth
}

/** How long an answer is reused: anybody may call often. */
const maxAnswerAgeMs = 1000

/** Calls during a check, or soon after it, share its answer. */
export function createHealth(kit: Kit): () => Promise<AuthHealth> {
  const { clock, sessionStore, codeStore, signer, call, checkBus } = kit
  const checkHashing = createHashingCheck(kit.admission.stats, kit.maxPasswordWait)
  const checkKeys = (check: typeof checkAccessTokens) =>
    timed(() => call('signer.check', () => check(signer, clock())))
  let asked = Number.NEGATIVE_INFINITY
  let underWay = false
  let answer: Promise<AuthHealth> | undefined

  async function look(): Promise<AuthHealth> {
    underWay = true
    // Random ids, so that the answers reveal nothing about users.
    const [ofSessions, ofCodes, bus, ofAccess, ofRs256] = await Promise.all([
      timed(() => sessionStore.find(randomId())),
      timed(() => codeStore.find(randomSecret())),
      checkBus && timed(checkBus),
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
    // A clock that was set back must not keep an old answer.
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

// Hashes no password: the counts of the queue are enough.
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
