import { AuthConfigError } from '../errors.js'
import { describeFailure } from '../lib/host-call.js'
import type { Logger } from '../lib/logger.js'
import type { KeyInfo, KeyRing } from './contract.js'
import { type CheckedKey, checkSigningKey, type KeyPurpose } from './key-material.js'

const examples: Readonly<Record<KeyPurpose, string>> = {
  'access-tokens': 'generateSigningKey()',
  rs256: "generateSigningKey('RS256')",
}

/** Checks a list of keys of the host. `option`: its name for errors. */
export function checkKeyList(keys: unknown, option: string, purpose: KeyPurpose): CheckedKey[] {
  if (!Array.isArray(keys) || keys.length === 0) {
    throw new AuthConfigError(
      option,
      'holds no key.',
      `pass [await ${examples[purpose]}], or the key you stored.`,
    )
  }
  const checked = keys.map((key: unknown, i) => checkSigningKey(key, `${option}[${i}]`, purpose))
  refuseUnusable(checked, option)
  return checked
}

/** A ring of keys that {@link checkKeyList} has accepted: the first signs, all verify. */
export function listRing(checked: readonly CheckedKey[], option: string): KeyRing {
  const active = checked[0] as CheckedKey
  const snapshot = Promise.resolve({ active, all: checked })
  const infos = checked.map(
    ({ kid }, i): KeyInfo => ({
      kid,
      generation: null,
      state: i === 0 ? 'active' : 'retired',
      activatesAt: null,
    }),
  )
  return {
    algorithm: active.algorithm,
    snapshot: () => snapshot,
    list: async () => infos,
    ready: async () => {},
    longestToken: undefined,
    retire: async () => {
      throw new AuthConfigError(
        option,
        'is a list, out of which keys are taken by hand.',
        'take the key out, and start every process again.',
      )
    },
    rotate: async () => {
      throw new AuthConfigError(
        option,
        'is a list, which is rotated by hand.',
        'put the new key first, or use store or files.',
      )
    },
  }
}

function refuseUnusable(keys: readonly CheckedKey[], option: string): void {
  const first = keys[0]?.jwk
  if (first?.kty !== 'oct' && first?.['d'] === undefined) {
    throw new AuthConfigError(
      `${option}[0]`,
      'is public and cannot sign.',
      'put the private key first.',
    )
  }
  if (new Set(keys.map(({ kid }) => kid)).size !== keys.length) {
    throw new AuthConfigError(
      option,
      'hold the same kid twice.',
      'give each key a kid of its own, or none.',
    )
  }
}

/** Reports problems of a ring to the operator. Never throws. */
export interface RingReport {
  /** A key is skipped; reported once. `generation` is 0 if it has none. */
  unreadable(generation: number, problem: string): void
  /** A leaked key was removed. */
  retired(key: { readonly kid: string; readonly generation: number }): void
  /** The store has failed; reported once until it recovers. */
  storeFailed(error: unknown): void
  storeIsWell(): void
}

/** Without a logger, reports are process warnings. */
export function createRingReport(logger: Logger | undefined): RingReport {
  const told = new Set<number>()
  let isDown = false

  function warn(message: string, code: string, fields: object): void {
    try {
      if (logger === undefined)
        process.emitWarning(`${message} ${JSON.stringify(fields)}`, { code })
      else logger.warn(message, fields)
    } catch {
      // A failing logger must not prevent sign-ins.
    }
  }

  return {
    unreadable(generation, problem) {
      if (told.has(generation)) return
      told.add(generation)
      warn('signing-key.unreadable', 'MAR_SIGNING_KEY_UNREADABLE', { generation, problem })
    },
    retired({ kid, generation }) {
      warn('signing-key.retired', 'MAR_SIGNING_KEY_RETIRED', { kid, generation })
    },
    storeFailed(error) {
      if (isDown) return
      isDown = true
      warn('key-store.failed', 'MAR_KEY_STORE_FAILED', describeFailure('keys.list', error))
    },
    storeIsWell() {
      isDown = false
    },
  }
}
