import { AuthError } from '../../errors.js'
import type { EndpointRequest } from '../../http/endpoint.js'
import type { Pages } from '../../http/page-origin.js'
import { withReadableDomain } from '../../lib/address-domain.js'
import type { LoggedIn } from '../../login/log-in.js'
import { endUnlessKept, findSessionOfCookie } from '../../sessions/browser-session.js'
import type { Sessions } from '../../sessions/sessions.js'
import type { Flows } from '../flow.js'
import { pageAddress } from '../page-request.js'
import type { RegisterField } from '../view-parts.js'
import type { MailFormDone, MailPage, MailPlace } from './mail-form.js'
import { type MailPagesDeps, requestIn, signInAt, tokenIn } from './mail-pages.js'
import type { RegistrationOnPages } from './parts.js'

export interface RegisterPagesDeps extends MailPagesDeps {
  readonly pages: Pick<Pages, 'cookie'>
  readonly sessions: Pick<Sessions, 'findBySecret' | 'end'>
  readonly flows: Pick<Flows, 'begin' | 'withStep' | 'seal'>
}

/**
 * `/account/register`, and `/account/invitation?token=…` for whoever is invited: mails a code to a
 * new user.
 */
export function createRegisterPage(
  deps: MailPagesDeps,
  registration: RegistrationOnPages,
  page: 'account/register' | 'account/invitation',
): MailPage {
  const isInvited = page === 'account/invitation'
  // A link in a mail carries no request of an app.
  const appOf = ({ raw }: MailPlace) => (isInvited ? '' : raw)
  return {
    page,
    instead: null,

    async view(place, form, { fields, wrong }, request) {
      if (!isInvited && (await registration.needsInvitation()))
        throw new AuthError('registration-closed')
      const given = isInvited ? await registration.look(tokenIn(place), request) : null
      return () => ({
        page: 'register',
        form,
        email: given === null ? fields.text('email') : withReadableDomain(given),
        isEmailGiven: given !== null,
        username: fields.text('username'),
        name: fields.text('name'),
        wrong: registerFields.find((one) => wrong.includes(one)) ?? null,
        isTaken: wrong.includes('username-taken'),
        back: signInAt(deps, appOf(place), place.language),
      })
    },

    async submit(place, fields, request) {
      const sent = ['email', 'username', 'name', ...(fields.has('locale') ? ['locale'] : [])]
      const typed = sent.map((name) => [name, fields.text(name)] as const)
      const invitation = isInvited ? { invitation: tokenIn(place) } : {}
      const given = { ...Object.fromEntries(typed), ...invitation }
      const requestId = await registration.register(given, request)
      const app = appOf(place)
      const raw = `proof=${requestId}${app === '' ? '' : '&'}${app}`
      const next = { raw, flow: null, language: place.language }
      return { goTo: pageAddress(deps.baseUrl, 'account/register/confirm', next), cookies: [] }
    },
  }
}

const registerFields: readonly RegisterField[] = ['email', 'username', 'name']

/** `/account/register/confirm?proof=…`: takes the code, and signs the new user in. */
export function createConfirmRegisterPage(
  deps: RegisterPagesDeps,
  registration: RegistrationOnPages,
): MailPage {
  const { baseUrl } = deps
  const { needsPassword, minLength } = registration
  return {
    page: 'account/register/confirm',
    instead: null,
    takesCode: true,

    async view(place, form, { fields, reasons, wrong }) {
      const { app } = confirmIn(place)
      const again = { raw: app, flow: null, language: place.language }
      const isTaken = wrong.includes('username-taken')
      return () => ({
        page: 'confirm-register',
        form,
        code: fields.text('code'),
        // Asked for only after somebody else was quicker.
        username: isTaken || fields.has('username') ? fields.text('username') : null,
        isTaken,
        password: { minLength, reasons },
        isPasswordOptional: !needsPassword,
        back: pageAddress(baseUrl, 'account/register', again),
      })
    },

    async submit(place, fields, request) {
      const { requestId, app } = confirmIn(place)
      const optional = needsPassword ? [] : ['password'].filter((one) => fields.text(one) !== '')
      const sent = ['code', ...(needsPassword ? ['password'] : optional)]
      const other = ['username'].filter((one) => fields.has(one))
      const typed = [...sent, ...other].map((name) => [name, fields.text(name)] as const)
      const given = { requestId, ...Object.fromEntries(typed) }
      return signedIn(deps, await registration.confirm(given, request), app, place, request)
    },
  }
}

/** The id of the request for a code, and the request of the app. */
function confirmIn({ raw }: MailPlace): { readonly requestId: string; readonly app: string } {
  const [, requestId = '', app = ''] = /^proof=([\w-]{1,100})(?:&(.*))?$/.exec(raw) ?? []
  return { requestId, app }
}

async function signedIn(
  { pages, sessions, flows, ...deps }: RegisterPagesDeps,
  { session, token: value }: LoggedIn,
  app: string,
  { language }: MailPlace,
  { incoming, context }: EndpointRequest,
): Promise<MailFormDone> {
  await endUnlessKept(sessions, session, context, async () => {
    const earlier = await findSessionOfCookie(pages, sessions, incoming)
    if (earlier !== null) await sessions.end(earlier, 'logout', context)
  })
  const raw = requestIn(deps, app)
  // As after a sign-in: the request may ask for one that is new.
  const flow = flows.seal(flows.withStep(flows.begin(), 'login'), { request: raw, browser: value })
  const goTo = pageAddress(deps.baseUrl, 'authorize', { raw, flow, language })
  return { goTo, cookies: [{ of: pages.cookie, value, maxAge: null }] }
}
