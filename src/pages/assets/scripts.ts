// The script for passkeys as text, since the build ships only the output of TypeScript. It finds
// its button, the form and its texts by data attributes. Password, code and links work without it.

// Encodes base64url by hand instead of `parseRequestOptionsFromJSON` and `toJSON`, which older
// browsers and some password managers lack.
const values = `
const bytes = (text) =>
  Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (one) => one.charCodeAt(0))
const text = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replace(/[+]/g, '-').replace(/[/]/g, '_').replace(/=/g, '')
const withBytes = (list) => list && list.map((one) => ({ ...one, id: bytes(one.id) }))
const parsed = ({ challenge, user, allowCredentials, excludeCredentials, ...others }) => ({
  ...others,
  challenge: bytes(challenge),
  user: user && { ...user, id: bytes(user.id) },
  allowCredentials: withBytes(allowCredentials),
  excludeCredentials: withBytes(excludeCredentials),
})
const names =
  ['clientDataJSON', 'authenticatorData', 'signature', 'userHandle', 'attestationObject']
const written = ({ rawId, type, response }) => {
  const id = text(rawId)
  const sent = {}
  for (const name of names) if (response[name]) sent[name] = text(response[name])
  if (response.getTransports) sent.transports = response.getTransports()
  return JSON.stringify({ id, rawId: id, type, response: sent })
}`

// Removes the field at once, so that it is absent when the user navigates back to the page. A
// challenge expires after five minutes; the page requests a new one before, if it can.
const ceremonies = `
let options = JSON.parse(passkey)
let since = Date.now()
let isSent
const isOld = () => renew && Date.now() - since > 240000
const ask = async (how) => {
  if (isOld()) {
    options = (await (await fetch(renew, { method: 'POST' })).json()).data
    since = Date.now()
  }
  return credentials[ceremony]({ publicKey: parsed(options), ...how })
}
const put = (name, value) => {
  const field = document.createElement('input')
  Object.assign(field, { type: 'hidden', name, value })
  form.append(field)
  return field
}
const send = (credential) => {
  const field = put('passkey', written(credential))
  isSent = true
  HTMLFormElement.prototype.submit.call(form)
  field.remove()
}`

// Only one request can wait: the button first ends the request of autofill.
const presses = `
let waiting = new AbortController()
let ended = Promise.resolve()
const stop = () => {
  waiting.abort()
  return ended
}
const autofill = () => {
  waiting = new AbortController()
  ended = ask({ mediation: 'conditional', signal: waiting.signal }).then(send).catch(() => {})
}
let canFill, busy
button.addEventListener('click', async () => {
  if (busy) return
  busy = true
  note.textContent = ''
  await stop()
  try {
    if (!isSent) send(await ask())
  } catch ({ name }) {
    note.textContent =
      note.dataset[{ NotAllowedError: 'nothing', InvalidStateError: 'known' }[name] || 'failed']
    if (canFill) autofill()
  }
  busy = false
})
const refresh = () => {
  if (canFill && !busy && !isSent && isOld()) stop().then(autofill)
}
setInterval(refresh, 30000)
document.addEventListener('visibilitychange', refresh)
addEventListener('pageshow', ({ persisted }) => {
  isSent = false
  if (persisted && canFill) stop().then(autofill)
})
button.hidden = false
for (const one of document.querySelectorAll('[data-without-passkeys]')) one.hidden = true
const ifIt = (can, then, given) =>
  renew && kind[can] && kind[can](given).then((does) => does && then()).catch(() => {})
if (unknown) ifIt('signalUnknownCredential', 0, { rpId: options.rpId, credentialId: unknown })
ifIt('isUserVerifyingPlatformAuthenticatorAvailable', () => put('capable', 'yes'))
ifIt('isConditionalMediationAvailable', () => {
  canFill = true
  if (!busy) autofill()
})`

const whole = `(() => {
const button = document.querySelector('button[data-passkey]')
const kind = window.PublicKeyCredential
const { credentials } = navigator
if (!button || !kind || !credentials) return
const { form } = button
const { ceremony, passkey, renew, unknown } = button.dataset
const note = form.querySelector('[data-nothing]')
${values}${ceremonies}${presses}
})()
`

/** The whole script, minified. No text in it has a blank beside a removed sign. */
export const passkeyScript: string = whole
  .replaceAll(/\n\s*/g, '\n')
  .replaceAll(/ ?([-=,(){}?:&|>]+) ?/g, '$1')
  // No statement that ends there needs the line break.
  .replaceAll(/([=({,>])\n|\n(?=[}).])/g, '$1')
  .replaceAll(/(?<!async)\((\w+)\)=>/g, '$1=>')

// The script for password fields as text, since the build ships only the output of TypeScript. It
// sends no requests.

/**
 * Reveals the password while its button is pressed. When the form is sent or the page is left, the
 * field is a password field again: browsers remember the content of other fields and suggest it.
 */
export const passwordScript: string = `(() => {
for (const button of document.querySelectorAll('button[data-reveals]')) {
const field = document.getElementById(button.dataset.reveals)
if (!field) continue
const show = (shown) => {
field.type = shown ? 'text' : 'password'
button.setAttribute('aria-pressed', shown)
}
button.addEventListener('click', () => show(field.type === 'password'))
field.form.addEventListener('submit', () => show(false))
addEventListener('pagehide', () => show(false))
button.hidden = false
}
})()
`

/** Sends the one form of the page. */
export const postOverScript: string =
  "HTMLFormElement.prototype.submit.call(document.querySelector('form'))\n"

// The script for the link of a new device as text, since the build ships only the output of
// TypeScript. The link is the fragment of an address, which no server sees.

/**
 * Takes the link out of the address and puts it into its field. A user who must sign in first is
 * led on, and the link is kept in this tab until then. It sends no form: a stranger may have sent
 * the link. Where the tab can keep nothing, the script stops.
 */
export const linkScript: string = `(() => {
const all = (what) => document.querySelectorAll('[data-link' + what + ']')
const take = () => {
const { hash, pathname, search } = location
if (hash) history.replaceState(null, '', pathname + search)
if (hash) sessionStorage.setItem('mar-link', hash.slice(1))
for (const { href } of all('-goes')) return location.replace(href)
for (const field of all('')) {
const link = sessionStorage.getItem('mar-link')
sessionStorage.removeItem('mar-link')
if (!link) return
field.value = link
for (const one of all('-asks')) one.hidden = true
for (const one of all('-found')) one.hidden = false
}
}
addEventListener('hashchange', take)
take()
})()
`
