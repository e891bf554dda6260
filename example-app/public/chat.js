import { closeDevices, prepareDevices } from './devices.js'
import { listen, signedOut } from './live.js'
import { clearMessages, showMessages } from './messages.js'
import { byId, call, credentials, enrolmentRequired, explain, say, session, setSession } from './page.js'
import { askToSignIn, prepareSignIn } from './sign-in.js'
import { closeTwoFactor, demandTwoFactor, prepareTwoFactor } from './two-factor.js'

let room = null
let live = null
let loggingOut = false

prepareSignIn(enter)
prepareDevices(() => leave(signedOut))
prepareTwoFactor({
  onSignedOut: () => leave(signedOut),
  onLogOut: logOut,
  onSetUp: () => openChat().catch((error) => askToSignIn(explain(error))),
})
document.addEventListener(enrolmentRequired, demandTwoFactor)

async function enter(data) {
  setSession(data)
  if (data.enrolmentRequired) demandTwoFactor()
  else await openChat()
}

async function openChat() {
  // It was open already, when the server began to demand a second factor.
  if (live !== null) return live.reconnect()
  const rooms = await readRooms()
  // The dialog that the refusal has opened leads back here.
  if (rooms === null) return
  byId('me').textContent = session.me.name
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

async function readRooms() {
  try {
    return (await call('GET', '/rooms')).rooms
  } catch (error) {
    if (error.code === enrolmentRequired) return null
    setSession(null)
    throw error
  }
}

function leave(reason) {
  // Several answers can bring the same news.
  if (session === null) return
  live?.stop()
  live = null
  closeDevices()
  closeTwoFactor()
  setSession(null)
  lastReading += 1
  clearMessages()
  byId('composer').reset()
  say('connection-problem', '')
  show('sign-in')
  document.title = 'Sign in · Chat'
  askToSignIn(reason)
}

function show(visible) {
  for (const id of ['sign-in', 'chat']) byId(id).hidden = id !== visible
}

byId('log-out').addEventListener('click', logOut)

async function logOut() {
  loggingOut = true
  try {
    await call('POST', '/logout')
    leave('')
  } catch (error) {
    // Only a refusal of the token itself means that the session is over. After an outage it may live on: say so, and stay. Where there is
    // no chat yet, there is nothing to stay for.
    if (error.status === 401 || live === null) leave('')
    else say('room-problem', `You are still signed in. ${explain(error)}`)
  } finally {
    loggingOut = false
  }
}

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
