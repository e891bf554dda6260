import type { TextAnswer } from '../http/answer.js'
import type { AuthorizationRequest } from '../oauth/authorization-request.js'
import { documentOf } from '../oauth/client-documents/client-document.js'
import { claimedNameOf } from '../oauth/client-registration/client-metadata.js'
import { wordsOfPage } from '../oauth/consent-words.js'
import type { FlowStep } from '../oauth/decide-authorization.js'
import type { FormPage } from '../pages/form-page.js'
import {
  accountCard,
  accountOf,
  button,
  type ClientOnPage,
  choice,
  formOf,
  type OwnView,
} from '../pages/form-parts.js'
import { html, type SafeHtml } from '../pages/html.js'
import type { PageContent, PageShell } from '../pages/layout.js'
import { clientOf, clientOnPage, goOnWith, type PageVisit } from '../pages/page-visit.js'
import { staleForm } from '../pages/renew-cookie.js'
import type { PageTexts } from '../pages/texts.js'
import type { BrowserKit } from './browser-kit.js'

/** `/oauth/consent`: asks the user for consent to the request of a third-party app. */
export function createConsentPage(kit: BrowserKit): FormPage {
  const { ownResource } = kit
  return {
    page: 'consent',
    grants: true,
    asks: ({ goal }) => (goal.kind === 'client' ? shownOf(goal.request, ownResource) : []),

    async view({ goal, found }, form) {
      if (found === null || goal.kind === 'page') return null
      const { request } = goal
      const client = clientOnPage(request.client, request.redirectUri)
      const claimedName = claimedNameOf(request.client)
      const view = { client, claimedName, account: accountOf(found), manage: kit.accountUrl, form }
      return (shell) => {
        const { tag } = shell.texts
        const scopes = request.scopes.map((scope) => kit.scopes.describe(scope, tag))
        return consentPage({ ...view, scopes, apis: apisOf(kit, request.resources, tag) }, shell)
      }
    },

    async submit(visit, fields) {
      const { goal, found } = visit
      if (found === null || goal.kind === 'page') return { next: 'start-over' }
      const { request } = goal
      if (fields.text('choice') !== 'allow') return staleForm
      const now = kit.clock()
      const { userId } = found.session
      const scopes = wordsOfPage(request, ownResource)
      const clientId = request.client.id
      // 503. The consent is stored before the browser moves on.
      await kit.consents.grant({ userId, clientId, scopes, grantedAt: now, updatedAt: now })
      kit.audit({ type: 'consent.granted', userId, clientId }, visit.request.context)
      return { next: 'answer', answer: decidedAnew(kit, visit, 'consent') }
    },
  }
}

// A document that has changed since the page was shown is another question.
function shownOf(request: AuthorizationRequest, ownResource: string): readonly string[] {
  const document = documentOf(request.client)
  const words = wordsOfPage(request, ownResource)
  return document === null ? words : [...words, document.digest]
}

/** `/oauth/continue`: asks a signed-in user whether to continue with this account. */
export function createContinuePage(kit: BrowserKit): FormPage {
  return {
    page: 'continue',
    grants: true,

    async view({ goal, found }, form) {
      if (found === null) return null
      const host = { name: kit.pageSite.brand.name, host: kit.baseUrl.host }
      const view = { client: clientOf(goal) ?? host, account: accountOf(found), form }
      return (shell) => continuePage(view, shell)
    },

    async submit(visit, fields) {
      if (fields.text('choice') !== 'continue') return staleForm
      return { next: 'answer', answer: decidedAnew(kit, visit, 'select_account') }
    },
  }
}

/**
 * The names of the APIs. If the host's own is the only one, the page need not name it.
 */
export function apisOf(
  { nameResource, ownResource, pageSite }: BrowserKit,
  resources: readonly string[],
  tag: string,
): readonly string[] {
  const { name } = pageSite.brand
  if (resources.every((resource) => resource === ownResource)) return []
  return resources.map((one) => (one === ownResource ? name : nameResource(one, tag)))
}

/** Redirects to a new decision, with one more step done. */
function decidedAnew(kit: BrowserKit, visit: PageVisit, step: FlowStep): TextAnswer {
  return goOnWith(kit, visit, kit.flows.withStep(visit.flow ?? kit.flows.begin(), step))
}

/** The permissions that a third-party app requests. */
interface ConsentView extends Omit<OwnView, 'back'> {
  readonly client: ClientOnPage
  /** The name that an unregistered client gives itself, unproven; null for any other client. */
  readonly claimedName: string | null
  /** The meaning of each scope in the user's language. */
  readonly scopes: readonly string[]
  /** The names of the APIs; empty if only the host's own is concerned. */
  readonly apis: readonly string[]
  /** The host's page to revoke the consent; null without. */
  readonly manage: string | null
}

/** Asks a signed-in user whether to continue with this account. */
interface ContinueView extends Omit<OwnView, 'back'> {
  readonly client: ClientOnPage
}

/**
 * The requested permissions, and the target of the answer.
 *
 * @internal
 */
export function consentPage(view: ConsentView, { texts }: PageShell): PageContent {
  const { client, account, form } = view
  const name = html`<b><bdi>${client.name}</bdi></b>`
  const content = [
    button(texts.html('consent.allow'), choice('allow', 'grants')),
    button(texts.html('page.cancel'), choice('cancel', 'plain')),
    button(texts.html('continue.other'), choice('other', 'link')),
  ]
  return {
    title: 'consent.title',
    isFaulty: form.fault !== null,
    body: html`<p class="lead">${texts.html('consent.lead', { client: name })}
${texts.html('consent.foreign')}</p>
${claimed(view, texts)}
${accountCard(account)}
${scopesOf(view, texts)}
${target(view, texts)}
${formOf(form, texts, 'fault.stale', content)}
${revoke(view, texts)}`,
  }
}

// Below the host, which is proven: anybody can call an app whatever they like.
function claimed({ claimedName }: ConsentView, texts: PageTexts): SafeHtml | null {
  if (claimedName === null) return null
  const name = html`<bdi>${claimedName}</bdi>`
  return html`<p class="note">${texts.html('consent.claimed', { name })}</p>`
}

/** The rights that an app would get, and the APIs where it gets them. */
export function scopesOf(
  { scopes, apis }: Pick<ConsentView, 'scopes' | 'apis'>,
  texts: PageTexts,
): SafeHtml {
  const allowed = html`<p id="scopes">${texts.html('consent.scopes')}</p>
<ul class="scopes" aria-labelledby="scopes">${itemsOf(scopes)}</ul>`
  if (apis.length === 0) return allowed
  return html`${allowed}
<p id="apis">${texts.html('consent.apis')}</p>
<ul class="scopes" aria-labelledby="apis">${itemsOf(apis)}</ul>`
}

function itemsOf(names: readonly string[]): SafeHtml[] {
  return names.map((name) => html`<li><bdi>${name}</bdi></li>`)
}

// The target is the only part that an app cannot invent, unlike its name.
function target({ client: { host } }: ConsentView, texts: PageTexts): SafeHtml {
  const text =
    host === null
      ? texts.html('consent.device')
      : texts.html('consent.site', { host: html`<b class="host" dir="ltr">${host}</b>` })
  return html`<p class="note">${text}</p>`
}

function revoke({ manage }: ConsentView, texts: PageTexts): SafeHtml {
  const link = manage && html` <a href="${manage}">${texts.html('consent.manage')}</a>`
  return html`<p class="hint">${texts.html('consent.revoke')}${link}</p>`
}

/**
 * Asks a signed-in user whether to continue with this account.
 *
 * @internal
 */
export function continuePage(
  { client, account, form }: ContinueView,
  { texts }: PageShell,
): PageContent {
  const names = { client: client.name, account: account.name }
  // An app on a device cannot be distinguished from an impostor: RFC 8252 §8.6.
  const warning =
    client.host === null
      ? html`<p class="note">${texts.html('continue.device', { client: client.name })}</p>`
      : null
  const content = [
    button(texts.html('page.continue'), choice('continue', 'grants')),
    button(texts.html('continue.other'), choice('other', 'plain')),
    button(texts.html('page.cancel'), choice('cancel', 'link')),
  ]
  return {
    title: 'continue.title',
    isFaulty: form.fault !== null,
    body: html`<p class="lead">${texts.html('continue.question', names)}</p>
${accountCard(account)}
${warning}${formOf(form, texts, 'fault.stale', content)}`,
  }
}
