import { amount, byId, call, element, explain, say, session } from './page.js'
import { drawQr } from './qr.js'
import { forgetRecoveryCodes, prepareRecoveryCodes, showRecoveryCodes } from './recovery-codes.js'

const dialog = byId('two-factor')
const steps = ['factor-state', 'prove', 'scan', 'recovery']
const [password, code, firstCode] = [byId('prove-password'), byId('prove-code'), byId('first-code')]

/** What the user proves to be the one for. */
const enrol = {
  text: 'First your password, once more.',
  button: 'Continue',
  withCode: false,
  run: async () => showKey((await call('POST', '/auth/totp', { password: password.value })).data),
}
const replaceCodes = {
  text: 'New recovery codes take the place of those that you have.',
  button: 'Make new codes',
  withCode: true,
  run: async () => showCodes((await call('POST', '/auth/totp/recovery-codes', passwordAndCode())).data, ''),
}
const switchOff = {
  text: 'From then on the password alone lets you in. Your other devices are signed out.',
  button: 'Switch off',
  withCode: true,
  run: async () => {
    await call('POST', '/auth/totp/disable', passwordAndCode())
    await showState('Two-factor sign-in is off. Your other devices were signed out.')
  },
}

let purpose = enrol
/** Whether the server lets this user do nothing else until it is set up. */
let demanded = false
let host

/**
 * Makes the dialog work. `onSignedOut()`: this device is signed out. `onLogOut()`: the user would rather leave than set it up.
 * `onSetUp()`: what the server demanded has been done.
 */
export function prepareTwoFactor(callbacks) {
  host = callbacks
  byId('open-two-factor').addEventListener('click', () => {
    open()
    void act(() => showState(''))
  })
  byId('set-up').addEventListener('click', () => ask(enrol))
  byId('new-codes').addEventListener('click', () => ask(replaceCodes))
  byId('switch-off').addEventListener('click', () => ask(switchOff))
  byId('prove').addEventListener('submit', (event) => {
    event.preventDefault()
    void act(purpose.run)
  })
  byId('scan').addEventListener('submit', (event) => {
    event.preventDefault()
    void act(confirm)
  })
  for (const id of ['prove-cancel', 'scan-cancel']) byId(id).addEventListener('click', () => void act(cancel))
  prepareRecoveryCodes(() => void act(finish))
  byId('close-two-factor').addEventListener('click', () => dialog.close())
  dialog.addEventListener('cancel', (event) => {
    // By Escape, which is too easily pressed for codes that are shown once.
    if (demanded || !byId('recovery').hidden) event.preventDefault()
  })
  dialog.addEventListener('close', () => {
    forget()
    if (demanded) host.onLogOut()
    demanded = false
  })
}

/** Leads a user there who must have it. */
export function demandTwoFactor() {
  if (demanded) return
  open()
  demanded = true
  byId('close-two-factor').textContent = 'Log out'
  ask(enrol)
  say('two-factor-news', 'Your account needs two-factor sign-in. Set it up to go on.')
}

/** The sign-in is over. */
export function closeTwoFactor() {
  demanded = false
  dialog.close()
}

function open() {
  for (const id of ['two-factor-problem', 'two-factor-news']) say(id, '')
  byId('close-two-factor').textContent = 'Close'
  show(null)
  if (!dialog.open) dialog.showModal()
  byId('two-factor-title').focus()
}

// One step at a time, and nothing of the others is kept.
function show(step) {
  forget()
  for (const id of steps) byId(id).hidden = id !== step
  byId('close-two-factor').hidden = step === 'recovery'
}

function forget() {
  for (const id of ['prove', 'scan']) byId(id).reset()
  markInvalid(null)
  byId('qr').replaceChildren()
  byId('secret').textContent = ''
  byId('otpauth').replaceChildren()
  forgetRecoveryCodes()
}

let busy = false

async function act(done) {
  if (busy) return
  busy = true
  dialog.setAttribute('aria-busy', 'true')
  markInvalid(null)
  for (const id of ['two-factor-problem', 'two-factor-news']) say(id, '')
  try {
    await done()
  } catch (error) {
    await showProblem(error)
  } finally {
    busy = false
    dialog.removeAttribute('aria-busy')
  }
}

async function showState(news) {
  const { data } = await call('GET', '/auth/totp')
  show('factor-state')
  const left = data.recoveryCodesLeft === 0 ? 'No recovery code is left' : `${amount(data.recoveryCodesLeft, 'recovery code')} left`
  byId('factor-text').textContent = data.enabled
    ? `On: signing in takes your password and a code. ${left}.`
    : 'Off: whoever knows your password can sign in as you.'
  byId('set-up').hidden = data.enabled
  for (const id of ['new-codes', 'switch-off']) byId(id).hidden = !data.enabled
  say('two-factor-news', news)
  byId('two-factor-title').focus()
}

function ask(next) {
  purpose = next
  show('prove')
  for (const id of ['two-factor-problem', 'two-factor-news']) say(id, '')
  byId('prove-text').textContent = next.text
  byId('prove-button').textContent = next.button
  byId('prove-code-step').hidden = !next.withCode
  byId('prove-cancel').hidden = demanded
  // So that password managers know whose password it is.
  byId('prove-user').value = session.me.username
  code.required = next.withCode
  password.focus()
}

function passwordAndCode() {
  return { password: password.value, code: code.value.trim() }
}

function showKey({ secret, otpauthUri }) {
  show('scan')
  // Before the code is drawn: a name that is too long for one must not keep the secret from being typed.
  byId('secret').textContent = secret.match(/.{1,4}/g).join(' ')
  const link = element('a', '', 'Open in an app on this device')
  link.href = otpauthUri
  byId('otpauth').append(link)
  drawQr(byId('qr'), otpauthUri)
  firstCode.focus()
}

async function confirm() {
  const { data } = await call('POST', '/auth/totp/confirm', { code: firstCode.value.replaceAll(/\s/g, '') })
  showCodes(data, 'Two-factor sign-in is on. Your other devices were signed out.')
}

function showCodes({ recoveryCodes }, news) {
  show('recovery')
  showRecoveryCodes(recoveryCodes)
  say('two-factor-news', news)
  byId('two-factor-title').focus()
}

async function finish() {
  if (!demanded) return showState('')
  closeTwoFactor()
  await host.onSetUp()
}

// An enrolment that is never confirmed ends by itself.
function cancel() {
  return demanded ? ask(enrol) : showState('')
}

async function showProblem(error) {
  if (error.code === 'totp-invalid') return byId('scan').hidden ? complain(code, wrongCode) : complain(firstCode, wrongFirstCode)
  if (error.details.wrong === 'password') return complain(password, 'The password is wrong.')
  if (error.status === 401) return host.onSignedOut()
  // Whatever was begun is over, here or in another window.
  if (error.status === 409) await showState('').catch(() => {})
  say('two-factor-problem', explain(error))
}

const wrongFirstCode = 'The code is not valid. Are date and time of the phone right?'
const wrongCode = 'The code is not valid. Each works once: if you have just used this one, wait for the next.'

function complain(field, text) {
  markInvalid(field)
  say('two-factor-problem', text)
  field.focus()
  field.select()
}

function markInvalid(field) {
  for (const each of [password, code, firstCode]) each.setAttribute('aria-invalid', String(each === field))
}
