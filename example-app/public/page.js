import { request } from './request.js'
import { currentToken, freshToken } from './session.js'

/**
 * What the scripts of the page share: its elements, and calls to the server in the name of whoever
 * is signed in.
 */

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

/** The server's word, and the page's event, for a user who must set up a second factor first. */
export const enrolmentRequired = 'second-factor-enrolment-required'

/**
 * Asks the server. A token that it does not take is replaced, once, and the request sent again:
 * what is refused has not been done.
 */
export async function call(method, path, body) {
  const token = currentToken()
  try {
    return await request(method, path, body, token).catch(async (error) => {
      if (token === null || !isRefusedToken(error)) throw error
      const newer = await freshToken(token)
      if (newer === token) throw error
      return request(method, path, body, newer)
    })
  } catch (error) {
    // Not a matter of this one request: the server now wants it before anything else.
    if (error.code === enrolmentRequired) document.dispatchEvent(new Event(enrolmentRequired))
    throw error
  }
}

// A wrong password or code is answered with 401 as well, and says so.
function isRefusedToken({ status, code, details }) {
  return status === 401 && code === 'Unauthorized' && details.wrong === undefined
}

export function explain({ status, message, retryAfter }) {
  if (status === 429 && retryAfter !== null)
    return `Too many attempts. Try again in ${duration(retryAfter)}.`
  if (status === 503) return 'The server is busy. Try again in a moment.'
  return message
}

export function duration(seconds) {
  return seconds < 90 ? amount(seconds, 'second') : amount(Math.ceil(seconds / 60), 'minute')
}

export function amount(count, unit) {
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

/** The date where it is not today's, and the time. */
export function dateAndTime(date) {
  const isToday = date.toDateString() === new Date().toDateString()
  return date.toLocaleString(
    [],
    isToday ? { timeStyle: 'short' } : { dateStyle: 'medium', timeStyle: 'short' },
  )
}

/**
 * Buttons that belong to a field: `data-shows` shows a password, `data-letters` brings the keyboard
 * that a recovery code needs.
 */
export function prepareFields() {
  for (const button of document.querySelectorAll('[data-shows]')) {
    const field = byId(button.dataset.shows)
    const show = (visible) => {
      field.type = visible ? 'text' : 'password'
      button.setAttribute('aria-pressed', String(visible))
    }
    button.addEventListener('click', () => show(field.type === 'password'))
    // A password is not left in the open, and password managers save none from a field of text.
    field.form.addEventListener('submit', () => show(false))
    field.form.addEventListener('reset', () => show(false))
  }
  for (const button of document.querySelectorAll('[data-letters]')) {
    const field = byId(button.dataset.letters)
    button.addEventListener('click', () => {
      field.inputMode = 'text'
      field.focus()
    })
  }
}
