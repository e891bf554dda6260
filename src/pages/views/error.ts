import { html, type SafeHtml } from '../html.js'
import type { PageContent, PageShell } from '../layout.js'
import type { PageTexts } from '../texts.js'
import type { ErrorView } from '../view-parts.js'

/** The fault, for people; a reference and the wrong parameter, for developers. */
export function errorPage(
  view: ErrorView,
  { texts, home }: Pick<PageShell, 'texts' | 'home'>,
): PageContent {
  const { fault, clientName, retryAfter, told, again } = view
  const sentence = texts.html(`error.${fault}`, {
    client: clientName ?? texts.plain('error.app'),
    wait: texts.wait(retryAfter),
  })
  const links = [
    again && html`<a href="${again}">${texts.html('error.again')}</a>`,
    home !== null && home !== again ? html`<a href="${home}">${texts.html('page.home')}</a>` : null,
  ]
  const way = again || home ? html`<p class="links">${links}</p>` : null
  return {
    title: 'error.title',
    body: html`<p class="lead">${sentence}</p>
${told === null ? advice(fault, texts) : html`<p><bdi>${told}</bdi></p>`}
${forDevelopers(view, texts)}
${way}`,
  }
}

function advice(fault: ErrorView['fault'], texts: PageTexts): SafeHtml | null {
  return isPlain(fault) ? null : html`<p>${texts.html('error.go-back')}</p>`
}

// A passing fault, or one without an app, needs no advice for developers.
function isPlain(fault: ErrorView['fault']): boolean {
  return ['throttled', 'busy', 'no-app', 'not-connected', 'identity-in-use'].includes(fault)
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
