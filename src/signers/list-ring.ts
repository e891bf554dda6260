import { AuthConfigError } from '../errors.js'
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
