import type { RequestContext } from '../../audit/events.js'
import { AuthError } from '../../errors.js'
import { withReadableDomain } from '../../lib/address-domain.js'
import type { ListedConsent, OwnConsents } from '../../oauth/own-consents.js'
import type { NameResource, Scopes } from '../../oauth/scopes.js'
import type { OwnPasskeys } from '../../passkeys/own-passkeys.js'
import type { SessionRecord } from '../../stores/contract.js'
import { accountOf } from '../consent-page.js'
import { pageAddress } from '../page-request.js'
import type { AppOnPage, EmailOnPage } from '../view-parts.js'
import type { AccountFormPage, Asking, Changed } from './account-form.js'
import { groupDevices } from './devices.js'
import { factorOf } from './factor-page.js'
import type {
  AddressOfUser,
  EmailFactorOnPages,
  EmailOnPages,
  OwnDevices,
  OwnSecondFactor,
} from './parts.js'

export interface AccountPageDeps {
  readonly ownDevices: OwnDevices
  readonly ownConsents: OwnConsents
  /** Undefined if the host has no store of second factors. */
  readonly secondFactor: Pick<OwnSecondFactor, 'status'> | undefined
  /** Undefined if the host offers no codes by mail. */
  readonly emailFactor: Pick<EmailFactorOnPages, 'status'> | undefined
  /** Undefined without the option `passkeys`. */
  readonly ownPasskeys: Pick<OwnPasskeys, 'list'> | undefined
  /** Whether users can change their password here. */
  readonly hasPasswordPage: boolean
  /** Whether users can connect other accounts here. */
  readonly hasIdentitiesPage: boolean
  /** Undefined without a page of ours for it. */
  readonly linksOnPages: object | undefined
  /** Whether users can delete their account. */
  readonly hasDeletePage: boolean
  /** Undefined if users cannot change their address here. */
  readonly email: Pick<EmailOnPages, 'status'> | undefined
  readonly scopes: Pick<Scopes, 'describe'>
  readonly nameResource: NameResource
  /** The address of the router for browsers. */
  readonly baseUrl: URL
}

/** `/account`: who I am, my devices, and the apps that I have authorised. */
export function createAccountPage(deps: AccountPageDeps): AccountFormPage {
  const { ownDevices, ownConsents, baseUrl } = deps
  const place = { raw: '', flow: null, language: null }
  const signOut = pageAddress(baseUrl, 'sign-out', place)
  const factorUrl = pageAddress(baseUrl, 'account/second-factor', place)
  const passkeysUrl = pageAddress(baseUrl, 'account/passkeys', place)
  const emailUrl = pageAddress(baseUrl, 'account/email', place)
  const hasFactor = deps.secondFactor !== undefined || deps.emailFactor !== undefined
  const password = deps.hasPasswordPage ? pageAddress(baseUrl, 'account/password', place) : null
  const identities = deps.hasIdentitiesPage
    ? pageAddress(baseUrl, 'account/identities', place)
    : null
  const link = deps.linksOnPages === undefined ? null : pageAddress(baseUrl, 'account/link', place)
  return {
    page: 'account',
    needsFresh: false,

    async view(found, form) {
      const { session } = found
      const { userId } = session
      const [devices, consents, factor, passkeys, address] = await Promise.all([
        ownDevices.list(session),
        ownConsents.list(userId),
        factorOf(deps, userId),
        deps.ownPasskeys?.list(userId),
        deps.email?.status(userId),
      ])
      return ({ tag }) => ({
        page: 'account',
        account: accountOf(found),
        form,
        devices: groupDevices(devices),
        link,
        apps: consents.map((consent) => appOf(deps, consent, tag)),
        factor: hasFactor ? { ...factor, href: factorUrl } : null,
        passkeys: passkeys === undefined ? null : { count: passkeys.length, href: passkeysUrl },
        password,
        email: address === undefined ? null : emailOf(address, emailUrl),
        identities,
        delete: deps.hasDeletePage ? pageAddress(baseUrl, 'account/delete', place) : null,
        signOut,
      })
    },

    async submit({ session }, fields, { request: { context } }: Asking) {
      const [change = '', id = ''] = fields.text('choice').split(' ', 2)
      if (change === 'end') await endDevice(ownDevices, session, id, context)
      else if (change === 'end-others') await ownDevices.endOthers(session, context)
      else if (change === 'revoke') await ownConsents.revoke(session, id, context).catch(unlessGone)
      else return unread
      return { next: 'open' }
    },
  }
}

function emailOf({ email: address, verified }: AddressOfUser, href: string): EmailOnPage {
  return { address: address && withReadableDomain(address), verified, href }
}

// An app with a refresh token does not end with its browser.
async function endDevice(
  ownDevices: OwnDevices,
  session: SessionRecord,
  id: string,
  context: RequestContext,
): Promise<void> {
  const device = groupDevices(await ownDevices.list(session)).find((one) => one.id === id)
  for (const sessionId of device?.sessionIds ?? [id])
    await ownDevices.end(session, sessionId, context)
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
