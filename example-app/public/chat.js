import { closeDevices, prepareDevices } from './devices.js'
import { listen, signedOut } from './live.js'
import { clearMessages, showMessages } from './messages.js'
import { byId, call, credentials, explain, say, session, setSession } from './page.js'

let room = null
let live = null
let loggingOut = false

const fields = { name: byId('name'), password: byId('password'), code: byId('code') }
prepareDevices(() => leave(signedOut))
// Whoever opens this page has come to sign in.
fields.name.focus()

// Signing in.

byId('sign-in-form').addEventListener('submit', async (event) => {
  event.preventDefault()
  const code = fields.code.value.trim()
  const login = { user: fields.name.value.trim(), password: fields.password.value, ...(code === '' ? {} : { code }) }
  const button = byId('sign-in-button')
  button.disabled = true
  say('sign-in-problem', '')
  try {
    const { data } = await call('POST', '/login', login)
    await enter(data)
  } catch (error) {
    showSignInProblem(error)
  } finally {
    button.disabled = false
  }
})

// Another name is another account, which may have no second factor.
for (const field of [fields.name, fields.password]) field.addEventListener('input', () => showCodeStep(false))

function showCodeStep(visible) {
  byId('code-step').hidden = !visible
  fields.code.required = visible
  if (!visible) fields.code.value = ''
}

function showSignInProblem(error) {
  const codeAtFault = error.code === 'totp-required' || error.code === 'totp-invalid'
  if (codeAtFault) showCodeStep(true)
  const fault = codeAtFault ? fields.code : fields.password
  const wrong = error.code === 'totp-invalid' || error.code === 'Unauthorized'
  markInvalid(wrong ? fault : null)
  // Being asked for a code is the next step, not a mistake.
  byId('sign-in-problem').classList.toggle('notice', error.code === 'totp-required')
  say('sign-in-problem', explain(error))
  fault.focus()
  fault.select()
}

function markInvalid(field) {
  for (const each of Object.values(fields)) each.setAttribute('aria-invalid', String(each === field))
}

async function enter(data) {
  setSession(data)
  const { rooms } = await call('GET', '/rooms').catch((error) => {
    setSession(null)
    throw error
  })
  byId('sign-in-form').reset()
  showCodeStep(false)
  markInvalid(null)
  say('sign-in-problem', '')
  byId('me').textContent = data.me.name
  byId('rooms').replaceChildren(...rooms.map(roomButton))
  show('chat')
  live = listen({
    catchUp: readRoom,
    onMessage: receive,
    onConnected: () => say('connection-problem', ''),
    onLost: () => say('connection-problem', 'Connection lost, trying again.'),
    onEnded: (reason) => leave(loggingOut ? '' : reason),
  })
  openRoom(rooms[0])
  byId('text').focus()
}

function leave(reason) {
  // Several answers can bring the same news.
  if (session === null) return
  live.stop()
  closeDevices()
  setSession(null)
  lastReading += 1
  clearMessages()
  byId('composer').reset()
  say('connection-problem', '')
  show('sign-in')
  document.title = 'Sign in · Chat'
  byId('sign-in-problem').classList.add('notice')
  say('sign-in-problem', reason)
  fields.name.focus()
}

function show(visible) {
  for (const id of ['sign-in', 'chat']) byId(id).hidden = id !== visible
}

byId('log-out').addEventListener('click', async () => {
  loggingOut = true
  try {
    await call('POST', '/logout')
    leave('')
  } catch (error) {
    // Only a refusal of the token itself means that the session is over. After an outage it may live on: say so, and stay.
    if (error.status === 401) leave('')
    else say('room-problem', `You are still signed in. ${explain(error)}`)
  } finally {
    loggingOut = false
  }
})

// The token ends with the page, and so should the session.
addEventListener('pagehide', () => {
  if (session === null) return
  fetch('/api/v1/logout', { method: 'POST', headers: credentials(), keepalive: true }).catch(() => {})
})

// Rooms and messages.

function roomButton(each) {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = `# ${each.name}`
  button.dataset.room = each.id
  button.addEventListener('click', () => openRoom(each))
  const item = document.createElement('li')
  item.append(button)
  return item
}

function openRoom(chosen) {
  room = chosen
  clearMessages()
  byId('room-name').textContent = `# ${chosen.name}`
  byId('text').placeholder = `Write to #${chosen.name}`
  for (const id of ['room-problem', 'news']) say(id, '')
  document.title = `#${chosen.name} · Chat`
  for (const button of byId('rooms').querySelectorAll('button')) {
    if (button.dataset.room === chosen.id) button.setAttribute('aria-current', 'true')
    else button.removeAttribute('aria-current')
  }
  void readRoom().catch(live.reconnect)
}

let lastReading = 0
/** Messages that arrived while the room was being read, to be shown after what is older; null when the page is up to date. */
let held = []

/** Shows what the page has missed. A later reading makes an earlier one void. */
async function readRoom() {
  const reading = ++lastReading
  held = []
  try {
    const { messages } = await call('GET', `/rooms/${room.id}/messages`)
    if (reading !== lastReading) return
    showMessages([...messages, ...held])
    held = null
  } catch (error) {
    if (reading !== lastReading) return
    if (error.status !== 401) throw error
    leave(signedOut)
  }
}

function receive(message) {
  if (message.room !== room.id) return
  if (held === null) showMessages([message])
  else held.push(message)
}

byId('composer').addEventListener('submit', async (event) => {
  event.preventDefault()
  const box = byId('text')
  const text = box.value
  if (text.trim() === '') return
  say('room-problem', '')
  box.value = ''
  box.focus()
  try {
    await call('POST', `/rooms/${room.id}/messages`, { text })
  } catch (error) {
    if (error.status === 401) return leave(signedOut)
    // What was written must not be lost, nor what has been written since.
    box.value = box.value === '' ? text : `${text}\n${box.value}`
    say('room-problem', explain(error))
    return
  }
  // It comes back by the live channel too; without one, this is how it gets into the page.
  await readRoom().catch(live.reconnect)
})

byId('text').addEventListener('keydown', (event) => {
  // While an input method is composing, Enter chooses a word.
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
  event.preventDefault()
  byId('composer').requestSubmit()
})
