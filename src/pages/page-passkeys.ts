import type { z } from 'zod'
import type { RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import type { TextAnswer } from '../http/answer.js'
import type { EndpointRequest } from '../http/endpoint.js'
import type { BrowserUser } from '../oauth/browser-sign-in.js'
import type { PasskeysOnPages } from '../passkeys/passkeys-on-pages.js'
import { isFresh } from '../sessions/recent-sign-in.js'
import {
  type AssertionResponse,
  assertionSchema,
  type CreationResponse,
  creationSchema,
} from '../two-factor/passkey-response.js'
import type { FormFields, Submitted } from './form-page.js'
import { hiddenFields, type PasskeyPart } from './form-parts.js'
import type { SafeHtml } from './html.js'
import { pageAddress } from './page-request.js'
import type { PageVisit } from './page-visit.js'
import type { RenewCookie } from './renew-cookie.js'
import { type ShowPage, seeOther } from './show-page.js'
import type { PageTexts } from './texts.js'

/** Passkeys on a page. */
export interface PagePasskeys {
  readonly part: PasskeyPart
  readonly server: PasskeysOnPages
}

/** Parses the response that the script writes into a form; null if it is malformed. */
export function assertionOf(text: string): AssertionResponse | null {
  return read(assertionSchema, text)
}

/** The same for a new passkey. */
function creationOf(text: string): CreationResponse | null {
  return read(creationSchema, text)
}

function read<Read>(schema: z.ZodType<Read>, text: string): Read | null {
  try {
    return schema.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}

/** A signed-in user who adds a passkey on a page. */
export interface AddingVisit {
  readonly found: BrowserUser
  /** Where the browser goes afterwards. */
  readonly onward: string
  /** Shows the recovery codes of a first passkey, in this answer only. */
  showCodes(codes: readonly string[]): Promise<TextAnswer>
}

/** Common parts of pages that create a passkey. */
export interface NewPasskey {
  /**
   * The part of the form that creates one; null if the sign-in is older than `POST /auth/passkeys`
   * requires, since a passkey alone can sign in. Rejects with 503.
   */
  part(found: BrowserUser, isAlone: boolean): Promise<((texts: PageTexts) => SafeHtml) | null>
  /** Adds the new passkey, then shows its recovery codes or leads on. */
  add(visit: AddingVisit, fields: FormFields, request: EndpointRequest): Promise<Submitted>
}

export interface NewPasskeyDeps {
  readonly passkeys: PagePasskeys
  readonly renewCookie: RenewCookie
  readonly clock: () => Date
}

export function createNewPasskey(deps: NewPasskeyDeps): NewPasskey {
  const { passkeys, renewCookie, clock } = deps
  const { part, server } = passkeys

  async function add(
    { found, onward, showCodes }: AddingVisit,
    fields: FormFields,
    context: RequestContext,
    beforehand: () => Promise<void>,
  ) {
    const { session, approved } = found
    const response = creationOf(fields.text('passkey'))
    if (response === null) return wrongPasskey
    if (!isFresh(session, clock())) return startOver
    const asking = { session, user: approved.user }
    const made = { response, name: 'Passkey', beforehand }
    const { recoveryCodes } = await server.add(asking, made, context)
    const answer = recoveryCodes === null ? seeOther(onward) : await showCodes(recoveryCodes)
    return { next: 'answer', answer } as const
  }

  return {
    async part({ session, approved }, isAlone) {
      if (!isFresh(session, clock())) return null
      const options = await server.creationOptions(approved.user, session.id)
      const asked = { ceremony: 'create', options, label: 'passkey.create', isAlone } as const
      return (texts) => part({ ...asked, renew: null }, texts)
    },
    add: (visit, fields, { incoming, context }) =>
      renewCookie({ incoming, found: visit.found }, (beforehand) =>
        add(visit, fields, context, beforehand).catch(refusalOf),
      ),
  }
}

export interface ShowCodesDeps {
  readonly showPage: ShowPage
  /** The address of the router for browsers. */
  readonly baseUrl: URL
}

/** A visit of a signed-in user on the way to an app or a page, who adds a passkey. */
export function addingOn(deps: ShowCodesDeps, visit: PageVisit, found: BrowserUser): AddingVisit {
  return {
    found,
    onward: pageAddress(deps.baseUrl, 'authorize', visit.asked),
    showCodes: (codes) => showRecoveryCodes(deps, visit, codes),
  }
}

/**
 * Shows recovery codes, only in this answer. Its form leads on to the next step.
 */
export function showRecoveryCodes(
  { showPage, baseUrl }: ShowCodesDeps,
  { asked, reader }: PageVisit,
  codes: readonly string[],
): ReturnType<ShowPage> {
  const action = pageAddress(baseUrl, 'enrolment', asked)
  const form = { action, hidden: hiddenFields({}), fault: null }
  return showPage(() => ({ page: 'recovery-codes', form, codes }), reader, { status: 200 })
}

const startOver: Submitted = { next: 'start-over' }
const wrongPasskey: Submitted = { next: 'again', status: 422, fault: { kind: 'wrong-passkey' } }

function refusalOf(error: unknown): Submitted {
  if (!(error instanceof AuthError)) throw error
  const { retryAfter = 5 } = error
  switch (error.code) {
    // Not verified, or cannot be added.
    case 'invalid-request':
    case 'passkey-exists':
    case 'too-many-passkeys':
      return wrongPasskey
    case 'temporarily-unavailable':
      return { next: 'again', status: 503, fault: { kind: 'busy', retryAfter } }
    default:
      return startOver
  }
}
