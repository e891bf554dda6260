import type { DirectoryRefusal, DirectoryVerdict } from './contract.js'
import { type LdapResult, policyFault } from './ldap-answer.js'
import { LdapRefusal } from './ldap-connection.js'

/** Sub-codes of Active Directory for result 49. The first two come for a right password alone. */
const activeVerdicts: Readonly<Record<string, DirectoryRefusal | 'must-change'>> = {
  '532': 'must-change',
  '773': 'must-change',
  '525': 'wrong-password',
  '52e': 'wrong-password',
  '530': 'outside-hours',
  '531': 'outside-hours',
  '533': 'disabled',
  '701': 'expired-account',
  '775': 'locked',
}

/** What a password policy says beside a result, by its number. */
const policyVerdicts: Readonly<Record<number, DirectoryRefusal | 'must-change'>> = {
  0: 'must-change',
  1: 'locked',
  2: 'must-change',
}

/**
 * Results that are an answer about this person, and not about the server: 19 too many tries (389
 * Directory Server), 10 a referral, which is not followed, 32 and 48 an entry that is gone or has
 * no password, 34, 50 and 53 an entry that may not bind.
 */
const refusals: Readonly<Record<number, DirectoryRefusal>> = {
  10: 'refused',
  19: 'locked',
  32: 'wrong-password',
  34: 'refused',
  48: 'wrong-password',
  50: 'refused',
  53: 'refused',
}

/**
 * What a bind says about a password.
 *
 * @throws LdapRefusal if it says nothing about it, but something about the server
 */
export function verdictOf(result: LdapResult): DirectoryVerdict {
  const { code, subCode = '' } = result
  const fault = policyFault(result)
  const policy = fault === null ? undefined : policyVerdicts[fault]
  if (code === 0) return { outcome: policy === 'must-change' ? 'must-change' : 'right' }
  const known = Object.hasOwn(activeVerdicts, subCode) ? activeVerdicts[subCode] : policy
  const verdict = code === 49 ? (known ?? 'wrong-password') : refusals[code]
  if (verdict === undefined) throw new LdapRefusal('a bind', code)
  return verdict === 'must-change'
    ? { outcome: 'must-change' }
    : { outcome: 'wrong', reason: verdict }
}
