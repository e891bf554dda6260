// The entry point: every name a host can import, and nothing else.

// The router.

export type {
  ClientsForHost,
  CreateClientOptions,
  CreatedClient,
  RegisteredClient,
} from './oauth/clients-for-host.js'
export type { OpenApiDocument } from './openapi/document.js'
export type { AuthRouter } from './router/auth-router.js'
export { createAuthRouter } from './router/create-auth-router.js'
export type { AuthHealth, PartHealth } from './router/health.js'
export type { AuthStats } from './router/metrics.js'
export type { DescribeApi, OpenApiOptions } from './router/openapi.js'
export type { AuthRouterOptions, Lifetimes, PkceOptions } from './router/options.js'

// What a host supplies.

export type { DeviceLinksOptions } from './device-links/device-links-options.js'
export type {
  Directory,
  DirectoryCheck,
  DirectoryEntry,
  DirectoryRefusal,
  DirectoryVerdict,
} from './directories/contract.js'
export type {
  DirectoriesForHost,
  DirectoryLook,
  EntryToConnect,
  IdentitiesForHost,
} from './directory-sign-in/directories.js'
export type { DirectoriesOptions } from './directory-sign-in/directories-options.js'
export type { CanonicalIdentifier } from './login/login-request.js'
export type {
  ApiOptions,
  ClientDocumentsOptions,
  ClientRegistrationOptions,
  DeviceFlowOptions,
  LogoutOptions,
  OAuthOptions,
  ScopeText,
} from './oauth/oauth-options.js'
export type { ClaimsRequest, DescribeClaims } from './oauth/user-claims.js'
export type {
  AssertionToVerify,
  CreationToVerify,
  PasskeyVerifier,
  VerifiedAssertion,
  VerifiedCreation,
} from './passkeys/contract.js'
export type { PasskeysOptions } from './passkeys/passkeys-options.js'
export type { PasswordHasher } from './passwords/contract.js'
export type { ProvidersOptions, UnknownIdentity } from './provider-sign-in/providers-options.js'
export type {
  FinishedFlow,
  FlowToFinish,
  FlowToStart,
  Identity,
  Provider,
  ProviderLogo,
  ProviderLogout,
  StartedFlow,
} from './providers/contract.js'
export type { BeforeLogin, LoginAttempt, SignInDoor } from './sign-in.js'
export type {
  AccessTokenClaims,
  IdTokenAlgorithm,
  IdTokenClaims,
  JsonWebKeySet,
  KeyInfo,
  KeyRing,
  KeyState,
  KeyStore,
  LogoutTokenClaims,
  RingSnapshot,
  StoredSigningKey,
  TokenSigner,
  VerifyOptions,
} from './signers/contract.js'
export type {
  ClientStore,
  ConsentRecord,
  ConsentStore,
  ManagedClientStore,
  OAuthClient,
  OAuthClientMetadata,
  OAuthClientType,
  OAuthGrant,
  OpenClientStore,
  UnusedClients,
} from './stores/client-contract.js'
export type {
  AuthenticationMethod,
  EndReason,
  FormerSecret,
  RefreshRotation,
  RefreshState,
  RotateResult,
  SecretReplacement,
  SessionAuthenticated,
  SessionKind,
  SessionRecord,
  SessionSeen,
  SessionStore,
  SpentRefreshToken,
  StoredKind,
  StoredMethod,
  StoredReason,
} from './stores/contract.js'
export type {
  IdentityRecord,
  IdentityStore,
  LinkIdentityResult,
  UnlinkIdentityResult,
} from './stores/identity-contract.js'
export type {
  AuthorizationCodeRecord,
  AuthorizationCodeStore,
  ClaimDeviceCodeResult,
  ConsumeProofResult,
  ConsumeResult,
  ConsumeTicketResult,
  DecideDeviceCodeResult,
  DeviceCodePurpose,
  DeviceCodeRecord,
  DeviceCodeState,
  DeviceCodeStore,
  DeviceCodeVerdict,
  OnceStore,
  PollDeviceCodeResult,
  ProofPurpose,
  ProofRecord,
  ProofStore,
  SocketTicketRecord,
  SocketTicketStore,
  StoredPurpose,
  TakeDeviceTryResult,
  TakeTryResult,
} from './stores/one-time-contract.js'
export type {
  PasskeyLimits,
  PasskeyRecord,
  PasskeySeen,
  PasskeyStore,
} from './stores/passkey-contract.js'
export type {
  BusMessage,
  ClientChanged,
  RevocationBus,
  SessionEnded,
} from './stores/revocation-bus.js'
export type {
  PendingSecondFactor,
  SecondFactorRecord,
  SecondFactorStore,
} from './stores/second-factor-contract.js'
export type { Limit, LimiterSettings } from './throttle/counter.js'
export type { MailLimitOptions, ThrottleOptions } from './throttle/limits.js'
export type {
  OtherFactor,
  RememberRules,
  SecondFactorPolicy,
  SecondFactorRules,
} from './two-factor/contract.js'
export type {
  AcceptedDocument,
  AuthUser,
  EmailChange,
  LoginIdentifier,
  NewUser,
  PresenceStatus,
  UserContact,
  UserCreation,
  UserStore,
} from './users/contract.js'
export type { DescribeUser } from './users/me.js'

// Shipped parts.

export { type ClientSecret, generateClientSecret } from './oauth/client-secret.js'
export {
  type BcryptHasher,
  type BcryptHasherOptions,
  bcryptHasher,
} from './passwords/bcrypt-hasher.js'
export {
  type CombinedHasher,
  type CombinedHasherOptions,
  combinedHasher,
} from './passwords/combined-hasher.js'
export type { PasswordReader, ReaderSetting } from './passwords/contract.js'
export type { PasswordReason, PasswordRules } from './passwords/password-rules.js'
export { type Pbkdf2Options, pbkdf2 } from './passwords/readers/pbkdf2.js'
export {
  type PasswordDigest,
  type PreDigestedBcryptOptions,
  preDigestedBcrypt,
} from './passwords/readers/pre-digested-bcrypt.js'
export type { FirebaseScryptParams } from './passwords/readers/scrypt.js'
export {
  type ScryptParams,
  type ScryptReaderOptions,
  scrypt,
} from './passwords/readers/scrypt.js'
export type { AssertionProblem } from './signers/client-assertion.js'
export { type JoseSignerOptions, joseSigner } from './signers/jose-signer.js'
export {
  type CheckedKey,
  generateSigningKey,
  type KeyAlgorithm,
  type SigningAlgorithm,
  type SigningKey,
} from './signers/key-material.js'
export { type KeyRingOptions, keyRing, type StoredRingOptions } from './signers/key-ring.js'
export { type ProbeStoresOptions, probeStores, type StoresToProbe } from './stores/probe-stores.js'

// Guards.

export type { PassportActions, PassportStrategy } from './guard/guards.js'
export type { Guard, OnRefused, RequireAuthOptions } from './guard/http-guard.js'
export type { ClosableSocket, TrackedSocket } from './guard/open-sockets.js'
export type { SocketOptions } from './guard/page-socket.js'
export type { ScopeOptions } from './guard/scope.js'
export { socketCloseCodes } from './guard/socket-closing.js'
export type { SocketIoGuard, SocketIoOptions, SocketIoSocket } from './guard/socket-io.js'
export type { AttachedServer, Sockets, UpgradingServer } from './guard/sockets.js'
export type { AuthenticateOptions, CredentialsFrom } from './guard/token-from.js'
export type { Principal, PrincipalActor } from './principal/principal.js'
export type {
  AcceptanceDocument,
  RequiredAction,
  RequiredInAnswer,
} from './principal/required-actions.js'

// Mail.

export type { Mail, MailCause, MailSender } from './mail/contract.js'
export type { MailStats } from './mail/mailer.js'
export type { RpLogoutStats } from './oauth/backchannel-logout.js'

// Sessions, codes and second factors for the host's own code and pages.

export type { AcceptanceOptions } from './acceptance/acceptance.js'
export type { UnlockLogin, UnlockOptions } from './account/account.js'
export type { SessionActor, SessionSummary } from './account/own-sessions.js'
export type {
  ImportedSecondFactor,
  SecondFactorsForHost,
} from './account/second-factors.js'
export type { EndOptions, PasswordChanged, SessionsForHost } from './account/sessions-for-host.js'
export type {
  Credentials,
  PasswordSignInOptions,
  SignedIn,
  SignInForHost,
} from './account/sign-in-for-host.js'
export type { AccountsForHost } from './accounts/accounts.js'
export type {
  AccountsOptions,
  BeforeRegister,
  Registration,
  RegistrationAttempt,
} from './accounts/accounts-options.js'
export type { AccountLinks, NoticeKind } from './accounts/mails.js'
export type { PasswordsForHost, PasswordVerdict } from './accounts/new-password.js'
export type { PhonesOptions } from './accounts/phones/phones-options.js'
export type { TextMessage } from './accounts/phones/text-message.js'
export type { SendText } from './accounts/phones/text-sender.js'
export type { TemporaryPassword } from './accounts/temporary-password.js'
export type {
  CookieForHost,
  OpenByCookie,
  SignedInByCookie,
  StayOptions,
} from './cookie/cookie.js'
export type { DeletionForHost } from './deletion/deletion.js'
export type { ActForUserRequest } from './host-sign-in/act-for-user.js'
export type { OpenSessionRequest, VouchedMethod } from './host-sign-in/open-session.js'
export type { IssuedNamedToken } from './named-tokens/make-named-token.js'
export type {
  NamedTokenRequest,
  NamedTokenSummary,
  NamedTokensForHost,
} from './named-tokens/named-tokens-for-host.js'
export type { PasskeySummary, PasskeysForHost } from './passkeys/own-passkeys.js'
export type { IssuedAuthorizationCode } from './pkce/authorization-code.js'
export type {
  IssueAuthorizationCode,
  IssueAuthorizationCodeRequest,
} from './pkce/pkce.js'
export type {
  InvitationSummary,
  InvitationsForHost,
  InviteOptions,
  MadeInvitation,
  RegisteringUser,
  RegistrationForHost,
} from './registration/invitations.js'
export type { SignInOptions, SignInTokens } from './sessions/sign-in-options.js'
export type { TextBudget } from './throttle/text-limits.js'
export type { TotpStatus } from './two-factor/enrolment.js'

// The pages of the router: how they look.

export type {
  BrandLinks,
  BrandLogo,
  BrandOptions,
  PagesOptions,
  SignInLinkOptions,
} from './pages/pages-options.js'
export type { PagesForHost, SignInUrlOptions } from './pages/sign-in-url.js'
export type { TextKey, Texts } from './pages/texts/en.js'
export type { TextOptions } from './pages/texts.js'

// Pages of other origins.

export type { CorsOptions } from './http/cors.js'
export type { HostAction } from './http/input.js'

// What can go wrong, what happened, and how it is going.

export type { PasswordStats, WaitingRoomStats, WaitTimes } from './admission/admission.js'
export type { AuditStats, LimitStats } from './audit/event-counts.js'
export type {
  AuthEvent,
  AuthEventBody,
  EventSink,
  RequestContext,
} from './audit/events.js'
export type { MailFault, MailKind } from './audit/mail.js'
export type { PasskeyEvent } from './audit/passkey-events.js'
export type {
  ClientRefusal,
  CodeRefusal,
  DeviceLinkRefusal,
  DeviceRefusal,
  LogoutRefusal,
  PageRefusal,
  ProofRefusal,
  RefreshRefusal,
  RegisterRefusal,
  RpLogoutFault,
  SignInRefusal,
  ThrottleScope,
} from './audit/refusals.js'
export type { SecondFactorEvent } from './audit/second-factor-events.js'
export {
  AuthConfigError,
  AuthError,
  type AuthErrorCode,
  type AuthErrorOptions,
  type LimitOf,
} from './errors.js'
export type { HostFailure } from './lib/host-call.js'
export type { Logger } from './lib/logger.js'
export { type ConsoleLoggerOptions, consoleLogger } from './lib/logger.js'
export type { Trace, TraceAttributes } from './lib/watch.js'
