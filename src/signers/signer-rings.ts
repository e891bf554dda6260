import { AuthConfigError } from '../errors.js'
import type { KeyRing } from './contract.js'
import { type CheckedKey, type KeyPurpose, purposeOf, type SigningKey } from './key-material.js'
import { checkKeyList, listRing } from './list-ring.js'

/** Keys as a host passes them to a signer. */
export type GivenKeys = readonly (SigningKey | string | undefined)[] | KeyRing

/** The rings of a signer. */
export interface SignerRings {
  /** For access tokens. */
  readonly ring: KeyRing
  /** For ID tokens of RS256; null without. */
  readonly rsaRing: KeyRing | null
  /** Rejects while one of them cannot sign, or if a key is in both. */
  ready(): Promise<void>
}

/** Turns the host's keys into rings, and refuses a key that is in both. */
export function signerRings(keys: GivenKeys, rs256: GivenKeys | undefined): SignerRings {
  const access = checkedKeys(keys, 'joseSigner.keys', 'access-tokens')
  const ring = ringOf(access, 'joseSigner.keys')
  if (rs256 === undefined) return { ring, rsaRing: null, ready: () => ring.ready() }
  const rsa = checkedKeys(rs256, 'joseSigner.rs256', 'rs256')
  if (!isRing(access) && !isRing(rsa)) refuseShared(access, rsa)
  const rsaRing = ringOf(rsa, 'joseSigner.rs256')
  return { ring, rsaRing, ready: () => bothReady(ring, rsaRing) }
}

// The keys of a ring are known only when it is ready.
async function bothReady(ring: KeyRing, rsaRing: KeyRing): Promise<void> {
  await Promise.all([ring.ready(), rsaRing.ready()])
  const [access, rsa] = await Promise.all([ring.snapshot(), rsaRing.snapshot()])
  refuseShared(access.all, rsa.all)
}

/** Whether it is a ring, not a list. */
export function isRing(keys: unknown): keys is KeyRing {
  return typeof (keys as Partial<KeyRing> | null | undefined)?.snapshot === 'function'
}

function ringOf(keys: KeyRing | readonly CheckedKey[], option: string): KeyRing {
  return isRing(keys) ? keys : listRing(keys, option)
}

function checkedKeys(
  keys: GivenKeys,
  option: string,
  purpose: KeyPurpose,
): KeyRing | readonly CheckedKey[] {
  if (!isRing(keys)) return checkKeyList(withoutRing(keys, option), option, purpose)
  if (purposeOf(keys.algorithm) === purpose) return keys
  throw purpose === 'rs256'
    ? new AuthConfigError(
        option,
        'is a ring whose keys are not for RS256.',
        "pass keyRing({ algorithm: 'RS256', … }), with a folder or store of its own.",
      )
    : new AuthConfigError(
        option,
        'is a ring of RS256 keys, which are for ID tokens alone.',
        'pass it as joseSigner.rs256.',
      )
}

function withoutRing(keys: readonly unknown[], option: string): readonly unknown[] {
  const place = keys.findIndex(isRing)
  if (place < 0) return keys
  throw new AuthConfigError(
    `${option}[${place}]`,
    'is a key ring in a list.',
    `pass the ring itself, not in a list: ${option.split('.').at(-1)}: ring.`,
  )
}

// A key is for one algorithm only (RFC 8725 §3.5, NIST SP 800-57 part 1 §5.2), and a kid must not
// be published for two.
function refuseShared(access: readonly CheckedKey[], rsa: readonly CheckedKey[]): void {
  const isSame = (one: CheckedKey, other: CheckedKey) =>
    one.kid === other.kid || (one.jwk['n'] !== undefined && one.jwk['n'] === other.jwk['n'])
  const place = rsa.findIndex((one) => access.some((other) => isSame(one, other)))
  if (place < 0) return
  throw new AuthConfigError(
    `joseSigner.rs256[${place}]`,
    'stands in joseSigner.keys, too, or a key with its kid does.',
    "make one for ID tokens alone: await generateSigningKey('RS256').",
  )
}
