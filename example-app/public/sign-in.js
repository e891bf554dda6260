import { setOut } from './oauth.js'
import { byId, call, element, explain, say } from './page.js'
import { patiently } from './request.js'
import { hasPasskeys, signInByPasskey, usePasskey } from './webauthn.js'

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

/**
 * Makes the form work. `enter(data, onBusy)` takes what the server says of whoever has signed in.
 */
export function prepareSignIn(enter) {
  async function signIn(ask) {
    work(true)
    notice('')
    try {
      await enter(await ask(), onBusy)
      empty()
      work(false)
    } catch (error) {
      work(false)
      showProblem(error)
    }
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (button.disabled) return
    const code = fields.code.value.trim()
    void signIn(() => logIn(code === '' ? {} : { code }))
  })
  byId('passkey-sign-in').hidden = !hasPasskeys
  byId('passkey-sign-in').addEventListener('click', () => void signIn(signInByPasskey))
  byId('code-passkey').addEventListener('click', () => {
    void signIn(async () => logIn({ passkey: await usePasskey(offered) }))
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

/** What the browser needs to show a passkey besides the password that it asked with. */
let offered = null

async function logIn(proof) {
  const login = { user: fields.name.value.trim(), password: fields.password.value, ...proof }
  const { data } = await patiently(() => call('POST', '/login', login), onBusy)
  return data
}

/** Asks to sign in, and tells why. */
export function askToSignIn(reason) {
  workByPages(false)
  notice(reason)
  // The pages know this browser still, and would let in whoever comes next.
  byId('leave-browser').hidden = false
  focusSignIn()
}

/** Whoever opens this page has come to sign in. */
export function focusSignIn() {
  const first = isByForm ? fields.name : toPages
  first.focus()
}

/** Does a part of the sign-in by the pages: `work(onBusy)`. What goes wrong is told here. */
export async function signInByPages(work) {
  workByPages(true)
  notice('')
  try {
    await work(onBusy)
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

function onBusy() {
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
  const codeAtFault = error.code === 'totp-required' || error.code === 'totp-invalid'
  if (codeAtFault) askForCode(error.details)
  const isWrong = error.code === 'Unauthorized'
  const isPasskey = error.code === 'no-passkey' || error.details.wrong === 'passkey'
  const fault = codeAtFault ? fields.code : fields.password
  markInvalid((isWrong && !isPasskey) || error.code === 'totp-invalid' ? fault : null)
  notice(isWrong ? wrong(isPasskey) : explain(error))
  // Nothing was done wrong.
  const isNotice = error.code === 'totp-required' || error.code === 'no-passkey'
  byId('sign-in-problem').classList.toggle('notice', isNotice)
  if (error.status === 429) beginPause(error.retryAfter ?? 1)
  if (isPasskey) return
  fault.focus()
  fault.select()
}

function wrong(isPasskey) {
  return isPasskey
    ? 'This passkey was not accepted. Sign in another way.'
    : 'The name or the password is wrong.'
}

function askForCode(details) {
  offered = details.passkeyOptions ?? null
  showCodeStep(true)
  byId('code-letters').hidden = !details.availableMethods.includes('recovery')
  byId('code-passkey').hidden = offered === null || !hasPasskeys
  say('code-help', codeHelp(details))
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

function codeHelp({ availableMethods, method, codeGenerated }) {
  const codes = availableMethods.filter((name) => name !== 'passkey')
  const ways = codes.map((name) => methods.get(name) ?? `a code by ${name}`)
  const [last, ...before] = ways.reverse()
  const choice = before.length === 0 ? last : `${before.reverse().join(', ')} or ${last}`
  if (choice === undefined) return ''
  return `${codeGenerated ? `A code was sent to you by ${method}. ` : ''}Type ${choice}.`
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
