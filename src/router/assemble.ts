import {
  type Authenticate,
  createAuthenticate,
  createAuthenticateRequest,
  createSignedIn,
} from '../guard/authenticate.js'
import { createRecognise, type Recognise } from '../guard/recognise.js'
import { createSocketRegistry, type SocketRegistry } from '../guard/socket-closing.js'
import { createPages, type Pages } from '../http/pages.js'
import { type DigestIdentifier, identifierDigests } from '../login/identifier.js'
import { createVerifyPassword, type VerifyPassword } from '../login/verify-password.js'
import { createOAuthServer, type OAuthServer } from '../oauth/oauth-server.js'
import { createPageSite, type PageSite } from '../pages/page-site.js'
import { createPasskeyServer, type PasskeyServer } from '../passkeys/passkey-server.js'
import type { AuthenticateRequest, SignedIn } from '../principal/principal.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import { createIssueSession, type IssueSession } from '../sessions/issuing.js'
import { createLiveSessions, type LiveSessions } from '../sessions/live-sessions.js'
import { createPasswordStands, type PasswordStands } from '../sessions/password-stands.js'
import { createPasswordWatch, type PasswordWatch } from '../sessions/password-watch.js'
import { createRevocations, type Revocations } from '../sessions/revocations.js'
import { createSessions, type Sessions } from '../sessions/sessions.js'
import { createUsedPairs } from '../sessions/used-pairs.js'
import { createFactorStands, createSignInDecision, type DecideSignIn } from '../sign-in.js'
import { createThrottle, type Throttle } from '../throttle/throttle.js'
import { type AccessTokens, createAccessTokens } from '../tokens/access-token.js'
import { createSecondFactors, type SecondFactors } from '../two-factor/second-factor.js'
import type { AuthUser } from '../users/contract.js'
import { createDescribeMe, type Me } from '../users/me.js'
import { type ConnectedHost, connectHost } from './connect-host.js'
import { startPurging } from './purging.js'
import type { ResolvedOptions } from './resolve-options.js'

/** What more than one capability is made of. The map hands each of them what it uses. */
export interface Parts extends Guarding, Keeping {
  readonly host: ConnectedHost
  readonly throttle: Throttle
  /** As what an identifier is counted and reported. */
  readonly digestIdentifier: DigestIdentifier
  /** One for all: the first password of a process must take longer for everyone alike. */
  readonly verifyPassword: VerifyPassword
  readonly accessTokens: AccessTokens
  readonly issueSession: IssueSession
  readonly revocations: Pick<Revocations, 'announce' | 'onEnded'>
  readonly liveSessions: LiveSessions
  readonly secondFactors: SecondFactors
  readonly decideSignIn: DecideSignIn
  /** Whether the second factor is still the one that a decision knew. */
  readonly factorStands: (approved: ApprovedSignIn) => Promise<boolean>
  readonly registry: SocketRegistry
  /** Null: the host has none that send a cookie. */
  readonly pages: Pages | null
  /** Null: no app of others signs its users in here. */
  readonly oauth: OAuthServer | null
  /** What the pages for them have in common; null with `oauth`. */
  readonly pageSite: PageSite | null
  /** Null: the host takes no passkeys. */
  readonly passkeys: PasskeyServer | null
  /** Rejects while the bus is away. Null when there is none. */
  readonly checkBus: (() => Promise<void>) | null
  readonly describeMe: (user: AuthUser) => Promise<Me>
  close(): Promise<void>
}

/** The rows of sessions, and the password hash that they may depend on. */
interface Keeping {
  readonly sessions: Sessions
  readonly passwordWatch: PasswordWatch
  readonly passwordStands: PasswordStands
}

/** What finds out who is asking. */
interface Guarding {
  readonly authenticate: Authenticate
  readonly recognise: Recognise
  readonly authenticateRequest: AuthenticateRequest
  readonly signedIn: SignedIn
}

/** Makes the parts, from the ground up. */
export function assemble(options: ResolvedOptions): Parts {
  const { clock, signer } = options
  const host = connectHost(options)
  const { call, users } = host

  const throttle = assembleThrottle(options, host)
  const accessTokens = createAccessTokens(signer, call, host.noticeTime)
  const secondFactors = assembleFactors(options, host)
  const revocations = createRevocations(options.bus, call, options.storeTimeout)
  const keeping = assembleSessions(options, host, revocations, throttle)
  const { sessions, passwordStands } = keeping
  const liveSessions = createLiveSessions({
    sessions,
    users,
    passwordStands,
    mustHaveFactor: host.mustHaveFactor,
    hasShownFactor: secondFactors.hasBeenShown,
    revocations,
    clock,
  })
  const { sessionIdle } = options.lifetimes
  const oauth = assembleOAuth(options, host)
  const pageSite = assemblePageSite(options, host, oauth)
  const passkeys = assemblePasskeys(options, host, throttle)
  const endPurging = assemblePurging(options, host, { oauth, passkeys })

  return {
    host,
    throttle,
    digestIdentifier: identifierDigests(options.encryptionKeys),
    verifyPassword: createVerifyPassword(host.passwords, host.audit),
    accessTokens,
    ...keeping,
    issueSession: assembleIssuing(options, sessions, accessTokens),
    revocations,
    liveSessions,
    secondFactors,
    ...assembleDecision(options, host, { secondFactors, passkeys, throttle }),
    ...assembleGuarding(accessTokens, liveSessions, sessions, host, clock),
    registry: createSocketRegistry({ revocations, liveSessions, sessions, sessionIdle, clock }),
    pages: assemblePages(options, oauth),
    oauth,
    pageSite,
    passkeys,
    checkBus: revocations.check,
    describeMe: createDescribeMe(options.describeUser, call),
    async close() {
      endPurging()
      await Promise.all([revocations.close(), host.close()])
    },
  }
}

function assembleFactors(
  { secondFactor, clock }: ResolvedOptions,
  { secondFactors, otherFactors, audit }: ConnectedHost,
): SecondFactors {
  return createSecondFactors({
    totp: secondFactors,
    others: otherFactors,
    acceptHostMfa: secondFactor?.acceptHostMfa === true,
    clock,
    audit,
  })
}

function assembleDecision(
  { beforeLogin }: ResolvedOptions,
  { call }: ConnectedHost,
  { secondFactors, passkeys: server, throttle }: Pick<Parts, DecidedBy>,
): Pick<Parts, 'decideSignIn' | 'factorStands'> {
  const passkeys = server === null ? null : server.factor
  return {
    decideSignIn: createSignInDecision({ secondFactors, passkeys, throttle, beforeLogin, call }),
    factorStands: createFactorStands(secondFactors, passkeys),
  }
}

type DecidedBy = 'secondFactors' | 'passkeys' | 'throttle'

function assembleIssuing(
  { lifetimes: { sessionAbsolute, accessToken }, clock }: ResolvedOptions,
  sessions: Sessions,
  accessTokens: AccessTokens,
): IssueSession {
  const tokenLifetimes = { session: sessionAbsolute, refreshable: accessToken }
  return createIssueSession({ sessions, accessTokens, tokenLifetimes, clock })
}

function assembleThrottle(options: ResolvedOptions, { call, audit }: ConnectedHost): Throttle {
  return createThrottle({
    options: options.throttle,
    encryptionKeys: options.encryptionKeys,
    knownFor: options.lifetimes.sessionAbsolute,
    logger: options.logger,
    call,
    audit,
  })
}

function assembleSessions(
  { lifetimes, maxSessionsPerUser, watchPasswordHash, oauth, clock }: ResolvedOptions,
  { sessions: store, codes, users, sayOnce, noticeTime, audit }: ConnectedHost,
  revocations: Revocations,
  { knownNetworks }: Throttle,
): Keeping {
  const passwordWatch = createPasswordWatch(watchPasswordHash, sayOnce)
  const sessions = createSessions({
    store,
    redeem: codes.redeem,
    lifetimes,
    maxSessionsPerUser,
    passwordWatch,
    revocations,
    opensChildren: oauth !== undefined,
    clock,
    noticeTime,
    noticeUse: knownNetworks.renew,
    audit,
  })
  const passwordStands = createPasswordStands({ passwordWatch, sessions, users })
  return { sessions, passwordWatch, passwordStands }
}

function assembleGuarding(
  accessTokens: AccessTokens,
  liveSessions: LiveSessions,
  sessions: Sessions,
  { audit }: ConnectedHost,
  clock: () => Date,
): Guarding {
  const usedPairs = createUsedPairs(sessions, clock)
  const authenticate = createAuthenticate({ accessTokens, liveSessions, usedPairs, clock })
  const authenticateRequest = createAuthenticateRequest(authenticate, audit)
  return {
    authenticate,
    authenticateRequest,
    recognise: createRecognise({ accessTokens, liveSessions, usedPairs, clock }),
    signedIn: createSignedIn(authenticateRequest, audit),
  }
}

function assembleOAuth(
  { oauth, signer, clock }: ResolvedOptions,
  { call, sayOnce }: ConnectedHost,
): OAuthServer | null {
  if (oauth === undefined) return null
  return createOAuthServer({ options: oauth, signer, call, sayOnce, clock })
}

function assemblePageSite(
  { pages = {}, passkeys }: ResolvedOptions,
  { call }: ConnectedHost,
  oauth: OAuthServer | null,
): PageSite | null {
  return oauth && createPageSite(pages, oauth.baseUrl, call, passkeys !== undefined)
}

function assemblePasskeys(
  { passkeys: options, encryptionKeys, clock }: ResolvedOptions,
  { mustHaveFactor, call, audit }: ConnectedHost,
  throttle: Throttle,
): PasskeyServer | null {
  if (options === undefined) return null
  const deps = { options, encryptionKeys, mustHaveFactor, throttle, call, clock, audit }
  return createPasskeyServer(deps)
}

// A browser is known by a cookie wherever apps send it to sign in.
function assemblePages({ pagesOrigin }: ResolvedOptions, oauth: OAuthServer | null): Pages | null {
  const origin = pagesOrigin ?? oauth?.baseUrl.origin
  return origin === undefined ? null : createPages(origin)
}

function assemblePurging(
  { purgeInterval, clock }: ResolvedOptions,
  host: ConnectedHost,
  { oauth, passkeys }: Pick<Parts, 'oauth' | 'passkeys'>,
) {
  const { codes, sessions, tickets, secondFactors, noticeTime, audit } = host
  return startPurging({
    codes,
    sessions,
    tickets,
    secondFactors: secondFactors === null ? null : secondFactors.store,
    once: [oauth, passkeys].flatMap((server) => (server === null ? [] : [server.once])),
    interval: purgeInterval,
    clock,
    noticeTime,
    audit,
  })
}
