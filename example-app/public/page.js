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

export function explain(error) {
  const { status, message, retryAfter } = error
  if (status === 429 && retryAfter !== undefined)
    return `Too many attempts. Try again in ${duration(retryAfter)}.`
  if (status === 503) return 'The server is busy. Try again in a moment.'
  return message
}

function duration(seconds) {
  const [count, unit] = seconds < 90 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute']
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
