import type { RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import type { HostCall } from '../lib/host-call.js'
import { typedDigits } from '../lib/typed-code.js'
import type { SessionRecord } from '../stores/contract.js'
import type { AuthUser } from '../users/contract.js'
import type { FormPage, FormPageDeps, Submitted } from './form-page.js'
import { mayShow } from './next-page.js'
import { addingOn, type NewPasskey, showRecoveryCodes } from './page-passkeys.js'
import type { PagesOptions } from './pages-options.js'
import type { RenewCookie } from './renew-cookie.js'
import { forPeople, type ShowPage } from './show-page.js'
import type { EnrolView } from './view.js'

/** Sets up an authenticator app, right after the password. */
export interface FactorEnrolment {
  /**
   * The session's pending seed, or a new one. Rejects with 409 and 503.
   */
  begin(
    user: AuthUser,
    sessionId: string,
    context: RequestContext,
  ): Promise<{ readonly secret: string; readonly otpauthUri: string }>
  /**
   * Activates the factor; resolves with the recovery codes. Calls `beforehand` after a right code,
   * before any change. Rejects with 401, 409, 429 and 503.
   */
  confirm(
    session: SessionRecord,
    code: string,
    request: Pick<EndpointRequest, 'context' | 'setHeaders'>,
    beforehand: () => Promise<void>,
  ): Promise<readonly string[]>
}

export interface EnrolmentPageDeps {
  /** Undefined if the host has no store of second factors. */
  readonly enrolment: FactorEnrolment | undefined
  /** Undefined without the option `passkeys`. */
  readonly newPasskey: NewPasskey | undefined
  readonly renewCookie: RenewCookie
  /** Undefined: no QR code is drawn. */
  readonly qrCode: PagesOptions['qrCode']
  readonly call: HostCall
  readonly showPage: ShowPage
  /** The address of the router for browsers. */
  readonly baseUrl: URL
}

/**
 * `GET /oauth/enrolment` of a host without enrolment: answers the client with an error, since a
 * page could not help its user.
 */
export function refusedEnrolmentEndpoint({
  visitPage,
  advance,
  exits,
  showPage,
}: Pick<FormPageDeps, 'visitPage' | 'advance' | 'exits' | 'showPage'>): Endpoint {
  const description = 'A second factor is demanded, which cannot be set up here.'
  const refusal = { error: 'access_denied', description }
  return forPeople(showPage, (request) =>
    visitPage(request, (visit) =>
      mayShow('enrolment', visit.decision, visit.flow)
        ? exits.leave(visit.goal, refusal)
        : advance(visit, request.context),
    ),
  )
}

/** Characters; longer than any valid code. */
const maxCodeChars = 64

/** `/oauth/enrolment`: a second factor is required, and the user has none yet. */
export function createEnrolmentPage(deps: EnrolmentPageDeps): FormPage {
  const { enrolment, newPasskey, renewCookie } = deps
  return {
    page: 'enrolment',

    async view({ found }, form, _typed, { context }) {
      if (found === null) return null
      const passkey = (await newPasskey?.part(found, enrolment === undefined)) ?? null
      if (enrolment === undefined)
        return passkey && ((texts) => ({ page: 'enrol-passkey', form, passkey: passkey(texts) }))
      const { session, approved } = found
      const { secret, otpauthUri } = await enrolment.begin(approved.user, session.id, context)
      const qr = await drawn(deps, otpauthUri)
      const shown = { page: 'enrol', form, secret, otpauthUri, qr } as const
      return (texts) => ({ ...shown, passkey: passkey?.(texts) ?? null })
    },

    async submit(visit, fields, request) {
      const { found } = visit
      if (found === null) return { next: 'start-over' }
      if (newPasskey !== undefined && fields.has('passkey'))
        return newPasskey.add(addingOn(deps, visit, found), fields, request)
      const code = typedDigits(fields.text('code').slice(0, maxCodeChars))
      if (code === '' || enrolment === undefined) return wrong
      return renewCookie({ incoming: request.incoming, found }, async (beforehand) => {
        try {
          const codes = await enrolment.confirm(found.session, code, request, beforehand)
          const answer = await showRecoveryCodes(deps, visit, codes)
          return { next: 'answer', answer }
        } catch (error) {
          return refusalOfCode(error)
        }
      })
    },
  }
}

const wrong: Submitted = { next: 'again', status: 422, fault: { kind: 'wrong' } }

/** The page again, or the sign-in, for a refused first code. */
export function refusalOfCode(error: unknown): Submitted {
  if (!(error instanceof AuthError)) throw error
  const { retryAfter = 5 } = error
  switch (error.code) {
    case 'totp-invalid':
      return wrong
    // The seed has expired: the page shows a new one.
    case 'totp-not-enabled':
      return { next: 'again', status: 422, fault: { kind: 'stale' } }
    case 'too-many-requests':
      return { next: 'again', status: 429, fault: { kind: 'throttled', retryAfter } }
    case 'temporarily-unavailable':
      return { next: 'again', status: 503, fault: { kind: 'busy', retryAfter } }
    default:
      return { next: 'start-over' }
  }
}

/** The modules of the QR code; null without. A failure is harmless: the key is also a text. */
export async function drawn(
  { qrCode, call }: Pick<EnrolmentPageDeps, 'qrCode' | 'call'>,
  text: string,
): Promise<EnrolView['qr']> {
  if (qrCode === undefined) return null
  return call('pages.qrCode', () => qrCode(text)).catch(() => null)
}
