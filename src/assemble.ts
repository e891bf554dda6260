import { type ConnectedHost, connectHost } from './connect-host.js'
import { createJudgeCredentials, createSignedIn, type JudgeCredentials } from './guard/authenticate.js'
import { createLiveSessions, type LiveSessions } from './guard/live-sessions.js'
import type { SignedIn } from './guard/principal.js'
import { createRecognise, type Recognise } from './guard/recognise.js'
import { createSocketRegistry, type SocketRegistry } from './guard/socket-registry.js'
import { createSocketTickets, type SocketTickets } from './guard/socket-ticket.js'
import { keepHouse } from './housekeeping.js'
import { type DigestIdentifier, identifierDigests } from './login/identifier.js'
import { type AuthorizationCodes, createAuthorizationCodes } from './pkce/authorization-code.js'
import type { ResolvedOptions } from './resolve-options.js'
import { createRevocations } from './revocations/revocations.js'
import { createSessions, type Sessions } from './sessions/sessions.js'
import { createSignInDecision, type DecideSignIn } from './sign-in.js'
import { createThrottle, type Throttle } from './throttle/throttle.js'
import { type AccessTokens, createAccessTokens } from './tokens/access-token.js'
import { createTotpEnrolment, type TotpEnrolment } from './two-factor/enrolment.js'
import { createSecondFactors, type SecondFactors } from './two-factor/second-factor.js'
import type { AuthUser } from './users/contract.js'
import { createDescribeMe, type Me } from './users/me.js'

/** What finds out who is asking. */
interface Guards {
  readonly judge: JudgeCredentials
  readonly recognise: Recognise
  readonly signedIn: SignedIn
  /** The same, and it lets those in who may only enrol in a second factor. */
  readonly signedInToEnrol: SignedIn
}

/** What the routes are made of. Each part was handed exactly the parts it needs; nobody is handed all of them. */
export interface Parts extends Guards {
  readonly host: ConnectedHost
  readonly throttle: Throttle
  /** As what an identifier is counted and reported. */
  readonly digestIdentifier: DigestIdentifier
  readonly accessTokens: AccessTokens
  readonly codes: AuthorizationCodes
  readonly sessions: Sessions
  readonly secondFactors: SecondFactors
  /** Null when the host keeps no TOTP seeds. */
  readonly enrolment: TotpEnrolment | null
  readonly decideSignIn: DecideSignIn
  /** Forgets what this process has read of a session. */
  readonly forgetSession: (sessionId: string) => void
  readonly registry: SocketRegistry
  /** Null when the host keeps no socket tickets. */
  readonly tickets: SocketTickets | null
  readonly describeMe: (user: AuthUser) => Promise<Me>
  close(): Promise<void>
}

/** Makes the parts, from the ground up. */
export function assemble(options: ResolvedOptions): Parts {
  const { clock, lifetimes, maxSessionsPerUser, beforeLogin } = options
  const host = connectHost(options)
  const { audit, call, users, noticeTime, otherFactors: others, mustHaveFactor } = host

  const throttle = createThrottle({ ...options, options: options.throttle, call, audit })
  const accessTokens = createAccessTokens(options.signer, call, noticeTime)
  const secondFactors = createSecondFactors({ totp: host.secondFactors, others, clock, audit })
  const enrolment = host.secondFactors && createTotpEnrolment({ ...host.secondFactors, issuer: options.totpIssuer, clock, audit })
  const codes = createAuthorizationCodes({ store: host.codes, lifetime: lifetimes.code, clock, audit })

  const revocations = createRevocations(options.bus, call)
  const sessions = createSessions({
    store: host.sessions,
    redeem: host.codes.redeem,
    lifetimes,
    maxSessionsPerUser,
    revocations,
    clock,
    noticeTime,
    audit,
  })
  const decideSignIn = createSignInDecision({ secondFactors, throttle, beforeLogin, call })

  const liveSessions = createLiveSessions({ sessions, users, mustHaveFactor, revocations, clock })
  const registry = createSocketRegistry({ revocations, liveSessions, sessions, clock })
  const tickets = host.tickets && createSocketTickets(host.tickets, liveSessions, clock)
  const describeMe = createDescribeMe(options.describeUser, call)

  const endHousekeeping = keepHouse({ ...host, interval: options.purgeInterval, clock })

  const close = async () => {
    endHousekeeping()
    registry.close()
    await Promise.all([revocations.close(), host.close()])
  }
  return {
    host,
    throttle,
    digestIdentifier: identifierDigests(options.encryptionKeys),
    accessTokens,
    codes,
    sessions,
    secondFactors,
    enrolment,
    decideSignIn,
    ...assembleGuards(accessTokens, liveSessions, host, clock),
    forgetSession: liveSessions.forget,
    registry,
    tickets,
    describeMe,
    close,
  }
}

function assembleGuards(
  accessTokens: AccessTokens,
  liveSessions: LiveSessions,
  { audit }: ConnectedHost,
  clock: () => Date,
): Guards {
  const judge = createJudgeCredentials({ accessTokens, requireSession: liveSessions.require, clock })
  const judgeToEnrol = createJudgeCredentials({ accessTokens, requireSession: liveSessions.requireToEnrol, clock })
  return {
    judge,
    recognise: createRecognise({ accessTokens, liveSessions, clock }),
    signedIn: createSignedIn(judge, audit),
    signedInToEnrol: createSignedIn(judgeToEnrol, audit),
  }
}
