import type { AuthError } from '../errors.js'
import type { TextAnswer } from '../http/answer.js'
import type { InteractionPage } from './decide-authorization.js'
import type { PageProblem } from './parse-request.js'

// Small pages for people: no style, no script, no link. Nothing of a request stands in one.

/** What goes with every page, and with every redirect out of one. */
const headers: Readonly<Record<string, string>> = Object.freeze({
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Language': 'en',
  'Content-Security-Policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  // With `no-referrer` browsers would send `Origin: null` from our own forms.
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
})

/** A 303: whatever the request was, the next one is a GET. */
export function seeOther(location: string): TextAnswer {
  return { status: 303, text: '', headers: { ...headers, Location: location } }
}

const problems: Readonly<Record<PageProblem, (clientName: string | null) => string>> = {
  'too-long': () => 'The app has sent a request that is too long.',
  malformed: () => 'The app has sent a request that cannot be read.',
  'repeated-parameter': () => 'The app has sent a request in which something is there twice.',
  'unknown-client': () => 'The app that sent you here is not known here, or not any more.',
  'redirect-mismatch': (name) =>
    `${name ?? 'The app'} wants to be answered at an address that is not registered for it.`,
}

/** A 400 for a request that nobody is sent back from: who sent it is not proven. */
export function faultPage(
  problem: PageProblem,
  clientName: string | null,
  requestId: string | null,
): TextAnswer {
  const remedy = 'Go back and try again. If that does not help, tell the people who run the app.'
  return page(400, 'This does not work', [problems[problem](clientName), remedy], requestId)
}

/** What could not be done, for a person to read. */
export function errorPage(error: AuthError, requestId: string | null): TextAnswer {
  const { status, clientMessage, retryAfter } = error
  const again = retryAfter === undefined ? [] : [`Please try again in ${retryAfter} seconds.`]
  const made = page(status, 'This does not work now', [clientMessage, ...again], requestId)
  if (retryAfter === undefined) return made
  return { ...made, headers: { ...made.headers, 'Retry-After': String(retryAfter) } }
}

const steps: Readonly<
  Record<InteractionPage['page'], (service: string, clientName: string) => string>
> = {
  'sign-in': (service) => `Sign in to ${service} first, then come back.`,
  enrolment: (service) => `Set up a second factor at ${service} first, then come back.`,
  'second-factor': (service, name) =>
    `${name} asks for a second factor. Sign in to ${service} with one, then come back.`,
  consent: (service, name) => `${name} has not been allowed to use your account at ${service}.`,
  continue: (service, name) =>
    `${name} asks whether to use your account at ${service}, and has got nothing yet.`,
}

/** What must be done before the client gets an answer. */
export function stepPage(
  { page: step }: InteractionPage,
  service: string,
  clientName: string,
): TextAnswer {
  return page(200, 'One step is missing', [steps[step](service, clientName)], null)
}

function page(
  status: number,
  title: string,
  texts: readonly string[],
  requestId: string | null,
): TextAnswer {
  const told = requestId === null ? texts : [...texts, `Reference: ${requestId}`]
  const lines = [
    '<!doctype html>',
    '<html lang="en">',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    `<title>${escaped(title)}</title>`,
    `<h1>${escaped(title)}</h1>`,
    ...told.map((text) => `<p>${escaped(text)}</p>`),
    '',
  ]
  return { status, text: lines.join('\n'), headers }
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
}
