// The front door: every name a host can import, and nothing else.

// The router.
export { type AuthRouter, createAuthRouter } from './create-auth-router.js'
// What can go wrong, and what happened.
export { AuthConfigError, AuthError, type AuthErrorCode, type AuthErrorOptions } from './errors.js'
export type {
  AuthEvent,
  AuthEventBody,
  CodeRefusal,
  EventSink,
  Logger,
  RequestContext,
  SignInRefusal,
  ThrottleScope,
} from './events.js'
// Guards.
export type { Guard, RequireAuthOptions } from './guard/http-guard.js'
export type { PassportActions, PassportStrategy } from './guard/passport-strategy.js'
export type { Principal } from './guard/principal.js'
export type { HostFailure } from './lib/host-call.js'
export type { CanonicalIdentifier } from './login/identifier.js'
export type { AuthRouterOptions, Lifetimes } from './options.js'
export { type BcryptHasher, type BcryptHasherOptions, bcryptHasher } from './passwords/bcrypt-hasher.js'
export type { PasswordHasher } from './passwords/contract.js'
// Codes and second factors for the host's own pages.
export type { IssuedAuthorizationCode } from './pkce/authorization-code.js'
export type { IssueAuthorizationCode, IssueAuthorizationCodeRequest } from './pkce/issue-for-host.js'
export type { BeforeLogin, LoginAttempt, SignInDoor } from './sign-in.js'
export type { AccessTokenClaims, JsonWebKeySet, TokenSigner } from './signers/contract.js'
// Shipped parts.
export { type JoseSignerOptions, joseSigner } from './signers/jose-signer.js'
export { generateSigningKey, type SigningAlgorithm, type SigningKey } from './signers/key-material.js'
export type {
  AuthenticationMethod,
  AuthorizationCodeRecord,
  AuthorizationCodeStore,
  ConsumeResult,
  EndReason,
  SecondFactorRecord,
  SecondFactorStore,
  SessionKind,
  SessionRecord,
  SessionSeen,
  SessionStore,
} from './stores/contract.js'
export type { Limit, LimiterSettings, ThrottleOptions } from './throttle/throttle.js'
export type { ImportedSecondFactor, SecondFactorsForHost } from './two-factor/second-factor.js'
// What a host supplies.
export type { AuthUser, LoginIdentifier, PresenceStatus, UserStore } from './users/contract.js'
export type { DescribeUser } from './users/me.js'
