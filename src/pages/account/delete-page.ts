import type { EndpointRequest } from '../../http/endpoint.js'
import type { BrowserUser } from '../../oauth/browser-sign-in.js'
import type { AuthUser } from '../../users/contract.js'
import { accountOf } from '../consent-page.js'
import type { FormFields } from '../form-page.js'
import { pageAddress } from '../page-request.js'
import type { PageForm, View } from '../view.js'
import { type AccountFormPage, type Asking, changedBy } from './account-form.js'
import { isWrongPassword, presentIn, refusalOf, wrong } from './email-pages.js'
import type { AskingUser } from './parts.js'

/** Deleting the account of a signed-in user. */
export interface DeletionOnPages {
  /** Whether this user shows the password. Rejects with 503. */
  asksPassword(user: AuthUser): Promise<boolean>
  /** Whether a code is mailed to this user. Rejects with 503. */
  mailsCode(user: AuthUser): Promise<boolean>
  /**
   * Mails a code to a user with a fresh sign-in, and resolves with the id of the request. Null:
   * there is no address to mail to, and the account is deleted. Rejects with 401, 403, 429 and 503.
   */
  ask(
    asking: AskingUser,
    password: string | undefined,
    request: EndpointRequest,
  ): Promise<string | null>
  /** Deletes the account. Rejects with 400 `proof-refused`, 401, 429 and 503. */
  confirm(
    asking: AskingUser,
    given: { readonly requestId: string; readonly code: string },
    request: EndpointRequest,
  ): Promise<void>
}

export interface DeletePageDeps {
  readonly deletion: DeletionOnPages
  /** The address of the router for browsers. */
  readonly baseUrl: URL
}

/** `/account/delete`: asks whether to delete the account, and for the code that was mailed. */
export function createDeletePage({ deletion, baseUrl }: DeletePageDeps): AccountFormPage {
  const back = pageAddress(baseUrl, 'account', { raw: '', flow: null, language: null })

  async function viewOf(found: BrowserUser, requestId: string | null) {
    const { user } = found.approved
    const asksPassword = requestId === null && (await deletion.asksPassword(user))
    const mailsCode = await deletion.mailsCode(user)
    const shown = { account: accountOf(found), asksPassword, mailsCode, requestId, back } as const
    return (form: PageForm) => (): View => ({
      page: 'account-delete',
      ...shown,
      form,
    })
  }

  return {
    page: 'account/delete',
    needsFresh: true,

    view: async (found, form) => (await viewOf(found, null))(form),

    async submit(found, fields, asking) {
      const sent = fields.has('request') ? fields.text('request') : null
      try {
        const requestId = await advance(deletion, found, fields, asking)
        const viewIn = requestId === null ? () => () => deleted : await viewOf(found, requestId)
        return { next: 'answer', answer: await asking.show(viewIn) }
      } catch (error) {
        const refused = isWrongPassword(error) ? wrong : refusalOf(error, ['proof-refused'])
        if (refused.next !== 'again') return changedBy(refused, asking)
        return { next: 'answer', answer: await asking.show(await viewOf(found, sent), refused) }
      }
    },
  }
}

// Resolves with the id of the request for a code; null: the account is deleted.
async function advance(
  deletion: DeletionOnPages,
  { session, approved }: BrowserUser,
  fields: FormFields,
  { request }: Asking,
): Promise<string | null> {
  const asked = { session, user: approved.user }
  if (!fields.has('request')) return deletion.ask(asked, presentIn(fields), request)
  const given = { requestId: fields.text('request'), code: fields.text('code') }
  await deletion.confirm(asked, given, request)
  return null
}

const deleted: View = { page: 'note', note: 'account-deleted', onward: null }
