/** What the scripts of the page share: its elements, and words for people. */

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

/** What a passkey came to in the browser. */
const ceremonies = new Map([
  ['exists', 'This device has a passkey for this account already.'],
  ['cancelled', 'No passkey was chosen.'],
  ['aborted', 'No passkey was chosen.'],
])

/** Whether no passkey was shown, which is nobody's mistake. */
export function isWithoutPasskey({ name, code }) {
  return name === 'PasskeyError' && ceremonies.has(code)
}

export function explain(error) {
  const { status, code, message, retryAfter } = error
  if (isWithoutPasskey(error)) return ceremonies.get(code)
  if (status === 429 && retryAfter !== undefined)
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
