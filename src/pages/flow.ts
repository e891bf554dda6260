import { sha256 } from '../lib/digest.js'
import { randomId } from '../lib/random.js'
import { createVault } from '../lib/vault.js'
import type { FlowStep } from '../oauth/decide-authorization.js'
import type { OnceStore } from '../stores/once-contract.js'
import { bytesOfFlow, type Flow, flowOfBytes, type PendingFactor } from './flow-bytes.js'

/** What a flow belongs to. In another browser, and for another request, there is none. */
export interface FlowBinding {
  /** The authorization request, as it stands in the address. */
  readonly request: string
  /** The value of the cookie that the browser is known by; null for one that has none. */
  readonly browser: string | null
}

/**
 * The flows that the parameter `flow` carries: what was done on the pages stands in the address,
 * sealed, and in no store. It is no credential: without the cookie that it belongs to it is
 * nothing, and nothing it holds spares anybody a factor.
 */
export interface Flows {
  /** Of a request for which nothing has been done. */
  begin(): Flow
  /** The same, with one step more and nobody half way. */
  withStep(flow: Flow, step: FlowStep): Flow
  /** The same, with a sign-in whose second factor is due from now on. */
  withPending(flow: Flow, pending: Omit<PendingFactor, 'id' | 'at'>): Flow
  /** Throws where the browser has no cookie: nothing would tell it from another. */
  seal(flow: Flow, binding: FlowBinding): string
  /**
   * Null for whatever is not a flow of this request in this browser, less than 30 minutes old: as
   * if there were none. A sign-in that is half done is left out after five.
   */
  open(sealed: string | null, binding: FlowBinding): Flow | null
  /** Uses a sign-in that is half done; false where it was used before. Rejects with 503. */
  claim(pending: PendingFactor): Promise<boolean>
}

/** What {@link createFlows} needs. */
export interface FlowsDeps {
  readonly encryptionKeys: readonly Buffer[]
  readonly once: Pick<OnceStore, 'claim'>
  readonly clock: () => Date
}

/** Milliseconds. */
const flowMs = 30 * 60_000
const pendingMs = 5 * 60_000
/** Milliseconds that the clock of another process may be ahead. */
const skewMs = 60_000

/**
 * Characters. 400 are enough for every user whose id has up to 152 bytes; an id may have 1024
 * characters, and must not keep its user out.
 */
export const maxFlowChars = 4300

/** How a vault writes it: version, key, nonce and body. */
const shape = /^v1\.[\w-]{8}\.[\w-]{16}\.([\w-]+)$/

/** Makes what seals flows and opens them. The first key seals, all of them open. */
export function createFlows({ encryptionKeys, once, clock }: FlowsDeps): Flows {
  const vault = createVault('oauth-flow', encryptionKeys)
  const isYoung = (since: Date, forMs: number) => {
    const age = clock().getTime() - since.getTime()
    return age >= -skewMs && age < forMs
  }

  return {
    begin: () => ({ startedAt: clock(), done: [], pending: null }),

    withStep: ({ startedAt, done }, step) => ({
      startedAt,
      done: [...done.filter((other) => other !== step), step],
      pending: null,
    }),

    withPending: (flow, pending) => ({
      ...flow,
      pending: { ...pending, id: randomId(), at: clock() },
    }),

    seal(flow, { request, browser }) {
      if (browser === null) throw new TypeError('a flow belongs to a browser')
      return vault.seal(ownerOf(request, browser), bytesOfFlow(flow))
    },

    open(sealed, { request, browser }) {
      if (sealed === null || browser === null || !isShaped(sealed)) return null
      const bytes = vault.open(ownerOf(request, browser), sealed)
      const flow = bytes === null ? null : flowOfBytes(bytes)
      if (flow === null || !isYoung(flow.startedAt, flowMs)) return null
      const { pending } = flow
      return pending === null || isYoung(pending.at, pendingMs) ? flow : { ...flow, pending: null }
    },

    async claim({ id }) {
      const now = clock()
      // For longer than it can be opened by any process.
      const expiresAt = new Date(now.getTime() + 2 * pendingMs)
      // As JSON, so that it is nobody else's name.
      const name = sha256(JSON.stringify(['second-step', id]))
      return (await once.claim(name, expiresAt, now)).outcome === 'claimed'
    },
  }
}

// What the seal is bound to need not be in it. As digests, which have one length.
function ownerOf(request: string, browser: string): string {
  return `${sha256(request)}.${sha256(browser)}`
}

// Before any work, the length. And no text but the one that was written: readers of base64url let
// other last characters pass, and characters that are none of it.
function isShaped(sealed: string): boolean {
  if (sealed.length > maxFlowChars) return false
  const body = shape.exec(sealed)?.[1]
  return body !== undefined && Buffer.from(body, 'base64url').toString('base64url') === body
}
