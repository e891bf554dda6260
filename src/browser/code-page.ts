import type { AccountsKit } from '../accounts/accounts-server.js'
import { askForCode, codeForTyped } from '../email-sign-in/email-sign-in.js'
import { AuthError } from '../errors.js'
import { parseIdentifier } from '../login/login-request.js'
import { partsOf } from '../pages/flow.js'
import type { FormFields, FormPage, Submitted } from '../pages/form-page.js'
import {
  button,
  choice,
  codeField,
  field,
  formOf,
  type NameView,
  stayTick,
  typedName,
} from '../pages/form-parts.js'
import { html } from '../pages/html.js'
import type { PageContent, PageShell } from '../pages/layout.js'
import { asIdentifier } from '../pages/next-page.js'
import { pageAddress } from '../pages/page-request.js'
import type { PageVisit } from '../pages/page-visit.js'
import { refusalOfCode, wrongFields } from '../pages/renew-cookie.js'
import { seeOther } from '../pages/show-page.js'
import type { BrowserKit } from './browser-kit.js'
import { replayFirstAnswer } from './replay-first-answer.js'
import { signInByMailedCode } from './sign-in-by-form.js'
import { formVisit, settleSignIn } from './sign-in-page.js'

/** `/oauth/code`: the name, and then the code that was mailed. */
export function createCodePage(kit: BrowserKit, emailSignInKit: AccountsKit): FormPage {
  const { baseUrl, flows } = kit
  const byMailedCode = replayFirstAnswer(kit.clock, signInByMailedCode)

  async function ask(
    { flow, request, asked, binding }: PageVisit,
    fields: FormFields,
  ): Promise<Submitted> {
    const typed = fields.text('username')
    const identifier = () => parseIdentifier(asIdentifier(typed))
    const asking = await codeForTyped(emailSignInKit, typed, identifier)
    const requestId = await askForCode(emailSignInKit, asking, request.context)
    const waiting = flows.seal(flows.withMailed(flow ?? flows.begin(), requestId), binding)
    const next = pageAddress(baseUrl, 'code', { ...asked, flow: waiting })
    return { next: 'answer', answer: seeOther(next) }
  }

  function startAnew({ flow, asked, binding }: PageVisit): Submitted {
    const anew = flows.seal({ ...partsOf(flow ?? flows.begin()), pending: null }, binding)
    return {
      next: 'answer',
      answer: seeOther(pageAddress(baseUrl, 'code', { ...asked, flow: anew })),
    }
  }

  return {
    page: 'code',

    async view({ asked, flow }, form, typed) {
      const isSent = flow?.mailed !== undefined
      const username = typed.text('username')
      const back = pageAddress(baseUrl, 'sign-in', asked)
      const { emailSignIn, phones } = emailSignInKit.accountsOptions
      const texts = !phones?.signIn ? 'code' : emailSignIn ? 'code-any' : 'code-phone'
      const view = { form, isSent, username, stay: typed.has('stay'), back, kind: texts } as const
      return (shell) => codePage(view, shell)
    },

    async submit(visit, fields) {
      if (fields.has('username')) return ask(visit, fields).catch(refused)
      if (fields.text('choice') === 'again') return startAnew(visit)
      const from = formVisit(kit, visit)
      const result = await byMailedCode(kit, fields.text('code'), from, fields.has('stay'))
      return settleSignIn(kit, result, visit)
    },
  }
}

function refused(error: unknown): Submitted {
  if (error instanceof AuthError && error.code === 'invalid-request') return wrongFields
  return refusalOfCode(error)
}

/** A sign-in by a mailed code: the field `username`; then `code`, `stay`, a button `again`. */
interface CodeView extends NameView {
  readonly isSent: boolean
  readonly stay: boolean
  /** By mail, by text message or by both. */
  readonly kind: 'code' | 'code-phone' | 'code-any'
}

const labels = {
  code: 'sign-in.username',
  'code-phone': 'code-any.phone',
  'code-any': 'code-any.name',
} as const

const wrongs = {
  code: 'forgot.wrong',
  'code-phone': 'code-any.wrong',
  'code-any': 'code-any.wrong',
} as const

/**
 * A sign-in by a mailed code: the name, then the code.
 *
 * @internal
 */
export function codePage(view: CodeView, { texts }: PageShell): PageContent {
  const { form, isSent, username, stay, back, kind } = view
  const isFaulty = form.fault?.kind === 'wrong'
  const by = kind === 'code' ? 'code' : 'code-any'
  const name = { ...typedName(username, form), isFaulty, label: labels[kind] }
  const again = html`<form method="post" action="${form.action}" class="aside">
${form.hidden}${button(texts.html(`${by}.again`), choice('again', 'link'))}
</form>
`
  const content = isSent
    ? [
        codeField('', form, 'confirm-email.help', texts),
        stayTick(stay, texts),
        button(texts.html('code.sign-in')),
      ]
    : [field(name, texts), button(texts.html(`${by}.submit`))]
  const wrong = isSent ? 'confirm-email.wrong' : wrongs[kind]
  return {
    title: `${by}.title`,
    isFaulty: form.fault !== null,
    body: html`<p>${texts.html(isSent ? `${by}.sent` : `${by}.lead`)}</p>
${formOf(form, texts, wrong, content, true)}
${isSent ? again : null}<p class="links"><a href="${back}">${texts.html('code.back')}</a></p>`,
  }
}
