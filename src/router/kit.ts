import { createAcceptance } from '../acceptance/acceptance.js'
import { createProvePassword } from '../account/prove-password.js'
import { type AccountsServer, createAccountsServer } from '../accounts/accounts-server.js'
import { isKept } from '../accounts/former-addresses.js'
import { type Mails, provenAddress } from '../accounts/mails.js'
import { createPhoneChannel, type PhoneChannel } from '../accounts/phones/phones.js'
import { createProofs, type Proofs } from '../accounts/proofs.js'
import {
  createDirectoryCounts,
  type DirectoryCounts,
  type LoadDirectories,
} from '../directory-sign-in/directories.js'
import type { DirectoriesGiven } from '../directory-sign-in/directory-sign-in.js'
import { createAuthentication } from '../guard/authenticate.js'
import { createAskForKeys } from '../guard/key-marks.js'
import { createSocketRegistry } from '../guard/socket-closing.js'
import { createPages } from '../http/page-origin.js'
import type { SignInKit, VerifyPassword } from '../kits/sign-in-kit.js'
import { forgetRejection } from '../lib/async.js'
import { ownMembers } from '../lib/check-options.js'
import { loadOnce } from '../lib/load-once.js'
import { silentLogger } from '../lib/logger.js'
import { identifierDigests } from '../login/login-request.js'
import { createVerifyPassword } from '../login/verify-password.js'
import { createMailer, type MailTexts } from '../mail/mailer.js'
import { type BackchannelLogout, createBackchannelLogout } from '../oauth/backchannel-logout.js'
import { addressAt } from '../oauth/base-url.js'
import { createOAuthServer, type OAuthServer } from '../oauth/oauth-server.js'
import { createPageSite, type PageSite } from '../pages/page-site.js'
import type { PagesKit } from '../pages/pages-kit.js'
import { createSignInUrl } from '../pages/sign-in-url.js'
import { createTexts } from '../pages/texts.js'
import { createPasskeyFactor, createPasskeyProof } from '../passkeys/passkey-factor.js'
import type { PasskeyServer } from '../passkeys/passkey-kit.js'
import { createPasskeyServer } from '../passkeys/passkey-server.js'
import {
  createRequiredOf,
  mustChangePassword,
  type RequiredOf,
} from '../principal/required-actions.js'
import { createProviderServer, type ProviderServer } from '../provider-sign-in/provider-kit.js'
import { createIssueSession } from '../sessions/issuing.js'
import { createLiveSessions } from '../sessions/live-sessions.js'
import { createPasswordStands } from '../sessions/password-stands.js'
import { createPasswordWatch } from '../sessions/password-watch.js'
import { createRevocations } from '../sessions/revocations.js'
import { createSessions, createUsedPairs } from '../sessions/sessions.js'
import { createFactorStands, createSignInDecision, type StandsInDirectory } from '../sign-in.js'
import {
  createMustSignInForDevice,
  createProveAgain,
  createRequireFresh,
} from '../sign-in-again.js'
import { createThrottle } from '../throttle/throttle.js'
import { createAccessTokens } from '../tokens/access-token.js'
import { createKeptCodes } from '../two-factor/recovery-codes.js'
import { forgetsBrowsers, type RememberedBrowsers } from '../two-factor/remembered-browser.js'
import { createSecondFactors } from '../two-factor/second-factor.js'
import type { AuthUser } from '../users/contract.js'
import { createDescribeMe } from '../users/me.js'
import { type ConnectedHost, connectHost } from './connect-host.js'
import { type CountSignIns, countSignIns } from './counts.js'
import type { ResolvedOptions } from './option-schema.js'
import { startPurging } from './purging.js'

/** All parts that capabilities share, in one object. Each capability receives all of it. */
export interface Kit extends SignInKit, ConnectedHost, Pick<PagesKit, 'qrCode' | 'directoryNames'> {
  readonly signIns: CountSignIns['signIns']
  /** Rejects while the bus is disconnected. Null without a bus. */
  readonly checkBus: (() => Promise<void>) | null
  /** Seconds of password hashing that may wait. */
  readonly maxPasswordWait: number
  /** Undefined without the option `deviceLinks`. */
  readonly deviceLinks: ResolvedOptions['deviceLinks']
  /** Undefined without the option `oauth`. */
  readonly oauthServer: OAuthServer | undefined
  /** Undefined without the option `oauth.logout`. */
  readonly backchannelLogout: BackchannelLogout | undefined
  /** Common parts of the sign-in pages; undefined without the option `oauth`. */
  readonly pageSite: PageSite | undefined
  /** Undefined without the option `passkeys`. */
  readonly passkeyServer: PasskeyServer | undefined
  /** Undefined without the option `providers`. */
  readonly providerServer: ProviderServer | undefined
  /** Undefined without the option `directories`. */
  readonly loadDirectories: LoadDirectories | undefined
  /** By the id of the directory; empty without the option. */
  readonly directoryCounts: ReadonlyMap<string, DirectoryCounts>
  /** Undefined without the options `accounts`, `providers` and `directories`. */
  readonly proofs: Proofs | undefined
  /** Undefined without the option `accounts`. */
  readonly accountsServer: AccountsServer | undefined
  close(): Promise<void>
}

/** Makes the kit, floor by floor. */
export function createKit(options: ResolvedOptions): Kit {
  const host = { ...settingsOf(options), ...connectHost(options) }
  const keeping = { ...host, ...keepSessions(options, host) }
  const serving = { ...keeping, ...serve(options, keeping) }
  const factors = { ...serving, ...askForFactors(options, serving) }
  const deciding = { ...factors, ...decide(factors, options) }
  const kit = { ...deciding, ...guard(deciding, options) }
  const { accountsServer, backchannelLogout, oauthServer, passkeyServer } = kit
  const others = [oauthServer?.once, passkeyServer?.once, oauthServer?.registration]
  const endPurging = startPurging(kit, others, options.purgeInterval)
  return {
    ...kit,
    async close() {
      endPurging()
      const { storeTimeout } = options
      await Promise.all([
        accountsServer?.closeMail(storeTimeout),
        backchannelLogout?.close(storeTimeout),
      ])
      await Promise.all([kit.revocations.close(), kit.closeHost()])
    },
  }
}

function settingsOf(options: ResolvedOptions) {
  const registration = options.accounts?.registration
  const { clock, signer, encryptionKeys, totpIssuer, maxPasswordWait } = options
  const { beforeLogin, deviceLinks, allowedOrigins, lifetimes, pkce, pages } = options
  return {
    clock,
    signer,
    encryptionKeys,
    totpIssuer,
    maxPasswordWait,
    beforeLogin,
    deviceLinks,
    allowedOrigins,
    qrCode: pages?.qrCode,
    hasAccountPage: pages?.account !== false,
    directoryNames: options.directories?.list.map(({ name }) => name) ?? [],
    isRegistrationOpen: registration !== undefined && registration !== 'invited',
    codeLifetime: lifetimes.code,
    accessTokenLifetime: lifetimes.accessToken,
    refreshGrace: lifetimes.refreshGrace,
    longestSession: lifetimes.sessionAbsolute,
    maxSignInAge: pkce.maxAge,
    endWithIssuer: pkce.endWithIssuer,
    mailsActing: options.accounts?.notices.includes('acted-for') === true,
    usersMakeNamedTokens: options.namedTokens,
    namedSurvivePassword: options.accessTokensSurvivePasswordChange,
  }
}

type Host = ReturnType<typeof settingsOf> & ConnectedHost

// Sessions, their tokens and the limits.
function keepSessions(options: ResolvedOptions, host: Host) {
  const { lifetimes, maxSessionsPerUser, oauth, pkce } = options
  const { signer, sessionStore, codeStore, proofStore, call, warnOnce } = host
  const throttle = createThrottle({
    ...host,
    options: options.throttle,
    knownFor: lifetimes.sessionAbsolute,
    reportsNetworks: options.accounts?.notices.includes('new-network') === true,
    logger: options.logger ?? silentLogger,
  })
  const { takeIssue, knownNetworks } = throttle
  const digestIdentifier = identifierDigests(host.encryptionKeys)
  const accessTokens = createAccessTokens(signer, call, host.noticeTime)
  const revocations = createRevocations(options.bus, call, options.storeTimeout)
  const passwordWatch = createPasswordWatch(options.watchPasswordHash, warnOnce)
  const sessions = createSessions({
    ...host,
    store: sessionStore,
    redeem: codeStore.redeem,
    lifetimes,
    maxSessionsPerUser,
    passwordWatch,
    revocations,
    opensChildren: oauth !== undefined || pkce.endWithIssuer,
    forgetBrowsers:
      options.secondFactor?.remember && proofStore && forgetsBrowsers(proofStore, host.clock),
    noticeUse: knownNetworks.renew,
  })
  const kept = { throttle, takeIssue, knownNetworks, accessTokens, passwordWatch, sessions }
  return {
    ...kept,
    digestIdentifier,
    revocations,
    checkBus: revocations.check,
    passwordStands: createPasswordStands({ ...host, ...kept }),
    issueSession: createIssueSession({ ...host, ...kept }),
  }
}

// Passkeys, apps and pages, by the options.
function serve(options: ResolvedOptions, kit: Host & ReturnType<typeof keepSessions>) {
  const { oauth, passkeys, pages, pagesOrigin } = options
  const { totp } = kit
  const oauthServer = oauth && createOAuthServer(kit, oauth)
  const site = ownMembers({ ...pages })
  const hasPasskeys = passkeys !== undefined
  const keptCodes = createKeptCodes(totp?.store)
  // The sign-in pages for apps need the cookie too.
  const origin = pagesOrigin ?? oauthServer?.baseUrl.origin
  const passkeyServer = passkeys && createPasskeyServer(kit, passkeys, keptCodes)
  const consentStore = oauthServer?.consents
  const server = oauthServer?.offersLogout === true ? oauthServer : undefined
  return {
    oauthServer,
    backchannelLogout: server && createBackchannelLogout({ ...kit, ...server }),
    metadataUrls: oauthServer?.metadataUrls,
    pagesUrl: oauthServer?.baseUrl,
    pageSite: oauthServer && createPageSite(site, oauthServer.baseUrl, hasPasskeys),
    signInUrl: oauthServer && createSignInUrl(oauthServer.baseUrl),
    passkeyServer,
    passkeyStore: passkeyServer?.passkeyStore,
    consentStore,
    passkeyFactor: passkeyServer && createPasskeyFactor({ ...kit, ...passkeyServer, consentStore }),
    ...serveProviders(options, kit, oauthServer?.baseUrl),
    pages: origin === undefined ? undefined : createPages(origin, kit.warnOnce),
  }
}

// Signing in somewhere else, by a directory, and the proofs that both share with accounts.
function serveProviders(options: ResolvedOptions, kit: Host, pagesUrl: URL | undefined) {
  const { accounts, providers, directories } = options
  const { proofStore, call } = kit
  const { remember } = options.secondFactor ?? {}
  const needs = [accounts, providers, directories, remember]
  const needsProofs = needs.some((option) => option !== undefined)
  const proofs = needsProofs && proofStore ? createProofs({ ...kit, proofStore }) : undefined
  const without = { providerServer: undefined, mayUsePassword: undefined, takesPasswords: true }
  if (providers === undefined) return { proofs, ...without }
  const { baseUrl = pagesUrl, only, passwordFor = () => false } = providers
  // Checked at the start: there is one of the two addresses.
  const address = new URL(baseUrl as string | URL)
  return {
    proofs,
    providerServer: createProviderServer(kit, providers, address),
    takesPasswords: !only || providers.passwordFor !== undefined,
    mayUsePassword: only
      ? (user: AuthUser) =>
          call('providers.passwordFor', async () => (await passwordFor(user)) === true)
      : undefined,
  }
}

type Served = Host & ReturnType<typeof keepSessions> & ReturnType<typeof serve>

// The second factors of users: TOTP, those of the host, and codes by mail.
function askForFactors(options: ResolvedOptions, kit: Served) {
  const accountsServer = serveAccounts(options, kit)
  const codeFactors = [...kit.otherFactors, ...(accountsServer?.sentCodes ?? [])]
  const acceptHostMfa = options.secondFactor?.acceptHostMfa === true
  const secondFactors = createSecondFactors({ ...kit, codeFactors, acceptHostMfa })
  const acceptance = options.acceptance && createAcceptance(kit, options.acceptance)
  return {
    acceptance,
    requiredOf: requiredBy(options, { ...kit, ...secondFactors, acceptance, accountsServer }),
    accountsServer,
    noticePassword: accountsServer?.noticeBreached ?? (() => {}),
    codeFactors,
    secondFactors,
    meetsFactorPolicy: secondFactors.meetsFactorPolicy,
    mayGoOn: secondFactors.mayGoOn,
    rememberedBrowsers: rememberBrowsers(options, kit),
  }
}

// What users must do before a session opens anything, by the options.
function requiredBy(
  { accounts, secondFactor }: ResolvedOptions,
  kit: Served & Pick<SignInKit, 'acceptance' | 'mayGoOn'> & Pick<Kit, 'accountsServer'>,
): RequiredOf {
  const { mayGoOn, acceptance, accountsServer } = kit
  const contacts = accounts?.provenAddress === true ? accountsServer?.contacts : undefined
  return createRequiredOf({
    'change-password': mustChangePassword,
    ...(contacts && {
      'verify-address': async (user) => provenAddress(await contacts.findContact(user.id)) === null,
    }),
    ...(secondFactor?.policy && {
      enrol: (user, methods) => !mayGoOn(methods) && kit.mustHaveFactor(user),
    }),
    ...(acceptance && { accept: async (user) => (await acceptance.dueFor(user)).length > 0 }),
  })
}

// Browsers that are not asked for the second factor again, by the option.
function rememberBrowsers(
  { secondFactor }: ResolvedOptions,
  kit: Served,
): RememberedBrowsers | undefined {
  const { proofs, proofStore } = kit
  const { remember } = secondFactor ?? {}
  if (remember === undefined || proofs === undefined || proofStore === undefined) return undefined
  const { days } = remember
  const load = loadOnce(async () => {
    const { createRememberedBrowsers } = await import('../remembered/remembered-browsers.js')
    return createRememberedBrowsers({ ...kit, proofs, proofStore, nameDevice }, days)
  })
  return {
    days,
    judge: async (...asked) => (await load()).judge(...asked),
    keep: async (...asked) => (await load()).keep(...asked),
    list: async (userId) => (await load()).list(userId),
    forget: async (...asked) => (await load()).forget(...asked),
  }
}

type Asking = Served & ReturnType<typeof askForFactors>

// The decision about sign-ins, and the check of passwords.
function decide(kit: Asking, options: ResolvedOptions) {
  const { passkeyServer, passkeyFactor, secondFactors } = kit
  const { verifyPassword, standsInDirectory, ...elsewhere } = verifyPasswords(kit, options)
  const { passwordElsewhere } = elsewhere
  const { countDecision, signIns } = countSignIns(kit.observeEvents)
  const deciding = { ...kit, standsInDirectory }
  const decideSignIn = createSignInDecision(deciding, kit.beforeLogin, countDecision)
  const provePassword = createProvePassword(kit, verifyPassword)
  const passkeyProof = passkeyServer && createPasskeyProof({ ...kit, ...passkeyServer })
  const proving = { ...kit, provePassword, passkeyProof, decideSignIn }
  const proveAgain = createProveAgain(proving)
  const owesFactor = async (user: AuthUser) =>
    (await secondFactors.of(user)) !== null || (await passkeyFactor?.isDemanded(user)) === true
  // A password that no door takes cannot be shown.
  const owesPassword = async (user: AuthUser) =>
    (user.passwordHash !== null || (await passwordElsewhere?.(user.id)) != null) &&
    (await kit.mayUsePassword?.(user)) !== false
  const hasMoreToShow = async (user: AuthUser) =>
    (await owesFactor(user)) || (await passkeyProof?.hasAny(user.id)) === true
  return {
    verifyPassword,
    ...elsewhere,
    decideSignIn,
    signIns,
    factorStands: createFactorStands(kit),
    provePassword,
    proveAgain,
    requireFresh: createRequireFresh(proving, proveAgain, owesFactor),
    hasSecondFactor: async (user: AuthUser) =>
      (await owesFactor(user)) || (await kit.mustHaveFactor(user)),
    hasMoreToShow,
    owesPassword,
    mustSignInForDevice: createMustSignInForDevice(proving, hasMoreToShow),
  }
}

// By the host's hashes, or by the user's directory.
function verifyPasswords(kit: Asking, { directories: options }: ResolvedOptions) {
  const { identities, accountsServer } = kit
  const verifyByHash = createVerifyPassword(kit.hasher, kit.audit, kit.clock)
  const list = options?.list ?? []
  const directoryCounts = new Map(list.map(({ id }) => [id, createDirectoryCounts(kit.clock())]))
  const without = { standsInDirectory: undefined, passwordElsewhere: undefined, directoryCounts }
  if (options === undefined || identities === undefined)
    return { verifyPassword: verifyByHash, loadDirectories: undefined, ...without }
  const isKept = keptAddresses(accountsServer)
  const given: DirectoriesGiven = { ...kit, verifyByHash, directoryCounts, isKept }
  const loadDirectories: LoadDirectories = loadOnce(async () => {
    const { createDirectorySignIn } = await import('../directory-sign-in/directory-sign-in.js')
    return createDirectorySignIn(given, options, identities)
  })
  // At once: it also looks at those who are signed in.
  forgetRejection(loadDirectories())
  const verifyPassword: VerifyPassword = async (...asked) =>
    (await loadDirectories()).verifyPassword(...asked)
  const standsInDirectory: StandsInDirectory = async (...asked) =>
    (await loadDirectories()).standsInDirectory(...asked)
  const passwordElsewhere = async (userId: string) =>
    (await loadDirectories()).passwordElsewhere(userId)
  return { verifyPassword, loadDirectories, standsInDirectory, passwordElsewhere, directoryCounts }
}

/** Whether an address is kept for a user who can go back to it. */
export function keptAddresses(server: AccountsServer | undefined) {
  return async (email: string): Promise<boolean> => server !== undefined && isKept(server, email)
}

function serveAccounts(options: ResolvedOptions, kit: Served): AccountsServer | undefined {
  const { accounts, pages, storeTimeout } = options
  if (accounts === undefined) return undefined
  // Without pages, their texts are those of the mails alone.
  const { language = 'en' } = kit.pageSite ?? { ...pages }
  const languages = kit.pageSite?.languages ?? createTexts(pages?.texts, kit.totpIssuer)
  const { pagesUrl } = kit
  const urls = {
    forgotUrl:
      pagesUrl && options.users.updatePasswordHash && addressAt(pagesUrl, '/account/forgot'),
    accountUrl: pagesUrl && kit.hasAccountPage ? addressAt(pagesUrl, '/account') : undefined,
  }
  const texts = { languages, language, ...urls }
  const settings = { ...texts, sender: accounts.mail, nameDevice, storeTimeout }
  const mailer = createMailer(kit, settings)
  return createAccountsServer(kit, accounts, mailer, (mails) =>
    servePhones(options, kit, texts, mails),
  )
}

// Text messages, by the option `accounts.phones`.
function servePhones(
  { accounts, storeTimeout }: ResolvedOptions,
  kit: Served,
  { languages, language }: Pick<MailTexts, 'languages' | 'language'>,
  mails: Mails,
): PhoneChannel | undefined {
  const { phones } = accounts ?? {}
  const { proofs, proofStore } = kit
  const { findContact, updatePhone, setPhoneFactor } = kit.users
  // Checked at the start.
  if (!phones || !proofs || !proofStore || !findContact || !updatePhone) return undefined
  const service = phones.name ?? kit.totpIssuer
  const owners = { ...kit, proofs, proofStore, findContact, updatePhone, setPhoneFactor, mails }
  return createPhoneChannel(phones, async () => {
    const { loadPhones } = await import('../accounts/phones/phone-channel.js')
    return loadPhones(owners, phones, { languages, language, service, storeTimeout })
  })
}

// Imported with the first mail and not with the router: what knows the devices is heavy.
async function nameDevice(userAgent: string | null): Promise<string | null> {
  const { deviceName } = await import('../account/device-name.js')
  return deviceName(userAgent)
}

// Authentication of requests.
function guard(kit: Asking, { lifetimes, describeUser }: ResolvedOptions) {
  const { signer, call, clock } = kit
  const liveSessions = createLiveSessions(kit)
  const watched = { ...kit, liveSessions, forgetSession: liveSessions.forget }
  const askForKeys = createAskForKeys(signer, call)
  const registry = createSocketRegistry(watched, lifetimes.sessionIdle, askForKeys)
  return {
    liveSessions,
    forgetSession: liveSessions.forget,
    ...createAuthentication(watched, createUsedPairs(kit.sessions, clock)),
    nameDevice,
    registry,
    countSockets: registry.count,
    describeMe: createDescribeMe(describeUser, call),
  }
}
