import { AuthError } from '../errors.js'
import type { EndpointRequest } from '../http/endpoint.js'
import type { BrowserUser } from '../oauth/browser-sign-in.js'
import { isFresh } from '../passkeys/require-fresh.js'
import type { FormFields, Submitted } from './form-page.js'
import { hiddenFields } from './form-parts.js'
import type { SafeHtml } from './html.js'
import type { PagePasskeys } from './page-passkeys.js'
import { pageAddress } from './page-request.js'
import type { PageVisit } from './page-visit.js'
import { creationOf } from './passkey-field.js'
import { type ShowPage, seeOther } from './show-page.js'
import type { PageTexts } from './texts.js'

/** A visit of somebody who is signed in. */
export type SignedInVisit = PageVisit & { readonly found: BrowserUser }

/** What pages on which a passkey can be made have in common. */
export interface NewPasskey {
  /**
   * What makes one, for the form; null where the sign-in is not as fresh as `POST /auth/passkeys`
   * asks: a passkey is a way in by itself. Rejects with 503.
   */
  part(found: BrowserUser, isAlone: boolean): Promise<((texts: PageTexts) => SafeHtml) | null>
  /** Adds the one that was made, and shows the codes that came with it, or leads on. */
  add(visit: SignedInVisit, fields: FormFields, request: EndpointRequest): Promise<Submitted>
}

/** What {@link createNewPasskey} needs. */
export interface NewPasskeyDeps {
  readonly passkeys: PagePasskeys
  readonly showPage: ShowPage
  /** Where browsers reach the router. */
  readonly base: URL
  readonly clock: () => Date
}

/** Makes it. */
export function createNewPasskey({ passkeys, showPage, base, clock }: NewPasskeyDeps): NewPasskey {
  const { part, server } = passkeys

  async function add(visit: SignedInVisit, fields: FormFields, { context }: EndpointRequest) {
    const { session, approved } = visit.found
    const response = creationOf(fields.text('passkey'))
    if (response === null) return wrongPasskey
    if (!isFresh(session, clock())) return startOver
    const asking = { session, user: approved.user }
    const { recoveryCodes } = await server.add(asking, { response, name: 'Passkey' }, context)
    const answer =
      recoveryCodes === null
        ? seeOther(pageAddress(base, 'authorize', visit.asked))
        : await showRecoveryCodes({ showPage, base }, visit, recoveryCodes)
    return { next: 'answer', answer } as const
  }

  return {
    async part({ session, approved }, isAlone) {
      if (!isFresh(session, clock())) return null
      const options = await server.creationOptions(approved.user, session.id)
      const asked = { ceremony: 'create', options, label: 'passkey.create', isAlone } as const
      return (texts) => part({ ...asked, renew: null }, texts)
    },
    add: (visit, fields, request) => add(visit, fields, request).catch(refusalOf),
  }
}

/**
 * Shows recovery codes, once: nothing but this answer holds them. Its form leads on, wherever that
 * is by now.
 */
export function showRecoveryCodes(
  { showPage, base }: Pick<NewPasskeyDeps, 'showPage' | 'base'>,
  { asked, reader }: PageVisit,
  codes: readonly string[],
): ReturnType<ShowPage> {
  const action = pageAddress(base, 'enrolment', asked)
  const form = { action, hidden: hiddenFields({}), fault: null }
  return showPage(() => ({ page: 'recovery-codes', form, codes }), reader, { status: 200 })
}

const startOver: Submitted = { next: 'start-over' }
const wrongPasskey: Submitted = { next: 'again', status: 422, fault: { kind: 'wrong-passkey' } }

function refusalOf(error: unknown): Submitted {
  if (!(error instanceof AuthError)) throw error
  const { retryAfter = 5 } = error
  switch (error.code) {
    // It was not verified, or cannot be added.
    case 'invalid-request':
    case 'passkey-exists':
    case 'too-many-passkeys':
      return wrongPasskey
    case 'temporarily-unavailable':
      return { next: 'again', status: 503, fault: { kind: 'busy', retryAfter } }
    default:
      return startOver
  }
}
