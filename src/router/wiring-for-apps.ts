import { createBrowserSessions } from '../cookie/browser-session.js'
import type { Capability } from '../http/capability.js'
import type { LogInSteps } from '../login/log-in.js'
import type { Acr } from '../oauth/authorization-parameters.js'
import { createOAuth, type OAuth, withoutOAuth } from '../oauth/oauth.js'
import { createBrowserPages } from '../pages/browser-pages.js'
import type { FactorEnrolment } from '../pages/enrolment-page.js'
import type { PasskeysOnPages } from '../passkeys/passkeys-on-pages.js'
import type { Parts } from './assemble.js'
import type { ResolvedOptions } from './resolve-options.js'

// What the capabilities of the option `oauth` are made of. Without it there is none of them.

/** Only apps send a browser to where it has to be signed in by itself. */
export function browserSessions({ clock }: ResolvedOptions, parts: Parts): Capability {
  const { host, oauth: server, pages } = parts
  if (server === null || pages === null) return { routes: [], close: null }
  return createBrowserSessions({
    pages,
    signedIn: parts.signedIn,
    users: host.users,
    decideSignIn: parts.decideSignIn,
    factorStands: parts.factorStands,
    passwordWatch: parts.passwordWatch,
    sessions: parts.sessions,
    takeIssue: parts.throttle.takeIssue,
    clock,
    audit: host.audit,
  })
}

/** Apps send browsers to them, and nobody else does. */
export function browserPages(
  { pages: options, signer, encryptionKeys, clock }: ResolvedOptions,
  parts: Parts,
  logInSteps: LogInSteps,
  enrolment: FactorEnrolment | null,
  passkeys: PasskeysOnPages | null,
): Capability {
  const { host, oauth: server, pages, pageSite: site } = parts
  if (server === null || pages === null || site === null) return { routes: [], close: null }
  return createBrowserPages({
    site,
    qrCode: options?.qrCode,
    server,
    pages,
    logInSteps,
    enrolment,
    passkeys,
    codes: host.codes,
    users: host.users,
    sessions: parts.sessions,
    secondFactors: parts.secondFactors,
    authenticate: parts.authenticate,
    decideSignIn: parts.decideSignIn,
    mustHaveFactor: host.mustHaveFactor,
    throttle: parts.throttle,
    signer,
    encryptionKeys,
    call: host.call,
    sayOnce: host.sayOnce,
    clock,
    audit: host.audit,
  })
}

export function oauth(options: ResolvedOptions, parts: Parts): OAuth {
  const { host, oauth: server, pageSite } = parts
  if (server === null) return withoutOAuth()
  return createOAuth({
    server,
    locales: [...(pageSite?.languages.keys() ?? [])],
    codes: host.codes,
    users: host.users,
    decideSignIn: parts.decideSignIn,
    factorStands: parts.factorStands,
    hasShownFactor: parts.secondFactors.hasBeenShown,
    acrValues: acrValuesOf(parts),
    passwordStands: parts.passwordStands,
    passwordWatch: parts.passwordWatch,
    sessions: parts.sessions,
    revocations: parts.revocations,
    liveSessions: parts.liveSessions,
    authenticateRequest: parts.authenticateRequest,
    signedIn: parts.signedIn,
    throttle: parts.throttle,
    refreshGrace: options.lifetimes.refreshGrace,
    accessTokens: parts.accessTokens,
    accessTokenLifetime: options.lifetimes.accessToken,
    signer: options.signer,
    call: host.call,
    sayOnce: host.sayOnce,
    clock: options.clock,
    audit: host.audit,
  })
}

// What no session here can have is not advertised.
function acrValuesOf({ host, passkeys }: Parts): readonly Acr[] {
  const hasFactors = host.secondFactors !== null || host.otherFactors.length > 0
  if (passkeys !== null) return ['urn:mar:1fa', 'urn:mar:2fa', 'phr']
  return hasFactors ? ['urn:mar:1fa', 'urn:mar:2fa'] : ['urn:mar:1fa']
}
