import { byId, call, explain, say } from './page.js'

const fields = { name: byId('name'), password: byId('password'), code: byId('code') }
const button = byId('sign-in-button')

/** What a user can show besides the password, as the server names it. Whatever else it names is a code that it sends. */
const methods = new Map([
  ['totp', 'the six digits in your authenticator app'],
  ['recovery', 'a recovery code'],
])

/** Makes the form work. `enter(data)` takes what the server says of whoever has signed in. */
export function prepareSignIn(enter) {
  byId('sign-in-form').addEventListener('submit', async (event) => {
    event.preventDefault()
    const code = fields.code.value.trim()
    const login = { user: fields.name.value.trim(), password: fields.password.value, ...(code === '' ? {} : { code }) }
    button.disabled = true
    say('sign-in-problem', '')
    try {
      const { data } = await call('POST', '/login', login)
      await enter(data)
      empty()
    } catch (error) {
      showProblem(error)
    } finally {
      button.disabled = false
    }
  })
  // Another name is another account, which may have no second factor.
  for (const field of [fields.name, fields.password]) field.addEventListener('input', () => showCodeStep(false))
  // Whoever opens this page has come to sign in.
  fields.name.focus()
}

/** Tells why a sign-in is over. */
export function askToSignIn(reason) {
  byId('sign-in-problem').classList.add('notice')
  say('sign-in-problem', reason)
  fields.name.focus()
}

function empty() {
  byId('sign-in-form').reset()
  showCodeStep(false)
  markInvalid(null)
  say('sign-in-problem', '')
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
    say('code-help', codeHelp(error.details))
  }
  const fault = codeAtFault ? fields.code : fields.password
  const wrong = error.code === 'totp-invalid' || error.code === 'Unauthorized'
  markInvalid(wrong ? fault : null)
  // Being asked for a code is the next step, not a mistake.
  byId('sign-in-problem').classList.toggle('notice', error.code === 'totp-required')
  say('sign-in-problem', explain(error))
  fault.focus()
  fault.select()
}

function codeHelp({ availableMethods, method, codeGenerated }) {
  const ways = availableMethods.map((name) => methods.get(name) ?? `a code by ${name}`)
  const [last, ...before] = ways.reverse()
  const choice = before.length === 0 ? last : `${before.reverse().join(', ')} or ${last}`
  return `${codeGenerated ? `A code was sent to you by ${method}. ` : ''}Type ${choice}.`
}

function markInvalid(field) {
  for (const each of Object.values(fields)) each.setAttribute('aria-invalid', String(each === field))
}
