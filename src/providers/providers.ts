export type {
  FinishedFlow,
  FlowToFinish,
  FlowToStart,
  Identity,
  Provider,
  ProviderLogo,
  ProviderLogout,
  StartedFlow,
} from './contract.js'
export { type GitHubProviderOptions, gitHubProvider } from './git-hub-provider.js'
export type {
  ClaimedIdentity,
  OpenIdProviderOptions,
  OpenIdSettings,
  ProviderClientAuth,
  ProviderTokens,
} from './open-id-options.js'
export { type GoogleProviderOptions, googleProvider, openIdProvider } from './open-id-provider.js'
export type { StrategyToRun } from './passport-provider.js'
export { type PassportProviderOptions, passportProvider } from './passport-provider.js'
export type { ProviderOptions } from './provider-options.js'
