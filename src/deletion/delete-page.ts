import { isWrongPassword, presentIn, refusalOf } from '../accounts/address-pages.js'
import { provenAddress } from '../accounts/mails.js'
import { nothingShown, provePresentOnPage } from '../accounts/new-password.js'
import { presentField } from '../accounts/password-page.js'
import type { BrowserUser } from '../oauth/browser-sign-in.js'
import { type AccountFormPage, type Asking, changedBy } from '../pages/account-form.js'
import {
  accountCard,
  accountOf,
  backTo,
  button,
  codeField,
  formOf,
  hiddenFields,
  hiddenUsername,
  type OwnView,
  type PageForm,
} from '../pages/form-parts.js'
import { html } from '../pages/html.js'
import type { Content, PageContent, PageShell } from '../pages/layout.js'
import { plainAddress } from '../pages/page-request.js'
import type { FormsKit } from '../pages/pages-kit.js'
import { wrongFields } from '../pages/renew-cookie.js'
import { notePage } from '../pages/show-page.js'
import { askDeletion, confirmDeletion, type DeletionKit } from './delete-account.js'

/** `/account/delete`: asks whether to delete the account, and for the code that was mailed. */
export function createDeletePage(forms: FormsKit, kit: DeletionKit): AccountFormPage {
  const back = plainAddress(forms, 'account')

  async function viewOf(found: BrowserUser, requestId: string | null) {
    const { user } = found.approved
    const asksPassword = requestId === null && (await kit.owesPassword(user))
    const mailsCode = provenAddress(await kit.contacts.findContact(user.id)) !== null
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
        const requestId = await advance(kit, asking)
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

// Resolves with the id of the request for a code; null: the account is deleted. The page uses the
// counters of the endpoints: it is no second set of guesses.
async function advance(
  kit: DeletionKit,
  { user, fields, request }: Asking,
): Promise<string | null> {
  if (!fields.has('request')) {
    await provePresentOnPage(kit, user, { ...nothingShown, password: presentIn(fields) }, request)
    return (await askDeletion(kit, user, request.context))?.requestId ?? null
  }
  const given = { requestId: fields.text('request'), code: fields.text('code') }
  await kit.throttle.limitRefusals('account-delete', request, () =>
    confirmDeletion(kit, user, given, request.context),
  )
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
