import { client, passkeys } from './auth.js'
import { amount, byId, element, explain, say } from './page.js'
import { drawQr } from './qr.js'
import {
  areRecoveryCodesShown,
  forgetRecoveryCodes,
  prepareRecoveryCodes,
  showRecoveryCodes,
} from './recovery-codes.js'

const dialog = byId('two-factor')
const steps = ['factor-state', 'prove', 'scan', 'recovery']
const [password, code, firstCode] = [byId('prove-password'), byId('prove-code'), byId('first-code')]

/** What the user proves to be the one for. */
const enrol = {
  title: 'Set up two-factor sign-in',
  text: 'First your password, once more. When it is on, you are signed out everywhere but here.',
  button: 'Continue',
  withCode: false,
  run: async () => showKey(await client.totp.begin(password.value)),
}
const replaceCodes = {
  title: 'New recovery codes',
  text: 'They take the place of those that you have.',
  button: 'Make new codes',
  withCode: true,
  run: async () =>
    showCodes(
      await client.totp.newRecoveryCodes(...passwordAndCode()),
      'The codes that you had before are void.',
    ),
}
const switchOff = {
  title: 'Switch two-factor sign-in off',
  text:
    'Your password alone will let you in, and whoever else knows it. You are signed out ' +
    'everywhere but here.',
  button: 'Switch off',
  withCode: true,
  run: async () => {
    await client.totp.disable(...passwordAndCode())
    await showState('Two-factor sign-in is off. You are signed out everywhere but here.')
  },
}

let purpose = enrol
/** Whether the server lets this user do nothing else until it is set up. */
let demanded = false
/** Whether it was opened for the recovery codes of a passkey alone. */
let forCodes = false
let host

/**
 * Makes the dialog work. `onLogOut()`: the user would rather leave than set it up. `onSetUp()`:
 * what the server demanded has been done.
 */
export function prepareTwoFactor(callbacks) {
  host = callbacks
  document.addEventListener('busy', () => busy && say('two-factor-news', 'Busy, one moment.'))
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
  for (const id of ['prove-cancel', 'scan-cancel'])
    byId(id).addEventListener('click', () => void act(cancel))
  byId('passkey-instead').addEventListener('click', () => void act(addInstead))
  prepareRecoveryCodes(() => void act(finish))
  byId('close-two-factor').addEventListener('click', () => {
    if (!demanded) return dialog.close()
    demanded = false
    dialog.close()
    void host.onLogOut()
  })
  // Escape is too easily pressed for codes that are shown once.
  dialog.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && mustStay()) event.preventDefault()
  })
  // There are other ways to close a dialog, such as Android's Back, and a browser lets a page
  // refuse them only so often. Then it opens again, with all that it showed.
  dialog.addEventListener('close', () => {
    if (!mustStay()) return forget()
    dialog.showModal()
    say(
      'two-factor-news',
      areRecoveryCodesShown() ? 'Keep the codes first.' : 'Set it up to go on, or log out.',
    )
  })
}

function mustStay() {
  return demanded || areRecoveryCodesShown()
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

/** Shows the recovery codes that came with a user's first passkey. */
export function showCodesOfPasskey(codes) {
  open()
  forCodes = true
  showCodes(codes, 'The passkey was added. These let you in when it is lost.')
}

/** The sign-in is over. Recovery codes stay until they are kept: they are good for the next one. */
export function closeTwoFactor() {
  demanded = false
  if (!areRecoveryCodesShown()) dialog.close()
}

function open() {
  forCodes = false
  for (const id of ['two-factor-problem', 'two-factor-news']) say(id, '')
  byId('close-two-factor').textContent = 'Close'
  show(null, 'Two-factor sign-in')
  if (!dialog.open) dialog.showModal()
  byId('two-factor-title').focus()
}

// One step at a time, and nothing of the others is kept.
function show(step, title) {
  forget()
  say('two-factor-title', title)
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
  say('two-factor-news', 'One moment…')
  const { enabled, recoveryCodesLeft } = await client.totp.status()
  show('factor-state', 'Two-factor sign-in')
  const left =
    recoveryCodesLeft === 0
      ? 'No recovery code is left'
      : `${amount(recoveryCodesLeft, 'recovery code')} left`
  byId('factor-text').textContent = enabled
    ? `On: signing in takes your password and a code. ${left}.`
    : 'Off: whoever knows your password can sign in as you.'
  byId('set-up').hidden = enabled
  for (const id of ['new-codes', 'switch-off']) byId(id).hidden = !enabled
  say('two-factor-news', news)
  byId('two-factor-title').focus()
}

function ask(next) {
  purpose = next
  show('prove', next.title)
  for (const id of ['two-factor-problem', 'two-factor-news']) say(id, '')
  byId('prove-text').textContent = next.text
  byId('prove-button').textContent = next.button
  // What makes the sign-in weaker does not invite.
  byId('prove-button').classList.toggle('primary', next !== switchOff)
  byId('prove-code-step').hidden = !next.withCode
  byId('prove-cancel').hidden = demanded
  byId('passkey-instead').hidden = !(demanded && passkeys.isSupported())
  // So that password managers know whose password it is.
  byId('prove-user').value = client.state.me?.username ?? ''
  code.required = next.withCode
  password.focus()
}

function passwordAndCode() {
  return [password.value, code.value.trim()]
}

function showKey({ secret, otpauthUri }) {
  show('scan', 'Scan the code')
  say('two-factor-news', '')
  // Before the code is drawn: a name that is too long for one must not keep the secret from being
  // typed.
  byId('secret').textContent = secret.match(/.{1,4}/g).join(' ')
  const link = element('a', '', 'Open in an app on this device')
  link.href = otpauthUri
  byId('otpauth').append(link)
  drawQr(byId('qr'), otpauthUri)
  // On a low screen the field would otherwise push the picture out of sight.
  firstCode.focus({ preventScroll: true })
}

async function confirm() {
  const codes = await client.totp.confirm(firstCode.value.replaceAll(/\s/g, ''))
  showCodes(codes, 'Two-factor sign-in is on. You are signed out everywhere but here.')
}

function showCodes(codes, news) {
  show('recovery', 'Your recovery codes')
  showRecoveryCodes(codes)
  say('two-factor-news', news)
  byId('two-factor-title').focus()
}

async function finish() {
  forgetRecoveryCodes()
  // Signed out meanwhile.
  if (client.state.status === 'signed-out' || forCodes) return dialog.close()
  if (!demanded) return showState('')
  closeTwoFactor()
  await host.onSetUp()
}

// What the server demands is a second factor, and a passkey is one.
async function addInstead() {
  const { recoveryCodes } = await passkeys.add({ name: 'Passkey' })
  if (recoveryCodes === undefined) return finish()
  showCodes(recoveryCodes, 'The passkey was added. These let you in when it is lost.')
}

// An enrolment that is never confirmed ends by itself.
function cancel() {
  return demanded ? ask(enrol) : showState('')
}

async function showProblem(error) {
  say('two-factor-news', '')
  if (error.code === 'totp-invalid')
    return byId('scan').hidden ? complain(code, wrongCode) : complain(firstCode, wrongFirstCode)
  if (error.details?.wrong === 'password') return complain(password, 'The password is wrong.')
  // Whatever was begun is over, here or in another window; and so is what the server demanded.
  if (error.status === 409 && demanded) return finish()
  if (error.status === 409) await showState('').catch(() => {})
  say('two-factor-problem', explain(error))
}

const wrongFirstCode = 'The code is not valid. Are date and time of the phone right?'
const wrongCode =
  'The code is not valid. Each works once: if you have just used this one, wait for the next.'

function complain(field, text) {
  markInvalid(field)
  say('two-factor-problem', text)
  field.focus()
  field.select()
}

function markInvalid(field) {
  for (const each of [password, code, firstCode])
    each.setAttribute('aria-invalid', String(each === field))
}
