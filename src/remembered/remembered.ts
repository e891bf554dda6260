import { AuthError } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Capability, Endpoint } from '../http/endpoint.js'
import type { SignInKit } from '../kits/sign-in-kit.js'
import { isHostId } from '../lib/texts.js'
import { ownerOf } from '../principal/principal.js'
import type { RememberedBrowsers } from '../two-factor/remembered-browser.js'

/** The endpoints of `/auth/remembered-browsers`; undefined without the option. */
export function createRemembered(kit: SignInKit): Capability | undefined {
  const { rememberedBrowsers: browsers } = kit
  if (browsers === undefined) return undefined
  return {
    routes: [
      ['/auth/remembered-browsers', { GET: listEndpoint(kit, browsers) }],
      ['/auth/remembered-browsers/:id', { DELETE: forgetEndpoint(kit, browsers) }],
    ],
  }
}

function listEndpoint({ signedIn }: SignInKit, browsers: RememberedBrowsers): Endpoint {
  return async function listRemembered(request) {
    // 401, 403
    const { user } = await ownerOf(signedIn, request)
    // 503
    return ok({ status: 'success', data: { browsers: await browsers.list(user.id) } })
  }
}

function forgetEndpoint({ signedIn }: SignInKit, browsers: RememberedBrowsers): Endpoint {
  return async function forgetRemembered(request) {
    // 401, 403
    const { user } = await ownerOf(signedIn, request)
    const id = request.parameters['id']
    // 503
    if (isHostId(id) && (await browsers.forget(user.id, id, request.context)))
      return ok({ status: 'success', data: {} })
    throw new AuthError('not-found', { clientMessage: 'There is no such browser.' })
  }
}
