// The front door: every name a host can import, and nothing else.

// The router.
export { type AuthRouter, createAuthRouter } from './create-auth-router.js'
// What can go wrong, and what happened.
export { AuthConfigError, AuthError, type AuthErrorCode, type AuthErrorOptions } from './errors.js'
export type { AuditStats, LimitStats } from './event-counts.js'
export type {
  AuthEvent,
  AuthEventBody,
  CodeRefusal,
  EventSink,
  Logger,
  RefreshRefusal,
  RequestContext,
  SignInRefusal,
  ThrottleScope,
} from './events.js'
// Guards.
export type { Guard, RequireAuthOptions } from './guard/http-guard.js'
export type { PassportActions, PassportStrategy } from './guard/passport-strategy.js'
export type { Principal } from './guard/principal.js'
export type { SocketIoGuard, SocketIoSocket } from './guard/socket-io.js'
export { socketCloseCodes } from './guard/socket-registry.js'
export type { Sockets } from './guard/sockets.js'
export type { ClosableSocket, TrackedSocket } from './guard/tracked-socket.js'
export type { HostFailure } from './lib/host-call.js'
export type { CanonicalIdentifier } from './login/identifier.js'
export type { UnlockLogin } from './login/unlock-login.js'
export type { AuthRouterOptions, Lifetimes } from './options.js'
export type { PasswordStats } from './passwords/admission.js'
export { type BcryptHasher, type BcryptHasherOptions, bcryptHasher } from './passwords/bcrypt-hasher.js'
export type { PasswordHasher } from './passwords/contract.js'
export type { WaitTimes } from './passwords/recent-waits.js'
export type { WaitingRoomStats } from './passwords/waiting-room.js'
// Codes and second factors for the host's own pages.
export type { IssuedAuthorizationCode } from './pkce/authorization-code.js'
export type { IssueAuthorizationCode, IssueAuthorizationCodeRequest } from './pkce/issue-for-host.js'
export type { RevocationBus, SessionEnded } from './revocations/contract.js'
// Sessions for the host's own code, and what ends them everywhere.
export type { SessionSummary } from './sessions/sessions.endpoint.js'
export type { SessionsForHost } from './sessions/sessions-for-host.js'
export type { BeforeLogin, LoginAttempt, SignInDoor } from './sign-in.js'
export type {
  AccessTokenClaims,
  JsonWebKeySet,
  KeyInfo,
  KeyRing,
  KeyState,
  KeyStore,
  RingSnapshot,
  StoredSigningKey,
  TokenSigner,
} from './signers/contract.js'
// Shipped parts.
export { type JoseSignerOptions, joseSigner } from './signers/jose-signer.js'
export { type CheckedKey, generateSigningKey, type SigningAlgorithm, type SigningKey } from './signers/key-material.js'
export { type KeyRingOptions, keyRing, type StoredRingOptions } from './signers/key-ring.js'
export type { AuthStats } from './stats.js'
export type {
  AuthenticationMethod,
  AuthorizationCodeRecord,
  AuthorizationCodeStore,
  ConsumeResult,
  ConsumeTicketResult,
  EndReason,
  PendingSecondFactor,
  RefreshRotation,
  RefreshState,
  RotateResult,
  SecondFactorRecord,
  SecondFactorStore,
  SessionKind,
  SessionRecord,
  SessionSeen,
  SessionStore,
  SocketTicketRecord,
  SocketTicketStore,
  SpentRefreshToken,
} from './stores/contract.js'
export { type ProbeStoresOptions, probeStores, type StoresToProbe } from './stores/probe-stores.js'
export type { Limit, LimiterSettings, ThrottleOptions } from './throttle/limits.js'
export type { OtherFactor, SecondFactorPolicy } from './two-factor/contract.js'
export type { TotpStatus } from './two-factor/enrolment.js'
export type { ImportedSecondFactor, SecondFactorsForHost } from './two-factor/second-factors-for-host.js'
// What a host supplies.
export type { AuthUser, LoginIdentifier, PresenceStatus, UserStore } from './users/contract.js'
export type { DescribeUser } from './users/me.js'
