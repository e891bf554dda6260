/** What the scripts of the page share: its elements, the session, and calls to the server. */

export const byId = (id) => document.getElementById(id)

// Written only when it changes, or screen readers would hear it again and again.
export function say(id, text) {
  if (byId(id).textContent !== text) byId(id).textContent = text
}

export function element(name, className, text = '') {
  const made = document.createElement(name)
  made.className = className
  made.textContent = text
  return made
}

// The token lives in this variable alone. In localStorage every script that ever runs on this origin could read it, and it would
// outlive the tab. The price: a reload signs out.
export let session = null

export function setSession(value) {
  session = value
}

export function credentials() {
  return session === null ? {} : { 'X-User-Id': session.userId, 'X-Auth-Token': session.authToken }
}

/** An answer that is not a success. `status` is 0 when there was no answer. */
class Refusal extends Error {
  constructor(status, { error = 'unknown', message = 'Something went wrong.', details = {} }, retryAfter = null) {
    super(message)
    this.status = status
    this.code = error
    this.details = details
    this.retryAfter = retryAfter
  }
}

/** The server's word, and the page's event, for a user who must set up a second factor first. */
export const enrolmentRequired = 'second-factor-enrolment-required'

export async function call(method, path, body) {
  const headers = { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...credentials() }
  const response = await fetch(`/api/v1${path}`, { method, headers, body: JSON.stringify(body), cache: 'no-store' }).catch(() => {
    throw new Refusal(0, { error: 'unreachable', message: 'The server cannot be reached.' })
  })
  const answer = await response.json().catch(() => ({}))
  if (response.ok) return answer
  // Not a matter of this one request: the server now wants it before anything else.
  if (answer.error === enrolmentRequired) document.dispatchEvent(new Event(enrolmentRequired))
  throw new Refusal(response.status, answer, Number(response.headers.get('Retry-After')) || null)
}

export function explain({ code, message, retryAfter }) {
  if (code === 'Unauthorized') return `${message}: the name or the password is wrong.`
  if (retryAfter === null) return message
  return `${message} (In ${retryAfter < 90 ? amount(retryAfter, 'second') : amount(Math.ceil(retryAfter / 60), 'minute')}.)`
}

export function amount(count, unit) {
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
