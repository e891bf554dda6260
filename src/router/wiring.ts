import { type Account, createAccount } from '../account/account.js'
import { createProvePassword } from '../account/prove-password.js'
import {
  createSecondFactorManagement,
  type SecondFactorManagement,
} from '../account/second-factor-management.js'
import { createSessionManagement, type SessionManagement } from '../account/session-management.js'
import { type Cookie, createCookie } from '../cookie/cookie.js'
import { createGuards, type Guards } from '../guard/guards.js'
import type { Capability } from '../http/capability.js'
import type { LogIn } from '../login/log-in.js'
import { createLogin, type Login } from '../login/login.js'
import { createNamedTokens, type NamedTokens } from '../named-tokens/named-tokens.js'
import { createPkce, type Pkce } from '../pkce/pkce.js'
import type { ProvePassword } from '../principal/prove-password.js'
import { createRefresh } from '../refresh/refresh.js'
import { createPublishedKeys } from '../tokens/published-keys.js'
import { createOpenSession, type OpenSession } from '../vouched/open-session.js'
import type { Parts } from './assemble.js'
import type { AuthRouter } from './auth-router.js'
import { createHealth } from './health.js'
import type { ResolvedOptions } from './resolve-options.js'

// What each capability is made of: the parts that it uses, and no other.

export function login({ clock }: ResolvedOptions, parts: Parts): Login {
  const { host } = parts
  return createLogin({
    canonical: host.canonical,
    digestIdentifier: parts.digestIdentifier,
    noticeSpelling: host.noticeSpelling,
    throttle: parts.throttle,
    hasher: host.passwords,
    verifyPassword: parts.verifyPassword,
    decideSignIn: parts.decideSignIn,
    factorStands: parts.factorStands,
    mustHaveFactor: host.mustHaveFactor,
    users: host.users,
    sessions: parts.sessions,
    passwordWatch: parts.passwordWatch,
    issueSession: parts.issueSession,
    describeMe: parts.describeMe,
    clock,
    audit: host.audit,
  })
}

export function vouched(parts: Parts): OpenSession {
  const { host } = parts
  return createOpenSession({
    users: host.users,
    decideSignIn: parts.decideSignIn,
    factorStands: parts.factorStands,
    hasShownFactor: parts.secondFactors.hasBeenShown,
    mustHaveFactor: host.mustHaveFactor,
    issueSession: parts.issueSession,
    sessions: parts.sessions,
    passwordWatch: parts.passwordWatch,
    describeMe: parts.describeMe,
    contexts: host.contexts,
    audit: host.audit,
  })
}

export function account(parts: Parts): Account {
  const { host } = parts
  return createAccount({
    signedIn: parts.signedIn,
    describeMe: parts.describeMe,
    sessions: parts.sessions,
    canonical: host.canonical,
    digestIdentifier: parts.digestIdentifier,
    throttle: parts.throttle,
    users: host.users,
    audit: host.audit,
  })
}

export function sessions(
  options: ResolvedOptions,
  parts: Parts,
  logIn: LogIn,
  openSession: OpenSession,
): SessionManagement {
  return createSessionManagement({
    signedIn: parts.signedIn,
    sessions: parts.sessions,
    users: parts.host.users,
    passwordWatch: parts.passwordWatch,
    logIn,
    openSession,
    accessTokens: parts.accessTokens,
    countSockets: parts.registry.count,
    knownNetworks: parts.throttle.knownNetworks,
    contexts: parts.host.contexts,
    namedSurvivePassword: options.accessTokensSurvivePasswordChange,
    clock: options.clock,
  })
}

export function cookie(parts: Parts, logIn: LogIn, openSession: OpenSession): Cookie {
  return createCookie({
    pages: parts.pages,
    logIn,
    openSession,
    sessions: parts.sessions,
    countSockets: parts.registry.count,
    contexts: parts.host.contexts,
    audit: parts.host.audit,
  })
}

export function secondFactors(
  { clock, totpIssuer }: ResolvedOptions,
  parts: Parts,
): SecondFactorManagement {
  const { host } = parts
  return createSecondFactorManagement({
    totp: host.secondFactors,
    issuer: totpIssuer,
    signedIn: parts.signedIn,
    secondFactors: parts.secondFactors,
    passkeys: parts.passkeys === null ? null : parts.passkeys.factor,
    users: host.users,
    verifyPassword: parts.verifyPassword,
    digestIdentifier: parts.digestIdentifier,
    throttle: parts.throttle,
    sessions: parts.sessions,
    forgetSession: parts.liveSessions.forget,
    clock,
    audit: host.audit,
  })
}

/** For capabilities whose users type their password once more. */
export function provePasswordBy(parts: Parts): ProvePassword {
  const { host, throttle, verifyPassword, digestIdentifier } = parts
  const { users, audit } = host
  return createProvePassword({ users, throttle, verifyPassword, digestIdentifier, audit })
}

export function namedTokens(options: ResolvedOptions, parts: Parts): NamedTokens {
  const { host, throttle } = parts
  const { users, audit } = host
  return createNamedTokens({
    forUsers: options.namedTokens,
    signedIn: parts.signedIn,
    provePassword: provePasswordBy(parts),
    users,
    decideSignIn: parts.decideSignIn,
    factorStands: parts.factorStands,
    sessions: parts.sessions,
    passwordWatch: parts.passwordWatch,
    survivesPassword: options.accessTokensSurvivePasswordChange,
    takeIssue: throttle.takeIssue,
    clock: options.clock,
    audit,
  })
}

export function pkce({ clock, lifetimes }: ResolvedOptions, parts: Parts): Pkce {
  const { host } = parts
  return createPkce({
    store: host.codes,
    users: host.users,
    signedIn: parts.signedIn,
    decideSignIn: parts.decideSignIn,
    factorStands: parts.factorStands,
    passwordStands: parts.passwordStands,
    passwordWatch: parts.passwordWatch,
    sessions: parts.sessions,
    accessTokens: parts.accessTokens,
    throttle: parts.throttle,
    codeLifetime: lifetimes.code,
    accessTokenLifetime: lifetimes.accessToken,
    clock,
    audit: host.audit,
  })
}

export function refresh({ clock, lifetimes }: ResolvedOptions, parts: Parts): Capability {
  const { host, throttle } = parts
  const deps = {
    sessions: parts.sessions,
    users: host.users,
    passwordStands: parts.passwordStands,
    decideSignIn: parts.decideSignIn,
    accessTokens: parts.accessTokens,
    accessTokenLifetime: lifetimes.accessToken,
    refreshGrace: lifetimes.refreshGrace,
    clock,
    audit: host.audit,
  }
  return createRefresh(deps, throttle.limitFailures)
}

export function guards({ clock, allowedOrigins }: ResolvedOptions, parts: Parts): Guards {
  const { host } = parts
  return createGuards({
    authenticate: parts.authenticate,
    authenticateRequest: parts.authenticateRequest,
    recognise: parts.recognise,
    signedIn: parts.signedIn,
    registry: parts.registry,
    ticketStore: host.tickets,
    liveSessions: parts.liveSessions,
    takeIssue: parts.throttle.takeIssue,
    allowedOrigins: allowedOrigins ?? null,
    pages: parts.pages,
    contexts: host.contexts,
    clock,
    audit: host.audit,
  })
}

export function publishedKeys({ signer }: ResolvedOptions, { host }: Parts): Capability {
  return createPublishedKeys(signer, host.call)
}

export function health(
  { signer, maxPasswordWait, clock }: ResolvedOptions,
  parts: Parts,
): AuthRouter['health'] {
  const { sessions, codes, admission, call } = parts.host
  return createHealth({
    sessions,
    codes,
    signer,
    checkBus: parts.checkBus,
    passwords: admission.stats,
    maxPasswordWait,
    call,
    clock,
  })
}
