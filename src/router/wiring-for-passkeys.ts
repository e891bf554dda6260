import { createPasskeys, type Passkeys, withoutPasskeys } from '../passkeys/passkeys.js'
import type { Parts } from './assemble.js'
import type { ResolvedOptions } from './resolve-options.js'
import { provePasswordBy } from './wiring.js'

/** What passkeys are made of. Without the option `passkeys` there is none of it. */
export function passkeys({ clock }: ResolvedOptions, parts: Parts): Passkeys {
  const { host, passkeys: server } = parts
  if (server === null) return withoutPasskeys()
  const { users, audit } = host
  return createPasskeys({
    server,
    signedIn: parts.signedIn,
    provePassword: provePasswordBy(parts),
    users,
    decideSignIn: parts.decideSignIn,
    factorStands: parts.factorStands,
    secondFactors: parts.secondFactors,
    passwordWatch: parts.passwordWatch,
    issueSession: parts.issueSession,
    sessions: parts.sessions,
    forgetSession: parts.liveSessions.forget,
    describeMe: parts.describeMe,
    throttle: parts.throttle,
    clock,
    audit,
  })
}
