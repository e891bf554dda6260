import type { Audit } from '../audit/events.js'
import type { AskingUser, LinksOnPages } from '../pages/account/parts.js'
import type { LinkOnPage } from '../pages/view-parts.js'
import type { MustSignInForDevice } from '../sign-in-again.js'
import type { DeviceCodeRecord } from '../stores/device-code-contract.js'
import type { Throttle } from '../throttle/throttle.js'
import { linkRefusal } from './approver.js'
import type { LinkDecisions } from './decide-link.js'
import { type OpenLink, tellDevice } from './open-link.js'

export interface LinksOnPagesDeps {
  readonly openLink: OpenLink
  readonly linkDecisions: LinkDecisions
  readonly mustSignInForDevice: MustSignInForDevice
  readonly throttle: Pick<Throttle, 'limitRefusals'>
  /** Of the sign-in that opens a link, in seconds. */
  readonly maxSignInAge: number
  readonly audit: Audit
}

/**
 * The same steps as those of the endpoints, for the page, in the same counters: a page is no second
 * set of guesses.
 */
export function createLinksOnPages(deps: LinksOnPagesDeps): LinksOnPages {
  const { openLink, linkDecisions, throttle, maxSignInAge } = deps
  return {
    maxSignInAge,

    open: (asking, link, request) =>
      throttle.limitRefusals('device-link', request, async () => {
        const opened = await openLink(asking.session, link, request.context)
        return { linkId: opened.userCodeHash, mustSignIn: await mustSignIn(deps, asking, opened) }
      }),

    async look({ session }, linkId, { context }): Promise<LinkOnPage | null> {
      const link = await linkDecisions.look(session, linkId)
      return link && tellDevice(link, context)
    },

    approve: (asking, typed, request) =>
      throttle.limitRefusals('device-link', request, async () => {
        const { session } = asking
        const { context } = request
        const found = await linkDecisions.look(session, typed.linkId)
        if (found === null) throw linkRefusal(deps, 'unknown', session.userId, context)
        // Costs no try.
        if (await mustSignIn(deps, asking, found)) return 'sign-in-again'
        const link = await linkDecisions.requireCheckCode(session, typed, context)
        await linkDecisions.approve(session, link, null, context)
        return 'approved'
      }),

    deny: ({ session }, linkId, request) =>
      throttle.limitRefusals('device-link', request, () =>
        linkDecisions.deny(session, linkId, request.context),
      ),
  }
}

// So does a browser that another session has signed in and ends: what it opened would outlive that.
async function mustSignIn(
  { mustSignInForDevice }: LinksOnPagesDeps,
  asking: AskingUser,
  { createdAt }: DeviceCodeRecord,
): Promise<boolean> {
  return asking.session.parentId !== undefined || mustSignInForDevice(asking, createdAt)
}
