import { html, type SafeHtml } from '../html.js'
import type { PageContent, PageShell } from '../layout.js'
import type { PageTexts } from '../texts.js'
import type { ErrorView } from '../view.js'

/** The fault, for people; a reference and the wrong parameter, for developers. */
export function errorPage(
  view: ErrorView,
  { texts, home }: Pick<PageShell, 'texts' | 'home'>,
): PageContent {
  const { fault, clientName, retryAfter } = view
  const sentence = texts.html(`error.${fault}`, {
    client: clientName ?? texts.plain('error.app'),
    wait: texts.wait(retryAfter),
  })
  const way =
    home === null
      ? null
      : html`<p class="links"><a href="${home}">${texts.html('page.home')}</a></p>`
  return {
    title: 'error.title',
    body: html`<p class="lead">${sentence}</p>
${isPlain(fault) ? null : html`<p>${texts.html('error.go-back')}</p>`}
${forDevelopers(view, texts)}
${way}`,
  }
}

// A passing fault, or one without an app, needs no advice for developers.
function isPlain(fault: ErrorView['fault']): boolean {
  return fault === 'throttled' || fault === 'busy' || fault === 'no-app'
}

function forDevelopers({ reference, parameter }: ErrorView, texts: PageTexts): SafeHtml {
  const named =
    parameter === null
      ? null
      : html`<p>${texts.html('error.parameter', { parameter: shown(parameter) })}</p>`
  const id =
    reference === null ? null : html`<p>${texts.html('error.reference')} ${shown(reference)}</p>`
  return html`<div class="hint">${named}${id}</div>`
}

function shown(word: string): SafeHtml {
  return html`<code dir="ltr">${word}</code>`
}
