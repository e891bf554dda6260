import type { BeforeRegister } from '../accounts/accounts-options.js'
import type { Proofs } from '../accounts/proofs.js'
import { AuthError } from '../errors.js'
import { type BrowserCookie, createProviderCookie } from '../http/cookies.js'
import type { EndpointRequest } from '../http/endpoint.js'
import type { GroundKit } from '../kits/ground-kit.js'
import type { SignInKit } from '../kits/sign-in-kit.js'
import { createVault, type Vault } from '../lib/vault.js'
import { addressAt } from '../oauth/base-url.js'
import type { IdentityStore } from '../stores/identity-contract.js'
import type { CallbackPages } from './callback-pages.js'
import { type ConnectedProvider, failClosedProvider } from './fail-closed-provider.js'
import type { CheckedProvidersOptions } from './providers-options.js'

/**
 * The parts that the option `providers` adds: the providers, and the way of browsers to them and
 * back.
 */
export interface ProviderServer {
  readonly providersOptions: CheckedProvidersOptions
  readonly list: readonly ConnectedProvider[]
  readonly baseUrl: URL
  readonly providerOf: (id: string) => ConnectedProvider | undefined
  /** Seals the addresses of ours that lead a browser to a provider. */
  readonly startVault: Vault
  /** The cookie that recognises the browser that has begun a flow. */
  readonly providerCookie: BrowserCookie
}

export function createProviderServer(
  { callProvider, encryptionKeys }: Pick<GroundKit, 'callProvider' | 'encryptionKeys'>,
  providersOptions: CheckedProvidersOptions,
  baseUrl: URL,
): ProviderServer {
  const list = providersOptions.list.map((provider) => failClosedProvider(provider, callProvider))
  const byId = new Map(list.map((provider) => [provider.id, provider]))
  const isPosted = list.some(({ responseMode }) => responseMode === 'form_post')
  return {
    providersOptions,
    list,
    baseUrl,
    providerOf: (id) => byId.get(id),
    startVault: createVault('provider-start', encryptionKeys),
    providerCookie: createProviderCookie(baseUrl, isPosted),
  }
}

/** The parts that sign-in at providers needs. */
export interface ProvidersKit extends SignInKit, ProviderServer {
  readonly identities: IdentityStore
  /** Flows and tickets are stored in them. */
  readonly proofs: Proofs
  /** Undefined without the option `accounts`. */
  readonly beforeRegister: BeforeRegister | undefined
  /** Whether an address is kept for a user who can go back to it. */
  readonly isKept: (email: string) => Promise<boolean>
  /** Undefined without the option `oauth`. */
  readonly callbackPages: CallbackPages | undefined
  /** Names this server in answers to clients. */
  readonly issuer: string
}

/** Finds the provider in the path of a request. Throws 404. */
export function providerIn(
  { providerOf }: ProviderServer,
  { parameters }: Pick<EndpointRequest, 'parameters'>,
): ConnectedProvider {
  const found = providerOf(String(parameters['id']))
  if (found !== undefined) return found
  throw new AuthError('not-found', { clientMessage: 'There is no such provider.' })
}

/** The address to which a provider sends the browser back. */
export function callbackOf(
  { baseUrl }: ProviderServer,
  { id }: Pick<ConnectedProvider, 'id'>,
): string {
  return addressAt(baseUrl, `/auth/providers/${id}/callback`)
}
