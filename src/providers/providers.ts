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
export type {
  ClaimedIdentity,
  OpenIdProviderOptions,
  OpenIdSettings,
  ProviderClientAuth,
  ProviderTokens,
} from './open-id-options.js'
export { openIdProvider } from './open-id-provider.js'
export type { ProviderOptions } from './provider-options.js'
