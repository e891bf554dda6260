import type { Proofs } from '../accounts/proofs.js'
import { AuthError } from '../errors.js'
import { type BrowserCookie, createProviderCookie } from '../http/cookies.js'
import type { HostCall } from '../lib/host-call.js'
import { addressAt } from '../oauth/base-url.js'
import { type ConnectedProvider, failClosedProvider } from './fail-closed-provider.js'
import type { CheckedProvidersOptions } from './providers-options.js'
import type { ProviderIn } from './start.endpoint.js'

/** The providers of the host, and how browsers reach them and come back. */
export interface ProviderServer {
  readonly list: readonly ConnectedProvider[]
  readonly providerOf: (id: string) => ConnectedProvider | undefined
  readonly providerIn: ProviderIn
  readonly callbackOf: (provider: Pick<ConnectedProvider, 'id'>) => string
  readonly providerCookie: BrowserCookie
  readonly baseUrl: URL
}

export interface ProviderServerDeps {
  readonly options: CheckedProvidersOptions
  readonly baseUrl: URL
  /** With a time limit for requests to other servers. */
  readonly callProvider: HostCall
}

export function createProviderServer(deps: ProviderServerDeps): ProviderServer {
  const { options, baseUrl, callProvider } = deps
  const list = options.list.map((provider) => failClosedProvider(provider, callProvider))
  const byId = new Map(list.map((provider) => [provider.id, provider]))
  const isPosted = list.some(({ responseMode }) => responseMode === 'form_post')
  return {
    list,
    baseUrl,
    providerOf: (id) => byId.get(id),
    providerIn({ parameters }) {
      const found = byId.get(String(parameters['id']))
      if (found !== undefined) return found
      throw new AuthError('not-found', { clientMessage: 'There is no such provider.' })
    },
    callbackOf: ({ id }) => addressAt(baseUrl, `/auth/providers/${id}/callback`),
    providerCookie: createProviderCookie(baseUrl, isPosted),
  }
}

/** The proofs that flows and tickets are stored in. */
export type ProviderProofs = Pick<
  Proofs,
  'openLink' | 'findLink' | 'takeTry' | 'isMark' | 'markOf' | 'consume' | 'refusal'
>
