import { setOut } from './oauth.js'
import { byId, element, explain, say } from './page.js'

const button = byId('set-out')
const byLink = byId('link-device')

/** Makes the button work. */
export function prepareSignIn() {
  button.addEventListener('click', () => signInByPages(setOut))
  byLink.addEventListener('click', signInByLink)
  // Back from the pages, and this page is as it was left.
  addEventListener('pageshow', ({ persisted }) => persisted && work(false))
  void showDemoUsers()
  work(false)
}

/** Asks to sign in, and tells why. `other`: the id of what else can be done; null for nothing. */
export function askToSignIn(reason, other) {
  work(false)
  notice(reason)
  for (const id of ['leave-browser', 'log-out-instead']) byId(id).hidden = id !== other
}

/** Does a part of the sign-in by the pages. What goes wrong is told here. */
export async function signInByPages(part) {
  work(true)
  notice('')
  try {
    await part()
    notice('')
  } catch (error) {
    work(false)
    notice(explain(error))
    byId('sign-in-problem').classList.remove('notice')
  }
}

/** Not a mistake. */
export function notice(text) {
  byId('sign-in-problem').classList.add('notice')
  say('sign-in-problem', text)
}

// What draws the picture is loaded by whoever wants it.
async function signInByLink() {
  byLink.hidden = true
  notice('')
  try {
    const link = await import('./link.js')
    notice(await link.signInByLink())
  } finally {
    byLink.hidden = false
  }
}

function work(isWorking) {
  button.disabled = isWorking
  byLink.disabled = isWorking
  button.textContent = isWorking ? 'Signing in…' : 'Sign in'
}

// Those that this server has made for trying it out. A server of yours has none.
async function showDemoUsers() {
  const response = await fetch('/demo-users.json').catch(() => null)
  const users = response?.ok ? await response.json() : []
  byId('demo-users').replaceChildren(...users.map(demoUser))
  byId('demo').hidden = users.length === 0
}

function demoUser({ username, password, totpSecret }) {
  const item = element('li', '')
  item.append(username, ' ', element('span', 'secret', password))
  if (totpSecret) item.append(' and a code, by the key ', element('span', 'secret', totpSecret))
  return item
}
