import { ok } from '../http/answer.js'
import type { Capability } from '../http/capability.js'
import type { Endpoint } from '../http/endpoint.js'
import { backchannelLogoutEndpoint } from './backchannel-logout.endpoint.js'
import { callbackEndpoint } from './callback.endpoint.js'
import { finishEndpoint } from './finish.endpoint.js'
import {
  connectIdentityEndpoint,
  linkIdentityEndpoint,
  listIdentitiesEndpoint,
  unlinkIdentityEndpoint,
} from './identities.endpoint.js'
import type { ProvidersKit } from './provider-kit.js'
import { leadToProviderEndpoint, startEndpoint } from './start.endpoint.js'

/** The endpoints of `/auth/providers` and `/auth/identities`. */
export function createProviderSignIn(kit: ProvidersKit): Capability {
  const callback = callbackEndpoint(kit)
  const own = { GET: listIdentitiesEndpoint(kit), POST: connectIdentityEndpoint(kit) }
  const one = { POST: linkIdentityEndpoint(kit), DELETE: unlinkIdentityEndpoint(kit) }
  return {
    routes: [
      ['/auth/providers', { GET: listEndpoint(kit) }],
      ['/auth/providers/finish', { POST: finishEndpoint(kit) }],
      ['/auth/providers/:id/start', { POST: startEndpoint(kit) }],
      ['/auth/providers/:id/open', { GET: leadToProviderEndpoint(kit), HEAD: null }],
      ['/auth/providers/:id/callback', { GET: callback, POST: callback, HEAD: null }],
      ['/auth/providers/:id/backchannel-logout', { POST: backchannelLogoutEndpoint(kit) }],
      ['/auth/identities', own],
      ['/auth/identities/:id', one],
    ],
  }
}

/** `GET /auth/providers`: the providers, for the buttons of a client. */
function listEndpoint({ list }: ProvidersKit): Endpoint {
  const providers = list.map(({ id, name }) => ({ id, name }))
  return async function listProviders() {
    return ok({ status: 'success', data: { providers } })
  }
}
