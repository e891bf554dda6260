import { client, passkeys } from './auth.js'
import { setOut } from './oauth.js'
import { byId, element, explain, isWithoutPasskey, say } from './page.js'

const form = byId('sign-in-form')
const fields = { name: byId('name'), password: byId('password'), code: byId('code') }
const button = byId('sign-in-button')
/** For whoever does not want to type a password into this page: see oauth.js. */
const toPages = byId('set-out')
const isByForm = document.documentElement.classList.contains('by-form')
const busy = 'Busy, one moment. What you typed is kept.'

/**
 * What a user can show besides the password, as the server names it. Whatever else it names is a
 * code that it sends.
 */
const methods = new Map([
  ['totp', 'the six digits in your authenticator app'],
  ['recovery', 'a recovery code'],
])

/** Makes the form work. `onSignedIn()`: the client has signed somebody in. */
export function prepareSignIn(onSignedIn) {
  async function signIn(ask) {
    work(true)
    notice('')
    try {
      const result = await ask()
      if (result.status === 'code-needed') return showCodeNeeded(result)
      empty()
      work(false)
      onSignedIn()
    } catch (error) {
      work(false)
      showProblem(error)
    }
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (button.disabled) return
    void signIn(() => logIn(fields.code.value.trim()))
  })
  byId('passkey-sign-in').hidden = !passkeys.isSupported()
  byId('passkey-sign-in').addEventListener('click', () => void signIn(() => passkeys.signIn()))
  byId('code-passkey').addEventListener('click', () => {
    void signIn(() => passkeys.submit(asked))
  })
  // Another name is another account, which may have no second factor, and no pause to wait for.
  for (const field of [fields.name, fields.password])
    field.addEventListener('input', () => showCodeStep(false))
  fields.name.addEventListener('input', endPause)
  toPages.addEventListener('click', () => signInByPages(setOut))
  // Back from the pages, and this page is as it was left.
  addEventListener('pageshow', ({ persisted }) => persisted && workByPages(false))
  void showDemoUsers()
  work(false)
  workByPages(false)
}

/** What the client has asked for besides the password. A passkey takes its place. */
let asked = null

function logIn(code) {
  const login = { user: fields.name.value.trim(), password: fields.password.value }
  return client.signIn(code === '' ? login : { ...login, code })
}

/** Asks to sign in, and tells why. */
export function askToSignIn(reason, { isBrowserLeft = false } = {}) {
  workByPages(false)
  notice(reason)
  // Else the pages may know this browser still, and let in whoever comes next.
  byId('leave-browser').hidden = isBrowserLeft
  focusSignIn()
}

/** Whoever opens this page has come to sign in. */
export function focusSignIn() {
  const first = isByForm ? fields.name : toPages
  first.focus()
}

/** Does a part of the sign-in by the pages. What goes wrong is told here. */
export async function signInByPages(work) {
  workByPages(true)
  notice('')
  try {
    await work()
    notice('')
  } catch (error) {
    workByPages(false)
    notice(explain(error))
    byId('sign-in-problem').classList.remove('notice')
  }
}

function workByPages(isWorking) {
  toPages.disabled = isWorking
  toPages.textContent = isWorking ? 'Signing in…' : 'Sign in'
}

/** The server is busy, and is asked again. */
export function sayBusy() {
  notice(busy)
}

// Being busy, or asked for a code, is not a mistake.
function notice(text) {
  byId('sign-in-problem').classList.add('notice')
  say('sign-in-problem', text)
}

// While it works, what was typed stays as it is.
function work(isWorking) {
  form.setAttribute('aria-busy', String(isWorking))
  for (const each of [button, byId('passkey-sign-in'), byId('code-passkey')])
    each.disabled = isWorking
  button.textContent = isWorking ? 'Signing in…' : 'Sign in'
  for (const field of Object.values(fields)) field.readOnly = isWorking
}

function empty() {
  form.reset()
  showCodeStep(false)
  markInvalid(null)
  notice('')
}

function showCodeStep(visible) {
  byId('code-step').hidden = !visible
  fields.code.required = visible
  if (!visible) fields.code.value = ''
}

function showProblem(error) {
  const isWrong = error.code === 'Unauthorized'
  const isPasskey = isWithoutPasskey(error) || error.details?.wrong === 'passkey'
  markInvalid(isWrong && !isPasskey ? fields.password : null)
  notice(isWrong ? wrong(isPasskey) : explain(error))
  // Nothing was done wrong.
  byId('sign-in-problem').classList.toggle('notice', isWithoutPasskey(error))
  if (error.status === 429) beginPause(error.retryAfter ?? 1)
  if (!isPasskey) select(fields.password)
}

function wrong(isPasskey) {
  return isPasskey
    ? 'This passkey was not accepted. Sign in another way.'
    : 'The name or the password is wrong.'
}

function showCodeNeeded(result) {
  work(false)
  asked = result
  showCodeStep(true)
  byId('code-letters').hidden = !result.methods.includes('recovery')
  byId('code-passkey').hidden = result.passkeyOptions === undefined || !passkeys.isSupported()
  say('code-help', codeHelp(result))
  markInvalid(result.wrong ? fields.code : null)
  notice(
    result.wrong ? 'The second-factor code is not valid.' : 'A second-factor code is required.',
  )
  byId('sign-in-problem').classList.toggle('notice', !result.wrong)
  select(fields.code)
}

function select(field) {
  field.focus()
  field.select()
}

let pause

// On the button, which is not read out each second as the message above would be.
function beginPause(seconds) {
  const until = Date.now() + seconds * 1000
  const tick = () => {
    const left = Math.ceil((until - Date.now()) / 1000)
    if (left <= 0) return endPause()
    button.disabled = true
    const seconds = String(left % 60).padStart(2, '0')
    button.textContent = `Try again in ${Math.floor(left / 60)}:${seconds}`
  }
  pause = setInterval(tick, 250)
  tick()
}

function endPause() {
  if (pause === undefined) return
  clearInterval(pause)
  pause = undefined
  notice('')
  work(false)
}

function codeHelp({ methods: named, method, isSent }) {
  const codes = named.filter((name) => name !== 'passkey')
  const ways = codes.map((name) => methods.get(name) ?? `a code by ${name}`)
  const [last, ...before] = ways.reverse()
  const choice = before.length === 0 ? last : `${before.reverse().join(', ')} or ${last}`
  if (choice === undefined) return ''
  return `${isSent ? `A code was sent to you by ${method}. ` : ''}Type ${choice}.`
}

function markInvalid(field) {
  for (const each of Object.values(fields))
    each.setAttribute('aria-invalid', String(each === field))
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
  if (!isByForm) item.append(username, ' ', element('span', 'secret', password))
  else item.append(fillButton(username, password), ' ', element('span', 'secret', password))
  if (totpSecret) item.append(' and a code, by the key ', element('span', 'secret', totpSecret))
  return item
}

function fillButton(username, password) {
  const fill = element('button', 'link', username)
  fill.type = 'button'
  fill.addEventListener('click', () => {
    fields.name.value = username
    fields.password.value = password
    for (const field of [fields.name, fields.password]) field.dispatchEvent(new Event('input'))
    button.focus()
  })
  return fill
}
