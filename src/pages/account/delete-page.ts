import type { BrowserUser } from '../../oauth/browser-sign-in.js'
import { accountOf } from '../consent-page.js'
import {
  accountCard,
  backTo,
  button,
  codeField,
  formOf,
  hiddenFields,
  hiddenUsername,
  type OwnView,
  type PageForm,
} from '../form-parts.js'
import { html } from '../html.js'
import type { Content, PageContent, PageShell } from '../layout.js'
import { plainAddress } from '../page-request.js'
import type { FormsKit } from '../pages-kit.js'
import type { DeletionOnPages } from '../ports.js'
import { wrongFields } from '../renew-cookie.js'
import { notePage } from '../show-page.js'
import { type AccountFormPage, type Asking, changedBy } from './account-form.js'
import { isWrongPassword, presentIn, refusalOf } from './email-pages.js'
import { presentField } from './password-page.js'

/** `/account/delete`: asks whether to delete the account, and for the code that was mailed. */
export function createDeletePage(kit: FormsKit, deletion: DeletionOnPages): AccountFormPage {
  const back = plainAddress(kit, 'account')

  async function viewOf(found: BrowserUser, requestId: string | null) {
    const { user } = found.approved
    const asksPassword = requestId === null && (await deletion.asksPassword(user))
    const mailsCode = await deletion.mailsCode(user)
    const shown = { account: accountOf(found), asksPassword, mailsCode, requestId, back }
    return (form: PageForm): Content =>
      (shell) =>
        accountDeletePage({ ...shown, form }, shell)
  }

  return {
    page: 'account/delete',
    needsFresh: true,

    view: async (found, form) => (await viewOf(found, null))(form),

    async submit(asking) {
      const { found, fields } = asking
      const sent = fields.has('request') ? fields.text('request') : null
      try {
        const requestId = await advance(deletion, asking)
        const content = requestId === null ? () => deleted : await viewOf(found, requestId)
        return { next: 'answer', answer: asking.show(content) }
      } catch (error) {
        const refused = isWrongPassword(error) ? wrongFields : refusalOf(error, ['proof-refused'])
        if (refused.next !== 'again') return changedBy(refused, asking)
        return { next: 'answer', answer: asking.show(await viewOf(found, sent), refused) }
      }
    },
  }
}

// Resolves with the id of the request for a code; null: the account is deleted.
async function advance(
  deletion: DeletionOnPages,
  { user, fields, request }: Asking,
): Promise<string | null> {
  if (!fields.has('request')) return deletion.ask(user, presentIn(fields), request)
  const given = { requestId: fields.text('request'), code: fields.text('code') }
  await deletion.confirm(user, given, request)
  return null
}

const deleted: Content = (shell) => notePage({ note: 'account-deleted', onward: null }, shell)

interface AccountDeleteView extends OwnView {
  readonly asksPassword: boolean
  /** Whether a code follows by mail. */
  readonly mailsCode: boolean
  readonly requestId: string | null
}

/**
 * Asks before an account is deleted, and then for the mailed code.
 *
 * @internal
 */
export function accountDeletePage(view: AccountDeleteView, { texts }: PageShell): PageContent {
  const { account, form, asksPassword, mailsCode, requestId, back } = view
  const isLast = requestId !== null || !mailsCode
  const submit = isLast
    ? button(texts.html('account-delete.submit'), { class: 'danger' })
    : button(texts.html('code.submit'))
  const isFaulty = form.fault?.kind === 'wrong'
  // For password managers.
  const name = hiddenUsername(account.username)
  const content =
    requestId === null
      ? [...(asksPassword ? [name, presentField(isFaulty, texts)] : []), submit]
      : [
          hiddenFields({ request: requestId }),
          codeField('', form, 'confirm-email.help', texts),
          submit,
        ]
  const wrong = requestId === null ? 'new-password.wrong-present' : 'confirm-email.wrong'
  const asked = mailsCode ? texts.html('account-delete.mail') : null
  const told = requestId === null ? asked : texts.html('account-delete.code')
  return {
    title: 'account.delete',
    isFaulty: form.fault !== null,
    body: html`${accountCard(account)}
<p>${texts.html('account-delete.lead')}</p>
${
  told &&
  html`<p>${told}</p>
`
}${formOf(form, texts, wrong, content, asksPassword || requestId !== null)}
${backTo(back, texts)}`,
  }
}
