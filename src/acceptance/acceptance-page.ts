import { AuthError } from '../errors.js'
import type { FormPage } from '../pages/form-page.js'
import {
  accountCard,
  accountOf,
  button,
  choice,
  formOf,
  type OwnView,
  waysOut,
} from '../pages/form-parts.js'
import { html } from '../pages/html.js'
import type { PageContent, PageShell } from '../pages/layout.js'
import { goOnWith } from '../pages/page-visit.js'
import type { FormsKit } from '../pages/pages-kit.js'
import { staleForm } from '../pages/renew-cookie.js'
import type { Acceptance, AcceptanceDocument } from '../principal/required-actions.js'

/** `/oauth/acceptance`: the user must accept documents of the host. */
export function createAcceptancePage(kit: FormsKit, acceptance: Acceptance): FormPage {
  return {
    page: 'acceptance',
    grants: true,

    async view({ found }, form) {
      if (found === null) return null
      const documents = await acceptance.dueFor(found.approved.user)
      const view = { account: accountOf(found), form, documents }
      return (shell) => acceptancePage(view, shell)
    },

    async submit(visit, fields) {
      const { found, flow, request } = visit
      if (found === null) return { next: 'start-over' }
      const given = documentsIn(fields.text('documents'))
      if (given === null || fields.text('choice') !== 'accept') return staleForm
      // A copy of the cookie from before a change accepts nothing for the user.
      if (found.signIn.isByFormerSecret) return staleForm
      const isDone = await acceptance
        .accept(found.session, given, request.context)
        .then(() => true, unlessSuperseded)
      // Another version by now: it is shown.
      if (!isDone) return staleForm
      return { next: 'answer', answer: goOnWith(kit, visit, flow ?? kit.flows.begin()) }
    },
  }
}

function unlessSuperseded(error: unknown): false {
  if (error instanceof AuthError && error.code === 'superseded') return false
  throw error
}

// What the page has shown: nobody accepts a version that was published since.
function textOf(documents: readonly AcceptanceDocument[]): string {
  return JSON.stringify(documents.map(({ id, version }) => ({ id, version })))
}

function documentsIn(text: string): { id: string; version: string }[] | null {
  try {
    const given: unknown = JSON.parse(text)
    const isList = Array.isArray(given) && given.length <= 10
    return isList
      ? given.map(({ id, version }) => ({ id: String(id), version: String(version) }))
      : null
  } catch {
    return null
  }
}

interface AcceptanceView extends Omit<OwnView, 'back'> {
  readonly documents: readonly AcceptanceDocument[]
}

/**
 * The documents that the user has not accepted yet.
 *
 * @internal
 */
export function acceptancePage(
  { account, form, documents }: AcceptanceView,
  { texts }: PageShell,
): PageContent {
  const links = documents.map(
    ({ name, url }) =>
      html`<li><a href="${url}" target="_blank" rel="noopener"><bdi>${name}</bdi></a></li>
`,
  )
  const shown = html`<input type="hidden" name="documents" value="${textOf(documents)}">
`
  const content = [shown, button(texts.html('acceptance.accept'), choice('accept', 'grants'))]
  return {
    title: 'acceptance.title',
    isFaulty: form.fault !== null,
    body: html`${accountCard(account)}
<p>${texts.html('acceptance.lead')}</p>
<ul>
${links}</ul>
${formOf(form, texts, 'fault.stale', content, true)}
${waysOut(form, texts)}`,
  }
}
