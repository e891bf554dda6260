import { button, field, formOf, hiddenUsername, typedName } from '../form-parts.js'
import { html } from '../html.js'
import type { PageContent, PageShell } from '../layout.js'
import type { PageTexts } from '../texts.js'
import type { ForgotView, ResetView, UndoView } from '../view.js'
import type { NoteView } from '../view-parts.js'
import { newPasswordField } from './new-password.js'

/** The name of whoever has forgotten the password. */
export function forgotPage({ form, username, back }: ForgotView, texts: PageTexts): PageContent {
  const isFaulty = form.fault?.kind === 'wrong'
  const name = field({ ...typedName(username, form), isFaulty }, texts)
  return {
    title: 'forgot.title',
    isFaulty: form.fault !== null,
    body: html`<p>${texts.html('forgot.lead')}</p>
${formOf(form, texts, 'forgot.wrong', [name, button(texts.html('forgot.submit'))], true)}
<p class="links"><a href="${back}">${texts.html('forgot.back')}</a></p>`,
  }
}

/** A new password, of whoever holds the link in a mail. */
export function resetPage(
  view: ResetView,
  shell: Pick<PageShell, 'texts' | 'passwordScript'>,
): PageContent {
  const { form, username } = view
  const { texts } = shell
  // In the form, so that password managers store the new password under this name.
  const attributes = { type: 'text', value: username, autocomplete: 'username', readonly: true }
  const label = 'new-password.account'
  const content = [
    field({ id: 'username', name: 'username', label, isFaulty: false, attributes }, texts),
    newPasswordField(view, form, shell),
    html`<p class="hint">${texts.html('new-password.ends')}</p>
`,
    button(texts.html('new-password.submit')),
  ]
  return {
    title: 'new-password.title',
    isFaulty: form.fault !== null,
    body: formOf(form, texts, 'new-password.wrong', content, true),
  }
}

/** Asks before a change of the address is taken back: whatever opens a link opens this page. */
export function undoPage(
  { form, username, former, password }: UndoView,
  shell: Pick<PageShell, 'texts' | 'passwordScript'>,
): PageContent {
  const { texts } = shell
  const wrong = password === null ? 'fault.stale' : 'new-password.wrong'
  const content = [
    hiddenUsername(username),
    password && newPasswordField(password, form, shell),
    button(texts.html('undo.submit')),
  ]
  return {
    title: 'undo.title',
    isFaulty: form.fault !== null,
    body: html`<p class="account"><bdi><b>${username}</b></bdi></p>
<p>${texts.html('undo.former', { address: html`<bdi>${former}</bdi>` })}</p>
<p>${texts.html(password === null ? 'undo.lead-alone' : 'undo.lead')}</p>
${formOf(form, texts, wrong, content, password !== null)}`,
  }
}

/** What has happened, and the way onward. */
export function notePage(
  { note, onward }: NoteView,
  { texts }: Pick<PageShell, 'texts'>,
): PageContent {
  const link =
    onward &&
    html`
<p class="links"><a href="${onward}">${texts.html(`note.${note}-onward`)}</a></p>`
  return {
    title: `note.${note}-title`,
    body: html`<p>${texts.html(`note.${note}`)}</p>${link}`,
  }
}
