import { Router } from 'express'
import { createAcceptanceRoutes } from '../acceptance/acceptance.js'
import { createAccount } from '../account/account.js'
import { createSecondFactorManagement } from '../account/second-factors.js'
import { createSessionManagement, type SessionManagement } from '../account/session-management.js'
import { createRemoveWaysIn, type WaysInKit } from '../account/ways-in.js'
import type { AccountsKit } from '../accounts/accounts-server.js'
import { mailNotices } from '../accounts/notices.js'
import { createCookie } from '../cookie/cookie.js'
import {
  createDirectories,
  withoutDirectories,
  withoutIdentities,
} from '../directory-sign-in/directories.js'
import { createGuards } from '../guard/guards.js'
import { createOpenSession } from '../host-sign-in/open-session.js'
import { createCors } from '../http/cors.js'
import { leadToChangePassword, withDocuments } from '../http/documents.js'
import { type Capability, type LaterRoutes, mountAll, type Routes } from '../http/endpoint.js'
import { createLogin } from '../login/login.js'
import { createNamedTokens } from '../named-tokens/named-tokens.js'
import { addressAt } from '../oauth/base-url.js'
import { createPagesForHost } from '../pages/sign-in-url.js'
import type { PasskeysKit } from '../passkeys/passkey-kit.js'
import { relatedOriginsDocument } from '../passkeys/passkeys-options.js'
import { settleRemoved } from '../passkeys/remove-passkey.js'
import { createPkce } from '../pkce/pkce.js'
import { providerLogosOf } from '../provider-sign-in/provider-logos.js'
import { createRefresh } from '../refresh/refresh.js'
import { createRemembered } from '../remembered/remembered.js'
import { createPublishedKeys } from '../tokens/published-keys.js'
import type { AuthRouter } from './auth-router.js'
import { createHealth } from './health.js'
import { createKit, type Kit } from './kit.js'
import { createLoadOptional, type Optional } from './load-optional.js'
import { createMetrics, createStats } from './metrics.js'
import { createDescribeApi } from './openapi.js'
import type { ResolvedOptions } from './option-schema.js'
import type { OptionalCapabilities } from './optional-capabilities.js'
import type { AuthRouterOptions } from './options.js'
import { resolveOptions } from './resolve-options.js'

/**
 * Makes the authentication router of a messaging server. Mount it once, under `/api/v1`.
 *
 * @throws AuthConfigError at once for any option that is missing, unknown or unsafe; it names the
 * option and the remedy
 *
 * @example
 * ```ts
 * import express from 'express'
 * import { createAuthRouter, generateSigningKey, joseSigner } from 'messaging-auth-router'
 * import type { UserStore } from 'messaging-auth-router'
 * import { memoryStores } from 'messaging-auth-router/stores/memory'
 *
 * declare const users: UserStore
 * const auth = createAuthRouter({
 *   users,
 *   ...memoryStores(),
 *   signer: joseSigner({
 *     issuer: 'https://chat.example.com',
 *     audience: 'chat',
 *     keys: [await generateSigningKey()],
 *   }),
 *   encryptionKeys: [process.env['AUTH_ENCRYPTION_KEYS']],
 * })
 * express().use('/api/v1', auth)
 * ```
 */
export function createAuthRouter(given: AuthRouterOptions): AuthRouter {
  const options = resolveOptions(given)
  const kit = createKit(options)
  const { map, optional } = createMap(kit)
  const later = laterRoutes(kit, optional)
  const capabilities = Object.values<Capability | undefined>(map).filter((one) => one !== undefined)
  const routes = capabilities.flatMap((capability) => capability.routes)
  const stats = createStats(kit)
  // The functions for the host's own code, by capability.
  return Object.assign(mount(routes, later, options, kit), {
    signIn: map.sessions.signIn,
    passwordChanged: map.sessions.passwordChanged,
    hashPassword: map.login.hashPassword,
    takesDigests: kit.hasher.takesDigests,
    me: map.account.me,
    unlockLogin: map.account.unlockLogin,
    sessions: map.sessions.sessions,
    namedTokens: map.namedTokens.namedTokens,
    cookie: map.cookie.cookie,
    secondFactors: map.secondFactors.secondFactors,
    pages: createPagesForHost(kit.signInUrl),
    passkeys: optional.forHost.passkeys,
    accounts: optional.forHost.accounts,
    identities: map.directories?.identities ?? withoutIdentities,
    directories: map.directories?.directories ?? withoutDirectories,
    passwords: optional.forHost.passwords,
    issueAuthorizationCode: map.pkce.issueAuthorizationCode,
    wellKnown: withDocuments(
      relatedOriginsDocument(options.passkeys?.relatedOrigins),
      leadToChangePassword(changePasswordAt(kit), optional.forHost.wellKnown),
    ),
    clients: optional.forHost.clients,
    requireAuth: map.guards.requireAuth,
    authenticate: map.guards.authenticate,
    authenticateToken: map.guards.authenticateToken,
    passportStrategy: map.guards.passportStrategy,
    sockets: map.guards.sockets,
    health: createHealth(kit),
    openapi: createDescribeApi(
      async () => [...routes, ...((await later?.load()) ?? [])],
      options.oauth?.baseUrl,
    ),
    stats,
    metrics: createMetrics(kit, stats),
    async close() {
      // Own members only: a polluted Object.prototype must not add a `close`.
      const closable = capabilities.filter((capability) => Object.hasOwn(capability, 'close'))
      for (const capability of closable) capability.close?.()
      optional.close()
      await kit.close()
    },
  })
}

// The map: one line for each capability, with its routes. A test compares these comments, and the
// list of the optional ones below, with the mounted routes.
function createMap(kit: Kit) {
  const login = createLogin(kit)
  const signIns = { ...kit, logIn: login.logIn, openSession: createOpenSession(kit) }
  const secondFactors = createSecondFactorManagement(kit)
  const passkeysKit = kit.passkeyServer && { ...kit, ...kit.passkeyServer }
  const removeWaysIn = createRemoveWaysIn(waysInKitOf(kit, passkeysKit))
  const sessions = createSessionManagement({ ...signIns, removeWaysIn })
  const accountsKit = accountsKitOf(kit, sessions.forAccounts)
  if (accountsKit !== undefined) mailNotices(accountsKit)

  // biome-ignore format: the map is a table
  const map = {
    login,                                           // POST /login
    pkce:          createPkce(kit),                  // POST /auth/pkce/authorize
                                                     // POST /auth/pkce/token
    refresh:       createRefresh(kit),               // POST /auth/refresh
    account:       createAccount(kit),               // GET /me; GET, POST /logout
    sessions,                                        // GET, DELETE /auth/sessions
                                                     // DELETE /auth/sessions/:id
    cookie:        createCookie(signIns),
    secondFactors,                                   // GET, POST /auth/totp
                                                     // POST /auth/totp/confirm
                                                     // POST /auth/totp/disable
                                                     // POST /auth/totp/recovery-codes
    remembered:    createRemembered(kit),            // GET /auth/remembered-browsers
                                                     // DELETE /auth/remembered-browsers/:id
    acceptance:    createAcceptanceRoutes(kit),      // GET, POST /auth/acceptance
    directories:   createDirectories(kit.loadDirectories),
    namedTokens:   createNamedTokens(kit),           // GET, POST, DELETE /auth/access-tokens
                                                     // DELETE /auth/access-tokens/:id
    guards:        createGuards(kit),                // POST /auth/socket-ticket
    publishedKeys: createPublishedKeys(kit.signer, kit.call),
                                                     // GET /auth/jwks.json
  }
  const made = {
    logInSteps: login.logInSteps,
    ownSessions: sessions.ownSessions,
    totpKit: secondFactors.kit,
    passkeysKit,
    accountsKit,
    providerLogos: providerLogosOf(kit.pageSite && kit.providerServer),
  }
  return { map, optional: createLoadOptional(kit, made) }
}

/** The routes that the optional capabilities may have, so that each is there from the start. */
const optionalRoutes: Readonly<Record<keyof OptionalCapabilities, readonly string[]>> = {
  browsers: ['POST, DELETE /auth/browser-session'],
  passkeys: [
    'POST /auth/passkey/options',
    'POST /auth/passkey/login',
    'GET, POST /auth/passkeys',
    'POST /auth/passkeys/options',
    'POST, DELETE /auth/passkeys/:id',
    'POST /auth/reauthenticate',
  ],
  accounts: [
    'POST /auth/password/forgot',
    'POST /auth/password/reset',
    'POST /auth/password/change',
    'GET /auth/email',
    'POST /auth/email/verify',
    'POST /auth/email/confirm',
    'POST /auth/email/change',
    'POST /auth/email/undo',
    'POST /auth/email/second-factor',
    'GET /auth/phone',
    'POST /auth/phone/verify',
    'POST /auth/phone/confirm',
    'POST /auth/phone/change',
    'POST /auth/phone/undo',
    'POST /auth/phone/second-factor',
    'GET, POST /account/password',
    'GET, POST /account/email',
    'GET, POST /account/phone',
    'GET, POST /account/confirm',
    'GET, POST /account/forgot',
    'GET, POST /account/reset',
    'GET, POST /account/undo',
  ],
  emailSignIn: ['POST /auth/code', 'POST /auth/code/login'],
  registration: [
    'GET /auth/registration',
    'POST /auth/register',
    'POST /auth/register/confirm',
    'GET /auth/invitations/:token',
    'GET, POST /account/register',
    'GET, POST /account/invitation',
    'GET, POST /account/register/confirm',
  ],
  deletion: [
    'POST /auth/account/delete',
    'POST /auth/account/delete/confirm',
    'GET, POST /account/delete',
  ],
  providers: [
    'GET /auth/providers',
    'POST /auth/providers/finish',
    'POST /auth/providers/:id/start',
    'GET /auth/providers/:id/open',
    'GET, POST /auth/providers/:id/callback',
    'POST /auth/providers/:id/backchannel-logout',
    'GET, POST /auth/identities',
    'POST, DELETE /auth/identities/:id',
  ],
  deviceLinks: [
    'POST /auth/device-links',
    'POST /auth/device-links/open',
    'POST /auth/device-links/approve',
    'POST /auth/device-links/deny',
    'POST /auth/device-links/collect',
    'GET, POST /account/link',
  ],
  pages: [
    'GET, POST /oauth/authorize',
    'GET, POST /oauth/sign-in',
    'GET, POST /oauth/code',
    'GET /oauth/providers/:id',
    'GET, POST /oauth/provider',
    'GET, POST /oauth/connect',
    'GET, POST /oauth/second-factor',
    'GET, POST /oauth/recovery-code',
    'GET, POST /oauth/new-password',
    'GET, POST /oauth/address',
    'GET, POST /oauth/acceptance',
    'GET, POST /oauth/enrolment',
    'GET, POST /oauth/passkey',
    'GET, POST /oauth/consent',
    'GET, POST /oauth/continue',
    'GET, POST /oauth/sign-out',
    'GET, POST /oauth/device',
    'GET, POST /oauth/logout',
    'GET, POST /account',
    'GET, POST /account/second-factor',
    'GET, POST /account/passkeys',
    'GET, POST /account/identities',
    'GET /oauth/assets/:file',
  ],
  oauth: [
    'POST /oauth/token',
    'POST /oauth/revoke',
    'POST /oauth/introspect',
    'POST /oauth/device_authorization',
    'POST /oauth/register',
    'GET, POST /oauth/userinfo',
    'GET /auth/consents',
    'DELETE /auth/consents/:clientId',
    'GET /.well-known/openid-configuration',
  ],
}

// Those that the options ask for; undefined if they ask for none.
function laterRoutes(kit: Kit, { routes }: Optional): LaterRoutes | undefined {
  const { oauthServer, passkeyServer, accountsServer, providerServer, deviceLinks } = kit
  const askedFor: Readonly<Record<keyof OptionalCapabilities, unknown>> = {
    browsers: oauthServer,
    passkeys: passkeyServer,
    accounts: accountsServer,
    emailSignIn: accountsServer,
    registration: accountsServer?.accountsOptions.registration,
    deletion: accountsServer?.accountsOptions.deletion,
    providers: providerServer,
    deviceLinks,
    pages: oauthServer,
    oauth: oauthServer,
  }
  const names = (Object.keys(optionalRoutes) as (keyof OptionalCapabilities)[]).filter(
    (name) => askedFor[name],
  )
  if (names.length === 0) return undefined
  const listed = names.flatMap((name) => optionalRoutes[name])
  const paths = listed.map((route) => route.slice(route.lastIndexOf(' ') + 1))
  // Only `oauth` has pages. Without it, a page of the host's at such a path waits for nothing.
  const mayBe = oauthServer ? paths : paths.filter((path) => !path.startsWith('/account'))
  return { paths: mayBe, load: routes, router: emptyRouter() }
}

// The kit that knows all ways in besides the password.
function waysInKitOf(kit: Kit, passkeysKit: PasskeysKit | undefined): WaysInKit {
  const settlePasskeys: WaysInKit['settlePasskeys'] =
    passkeysKit && ((userId, kept) => settleRemoved(passkeysKit, userId, kept))
  return { ...kit, settlePasskeys, phones: kit.accountsServer?.channels.phone }
}

// The kit of the option `accounts`.
function accountsKitOf(
  kit: Kit,
  ending: SessionManagement['forAccounts'],
): AccountsKit | undefined {
  return kit.accountsServer && { ...kit, ...kit.accountsServer, ...ending }
}

// The page for a new password; null without.
function changePasswordAt({ pagesUrl, hasAccountPage, accountsServer, users }: Kit): string | null {
  if (!pagesUrl || !accountsServer || !users.updatePasswordHash) return null
  return addressAt(pagesUrl, hasAccountPage ? '/account/password' : '/account/forgot')
}

function mount(
  routes: Routes,
  later: LaterRoutes | undefined,
  { cors }: ResolvedOptions,
  kit: Kit,
): Router {
  const { contexts, warnOnce, trace } = kit
  const deps = { contexts, answerCors: createCors(cors), warnOnce, trace }
  return mountAll(emptyRouter(), routes, deps, later)
}

const emptyRouter = () => Router({ caseSensitive: true })
