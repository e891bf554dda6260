import { byId, call, element, explain, say } from './page.js'
import { patiently } from './request.js'

const form = byId('sign-in-form')
const fields = { name: byId('name'), password: byId('password'), code: byId('code') }
const button = byId('sign-in-button')
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
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (button.disabled) return
    const code = fields.code.value.trim()
    const login = {
      user: fields.name.value.trim(),
      password: fields.password.value,
      ...(code === '' ? {} : { code }),
    }
    work(true)
    notice('')
    try {
      const { data } = await patiently(() => call('POST', '/login', login), onBusy)
      await enter(data, onBusy)
      empty()
      work(false)
    } catch (error) {
      work(false)
      showProblem(error)
    }
  })
  // Another name is another account, which may have no second factor, and no pause to wait for.
  for (const field of [fields.name, fields.password])
    field.addEventListener('input', () => showCodeStep(false))
  fields.name.addEventListener('input', endPause)
  void showDemoUsers()
  work(false)
}

/** Asks to sign in, and tells why. */
export function askToSignIn(reason) {
  notice(reason)
  fields.name.focus()
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
  button.disabled = isWorking
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
  if (codeAtFault) {
    showCodeStep(true)
    byId('code-letters').hidden = !error.details.availableMethods.includes('recovery')
    say('code-help', codeHelp(error.details))
  }
  const fault = codeAtFault ? fields.code : fields.password
  const isWrongPassword = error.code === 'Unauthorized'
  markInvalid(isWrongPassword || error.code === 'totp-invalid' ? fault : null)
  notice(isWrongPassword ? 'The name or the password is wrong.' : explain(error))
  byId('sign-in-problem').classList.toggle('notice', error.code === 'totp-required')
  if (error.status === 429) beginPause(error.retryAfter ?? 1)
  fault.focus()
  fault.select()
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
  const ways = availableMethods.map((name) => methods.get(name) ?? `a code by ${name}`)
  const [last, ...before] = ways.reverse()
  const choice = before.length === 0 ? last : `${before.reverse().join(', ')} or ${last}`
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
  const fill = element('button', 'link', username)
  fill.type = 'button'
  fill.addEventListener('click', () => {
    fields.name.value = username
    fields.password.value = password
    for (const field of [fields.name, fields.password]) field.dispatchEvent(new Event('input'))
    button.focus()
  })
  item.append(fill, ' ', element('span', 'secret', password))
  if (totpSecret) item.append(' and a code, by the key ', element('span', 'secret', totpSecret))
  return item
}
