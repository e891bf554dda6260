import { deviceLinks } from '/client/device-links.js'
import { encode } from '/uqr/index.mjs'
import { client } from './auth.js'
import { byId, element, explain } from './page.js'

const texts = new Map([
  ['expired_token', 'The picture is good for three minutes. Please begin again.'],
  ['access_denied', 'The other device said no.'],
  ['declined', 'You have not signed in.'],
])

/** Lets another device sign this one in. Resolves with why it has not; empty if it has. */
export async function signInByLink() {
  const stop = new AbortController()
  byId('stop-linking').onclick = () => stop.abort()
  try {
    const { status } = await deviceLinks(client).begin({
      name: 'Chat page',
      onCode: ({ qr }) => showLink(qr),
      onCheckCode: showCheckCode,
      onAccount: (account) => ask(account, stop.signal),
      signal: stop.signal,
    })
    return texts.get(status) ?? ''
  } catch (error) {
    if (stop.signal.aborted) return ''
    return texts.get(error.code) ?? explain(error)
  } finally {
    byId('linking').hidden = true
    byId('continue-as').hidden = true
    byId('link-question').replaceChildren()
  }
}

function showLink(address) {
  const { data, size } = encode(address, { border: 4 })
  const dark = data.flatMap((row, y) => row.flatMap((is, x) => (is ? [`M${x} ${y}h1v1h-1z`] : [])))
  byId('link-picture').setAttribute('viewBox', `0 0 ${size} ${size}`)
  byId('link-picture').lastElementChild.setAttribute('d', dark.join(''))
  byId('link-address').textContent = address
  byId('linking').hidden = false
  byId('stop-linking').focus()
}

function showCheckCode(checkCode) {
  const code = element('strong', 'check-code', checkCode)
  const told = element('p', '', 'On the other device, type ')
  told.append(code, '.')
  byId('link-question').replaceChildren(told)
}

// Whoever opens the picture first decides whose account it is: maybe a stranger's.
function ask(account, signal) {
  byId('link-question').replaceChildren()
  const button = byId('continue-as')
  button.textContent = `Continue as ${account.name}?`
  button.hidden = false
  return new Promise((resolve) => {
    signal.onabort = () => resolve(false)
    button.onclick = () => {
      button.hidden = true
      resolve(true)
    }
  })
}
