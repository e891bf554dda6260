import { switchOnTotp } from '../account/totp.js'
import type { Endpoint } from '../http/endpoint.js'
import { typedDigits } from '../lib/typed-codes.js'
import type { FormFields, FormPage } from '../pages/form-page.js'
import {
  button,
  digits,
  field,
  formOf,
  type PageForm,
  waysOut,
  waysOutButtons,
} from '../pages/form-parts.js'
import { html, type SafeHtml } from '../pages/html.js'
import type { PageContent, PageShell } from '../pages/layout.js'
import { mayShow } from '../pages/next-page.js'
import { advance, leave, visitPage } from '../pages/page-visit.js'
import { renewCookie, wrongFields } from '../pages/renew-cookie.js'
import { forPeople } from '../pages/show-page.js'
import type { PageTexts } from '../pages/texts.js'
import type { BrowserKit } from './browser-kit.js'
import { addingOn, addPasskey, newPasskeyPart, showRecoveryCodes } from './passkeys-page.js'

/**
 * The page of a required action that the host does not offer: answers the client with an error,
 * since a page could not help its user.
 */
export function refusedActionEndpoint(
  kit: BrowserKit,
  page: 'enrolment' | 'new-password',
  description: string,
): Endpoint {
  const refusal = { error: 'access_denied', description }
  return forPeople(kit, (request) =>
    visitPage(kit, request, (visit) =>
      mayShow(page, visit.decision, visit.flow)
        ? leave(kit, visit.goal, refusal)
        : advance(kit, visit),
    ),
  )
}

/** Characters; longer than any valid code. */
const maxCodeChars = 64

/** The digits of a typed code. */
export function typedCode(fields: FormFields): string {
  return typedDigits(fields.text('code').slice(0, maxCodeChars))
}

/** `/oauth/enrolment`: a second factor is required, and the user has none yet. */
export function createEnrolmentPage(kit: BrowserKit): FormPage {
  const { totpKit, passkeysKit } = kit
  return {
    page: 'enrolment',

    async view({ found, request: { context } }, form) {
      if (found === null) return null
      const isAlone = totpKit === undefined
      const passkey = passkeysKit && (await newPasskeyPart(passkeysKit, found, isAlone))
      if (totpKit === undefined)
        return passkey
          ? (shell) => enrolPasskeyPage({ form, passkey: passkey(shell) }, shell)
          : null
      const { session, approved } = found
      const { secret, otpauthUri } = await totpKit.enrolment.resume(
        approved.user,
        session.id,
        context,
      )
      const qr = await drawn(kit, otpauthUri)
      const shown = { form, secret, otpauthUri, qr }
      return (shell) => enrolPage({ ...shown, passkey: passkey?.(shell) ?? null }, shell)
    },

    async submit(visit, fields) {
      const { found, request } = visit
      if (found === null) return { next: 'start-over' }
      if (passkeysKit !== undefined && fields.has('passkey'))
        return addPasskey(kit, passkeysKit, addingOn(kit, visit, found), fields, request)
      const code = typedCode(fields)
      if (code === '' || totpKit === undefined) return wrongFields
      return renewCookie(kit, found, request.incoming, async (beforehand) => {
        const codes = await switchOnTotp(totpKit, found.session, { code, beforehand }, request)
        return { next: 'answer', answer: showRecoveryCodes(kit, visit, codes) }
      })
    },
  }
}

/** The modules of the QR code; null without. A failure is harmless: the key is also a text. */
export async function drawn({ qrCode, call }: BrowserKit, text: string): Promise<EnrolView['qr']> {
  if (qrCode === undefined) return null
  return call('pages.qrCode', () => qrCode(text)).catch(() => null)
}

/** A second factor is required, and the user has none yet. */
interface EnrolView {
  readonly form: PageForm
  /** Base32, for typing. */
  readonly secret: string
  readonly otpauthUri: string
  /** The modules of the QR code row by row, true for dark, without a border; null without. */
  readonly qr: readonly (readonly boolean[])[] | null
  /** Markup for the form that creates a passkey instead; null without passkeys. */
  readonly passkey: SafeHtml | null
}

/** A second factor is required on a host without TOTP: a passkey, or the way back. */
interface EnrolPasskeyView {
  readonly form: PageForm
  readonly passkey: SafeHtml
}

/** A new secret for an authenticator app, and the field for its first code. */
export function enrolPage(view: EnrolView, { texts, passkeyScript }: PageShell): PageContent {
  const { form, otpauthUri, passkey } = view
  const instead =
    passkey &&
    html`<p class="other">${texts.html('enrol-passkey.instead')}</p>
${passkey}`
  const content = [code(view, texts), button(texts.html('enrol.submit')), instead]
  return {
    title: 'enrol.title',
    isFaulty: form.fault !== null,
    body: html`<p>${texts.html('enrol.lead')}</p>
${scan(view, texts)}${typed(view, texts)}
<p class="links"><a href="${otpauthUri}">${texts.html('enrol.open')}</a></p>
${formOf(form, texts, 'enrol.wrong', content, true)}
${waysOut(form, texts)}`,
    scripts: [passkey && passkeyScript],
  }
}

/**
 * A new passkey, if that is the only available factor.
 *
 * @internal
 */
export function enrolPasskeyPage(
  { form, passkey }: EnrolPasskeyView,
  { texts, passkeyScript }: PageShell,
): PageContent {
  return {
    title: 'enrol.title',
    isFaulty: form.fault !== null,
    body: html`<p>${texts.html('enrol-passkey.lead')}</p>
${formOf(form, texts, 'fault.wrong-passkey', [passkey, waysOutButtons(texts)])}`,
    scripts: [passkeyScript],
  }
}

function scan({ qr }: EnrolView, texts: PageTexts): SafeHtml | null {
  if (qr === null) return null
  return html`<p>${texts.html('enrol.scan')}</p>
${qrSvg(qr, texts.plain('enrol.qr'))}`
}

function typed({ qr, secret }: EnrolView, texts: PageTexts): SafeHtml {
  const groups = secret.match(/.{1,4}/g) ?? []
  const lead = texts.html(qr === null ? 'enrol.type-only' : 'enrol.type')
  return html`<p>${lead}</p>
<p><code class="secret" dir="ltr">${groups.join(' ')}</code></p>`
}

function code({ form }: EnrolView, texts: PageTexts): SafeHtml {
  const isFaulty = form.fault?.kind === 'wrong'
  const given = {
    type: 'text',
    ...digits,
    spellcheck: 'false',
    required: true,
    autofocus: isFaulty,
  }
  return field(
    { id: 'one-time-code', name: 'code', label: 'enrol.code', isFaulty, attributes: given },
    texts,
  )
}

/** The quiet zone around a code, in modules. */
const quietZone = 4

/**
 * A QR code as an inline element: its content is secret, so no other request loads it.
 *
 * @param modules - row by row, true for dark
 */
function qrSvg(modules: readonly (readonly boolean[])[], label: string): SafeHtml {
  const size = modules.length + 2 * quietZone
  const dark = modules.flatMap((row, y) => runsOf(row).map((run) => pathOf(run, y))).join('')
  const box = `0 0 ${size} ${size}`
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="${box}">
<path d="${dark}"/></svg>
`
}

/** Adjacent dark modules. */
interface Run {
  readonly start: number
  readonly length: number
}

function runsOf(row: readonly boolean[]): Run[] {
  const starts = row.flatMap((isDark, x) => (isDark && row[x - 1] !== true ? [x] : []))
  return starts.map((start) => {
    const end = row.indexOf(false, start)
    return { start, length: (end === -1 ? row.length : end) - start }
  })
}

function pathOf({ start, length }: Run, y: number): string {
  return `M${start + quietZone} ${y + quietZone}h${length}v1h-${length}z`
}
