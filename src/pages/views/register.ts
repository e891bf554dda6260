import { button, codeField, field, formOf, hiddenFields } from '../form-parts.js'
import { html, type SafeHtml } from '../html.js'
import type { PageContent, PageShell } from '../layout.js'
import type { TextKey } from '../texts/en.js'
import type { PageTexts } from '../texts.js'
import type { ConfirmRegisterView, RegisterView } from '../view.js'
import { newPasswordField } from './new-password.js'

type Shell = Pick<PageShell, 'texts' | 'passwordScript'>

const plainText = { type: 'text', autocapitalize: 'none', autocorrect: 'off', spellcheck: 'false' }

/** A new account. */
export function registerPage(view: RegisterView, shell: Shell): PageContent {
  const { form, isTaken, back } = view
  const { texts } = shell
  const content = [
    // The language of mails to the new user.
    hiddenFields({ locale: texts.tag }),
    emailField(view, texts),
    usernameField(view.username, isTaken || view.wrong === 'username', texts, view.wrong === null),
    nameField(view, texts),
    button(texts.html('register.submit')),
  ]
  return {
    title: 'register.title',
    isFaulty: form.fault !== null,
    body: html`<p>${texts.html('register.lead')}</p>
${formOf(form, texts, faultOf(view), content, isTaken || view.wrong !== null)}
<p class="links"><a href="${back}">${texts.html('register.back')}</a></p>`,
  }
}

function faultOf({ isTaken, wrong }: RegisterView): TextKey {
  if (isTaken) return 'register.taken'
  if (wrong === 'email') return 'register.wrong-email'
  return wrong === null ? 'register.wrong' : 'register.wrong-name'
}

function emailField(
  { form, email, isEmailGiven, wrong }: RegisterView,
  texts: PageTexts,
): SafeHtml {
  const isFaulty = wrong === 'email'
  const attributes = {
    ...plainText,
    type: 'email',
    value: email,
    autocomplete: 'email',
    required: true,
    readonly: isEmailGiven,
    autofocus: isFaulty || (form.fault === null && !isEmailGiven),
  }
  const label = 'register.email'
  const hint = 'register.email-help'
  return field({ id: 'email', name: 'email', label, hint, isFaulty, attributes }, texts)
}

function usernameField(
  value: string,
  isFaulty: boolean,
  texts: PageTexts,
  isFirst: boolean,
): SafeHtml {
  const attributes = {
    ...plainText,
    value,
    autocomplete: 'username',
    required: true,
    autofocus: isFaulty && isFirst,
  }
  const label = 'register.username'
  const hint = 'register.username-help'
  return field({ id: 'username', name: 'username', label, hint, isFaulty, attributes }, texts)
}

function nameField({ name, wrong }: RegisterView, texts: PageTexts): SafeHtml {
  const isFaulty = wrong === 'name'
  const attributes = { type: 'text', value: name, autocomplete: 'name', required: true }
  const label = 'register.name'
  const focus = { ...attributes, autofocus: isFaulty }
  return field({ id: 'name', name: 'name', label, isFaulty, attributes: focus }, texts)
}

/** The code that was mailed to a new user, and the password that goes with it. */
export function confirmRegisterPage(view: ConfirmRegisterView, shell: Shell): PageContent {
  const { form, code, username, isTaken, password, back } = view
  const { texts } = shell
  const isRefused = password.reasons.length > 0
  const isCodeFaulty = !isTaken && !isRefused
  const content = [
    codeField(code, form, 'confirm-register.help', texts, isCodeFaulty),
    username === null ? null : usernameField(username, isTaken, texts, true),
    passwordField(view, shell),
    button(texts.html('confirm-register.submit')),
  ]
  const ofCode = isTaken ? 'register.taken' : 'confirm-email.wrong'
  return {
    title: 'confirm-email.title',
    isFaulty: form.fault !== null,
    body: html`<p>${texts.html('confirm-register.lead')}</p>
${formOf(form, texts, isRefused ? 'new-password.wrong' : ofCode, content, true)}
<p class="links"><a href="${back}">${texts.html('confirm-register.back')}</a></p>`,
  }
}

function passwordField(view: ConfirmRegisterView, shell: Shell): SafeHtml {
  const { password, form, isPasswordOptional } = view
  const isFaulty = password.reasons.length > 0
  const optional =
    isPasswordOptional &&
    html`<p>${shell.texts.html('register.password-optional')}</p>
`
  const field = newPasswordField(password, form, shell, isFaulty, !isPasswordOptional)
  return html`${optional || null}${field}`
}
