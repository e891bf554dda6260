import { AuthError } from '../../errors.js'
import type { ListedConsent, OwnConsents } from '../../oauth/own-consents.js'
import type { NameResource, Scopes } from '../../oauth/scopes.js'
import { accountOf } from '../consent-page.js'
import { pageAddress } from '../page-request.js'
import type { AppOnPage } from '../view.js'
import type { AccountFormPage, Asking, Changed } from './account-form.js'
import type { OwnDevices } from './parts.js'

export interface AccountPageDeps {
  readonly ownDevices: OwnDevices
  readonly ownConsents: OwnConsents
  readonly scopes: Pick<Scopes, 'describe'>
  readonly nameResource: NameResource
  /** The address of the router for browsers. */
  readonly baseUrl: URL
}

/** `/account`: who I am, my devices, and the apps that I have authorised. */
export function createAccountPage(deps: AccountPageDeps): AccountFormPage {
  const { ownDevices, ownConsents, baseUrl } = deps
  const signOut = pageAddress(baseUrl, 'sign-out', { raw: '', flow: null, language: null })
  return {
    page: 'account',
    needsFresh: false,

    async view(found, form) {
      const { session } = found
      const [devices, consents] = await Promise.all([
        ownDevices.list(session),
        ownConsents.list(session.userId),
      ])
      return ({ tag }) => ({
        page: 'account',
        account: accountOf(found),
        form,
        // This one first.
        devices: devices.toSorted((one, other) => Number(other.current) - Number(one.current)),
        apps: consents.map((consent) => appOf(deps, consent, tag)),
        signOut,
      })
    },

    async submit({ session }, fields, { request: { context } }: Asking) {
      const [change = '', id = ''] = fields.text('choice').split(' ', 2)
      if (change === 'end') await ownDevices.end(session, id, context)
      else if (change === 'end-others') await ownDevices.endOthers(session, context)
      else if (change === 'revoke') await ownConsents.revoke(session, id, context).catch(unlessGone)
      else return unread
      return { next: 'open' }
    },
  }
}

const unread: Changed = { next: 'again', status: 422, fault: { kind: 'stale' } }

// Withdrawn in another tab since the page was shown.
function unlessGone(error: unknown): void {
  if (!(error instanceof AuthError && error.code === 'not-found')) throw error
}

function appOf(
  { scopes: known, nameResource }: AccountPageDeps,
  { clientId: id, name, scopes, resources }: ListedConsent,
  tag: string,
): AppOnPage {
  const words = new Set([...scopes, ...resources.flatMap((one) => one.scopes)])
  return {
    id,
    name,
    scopes: [...words].map((scope) => known.describe(scope, tag)),
    apis: resources.map(({ resource }) => nameResource(resource, tag)),
  }
}
