import { closeDevices, prepareDevices } from './devices.js'
import { listen } from './live.js'
import { clearMessages, showMessages, showSending } from './messages.js'
import { comeBack, setOut, whyOpened } from './oauth.js'
import { byId, call, element, enrolmentRequired, explain, prepareFields, say } from './page.js'
import { closePasskeys, preparePasskeys } from './passkeys.js'
import {
  forgetSession,
  hold,
  isLeavingElsewhere,
  openSession,
  setLeaving,
  watchOtherTabs,
  whoIsHere,
} from './session.js'
import { askToSignIn, focusSignIn, prepareSignIn, signInByPages } from './sign-in.js'
import {
  closeTwoFactor,
  demandTwoFactor,
  prepareTwoFactor,
  showCodesOfPasskey,
} from './two-factor.js'

const loggedOut = 'You have logged out.'
const loggedOutElsewhere = 'You logged out in another tab.'
const signedOut =
  'You were signed out: it was done on another device, your second factor has changed, or you ' +
  'were away for too long.'

const classes = document.documentElement.classList
/** The sign-in that this page shows: `{ id, userId, me }`. Another tab may begin another one. */
let shown = null
/** A login that waits for its second factor. */
let pending = null
let loggingOut = false
let live = null
let rooms = []
let room = null
/** What people were writing when they were signed out, by their ids. */
const drafts = new Map()

prepareFields()
prepareSignIn(enter)
prepareDevices(() => leave(signedOut))
preparePasskeys({
  onSignedOut: () => leave(signedOut),
  onRecoveryCodes: showCodesOfPasskey,
})
prepareTwoFactor({
  onSignedOut: () => leave(signedOut),
  onLogOut: logOut,
  onSetUp: () => goOn().catch((error) => leave(explain(error))),
})
document.addEventListener(enrolmentRequired, demandTwoFactor)
watchOtherTabs((now) => {
  if (now === null) leave(signedOut)
  else if (shown === null) void resume()
  else if (shown.id !== now.id) location.reload()
})
void begin()

async function begin() {
  const why = whyOpened()
  if (why === 'answer') await signInByPages(comeBack)
  const wantsAccount = whoIsHere()?.clientId !== undefined && classes.contains('by-form')
  if (whoIsHere() !== null && !wantsAccount) return resume()
  show('sign-in')
  if (wantsAccount) askToSignIn('To manage your account, sign in once more, with your password.')
  if (why === 'sign-in') await signInByPages(setOut)
}

// A reload, or a second tab: signed in already. Whatever goes wrong but a refusal, the sign-in
// stays.
async function resume() {
  try {
    await openChat()
  } catch (error) {
    if (error.status === 401) return leave(signedOut)
    say('connection-problem', `${explain(error)} Trying again.`)
    setTimeout(() => shown !== null && resume(), (error.retryAfter ?? 3) * 1000)
  }
}

async function enter(login, onBusy) {
  if (!login.enrolmentRequired) {
    await openSession(login, onBusy)
    return resume()
  }
  pending = login
  hold(login)
  shown = whoIsHere()
  demandTwoFactor()
}

// What the server demanded has been done.
async function goOn() {
  if (pending !== null)
    await openSession(pending, () => say('connection-problem', 'Busy, one moment.'))
  pending = null
  await resume()
}

async function openChat() {
  // It was open already, when the server began to demand a second factor.
  if (live !== null) return live.reconnect()
  shown = whoIsHere()
  if (shown === null) return show('sign-in')
  classes.toggle('by-app', shown.clientId !== undefined)
  byId('me').textContent = shown.me.username
  byId('open-account').textContent = shown.me.username
  show('chat')
  const answer = await readRooms()
  // The dialog that the refusal has opened leads back here.
  if (answer === null) return
  rooms = answer
  byId('rooms').replaceChildren(...rooms.map(roomButton))
  live = listen({
    catchUp: readRoom,
    onMessage: receive,
    onConnected: () =>
      ['connection-problem', 'room-problem'].forEach((place) => void say(place, '')),
    onLost: (reason) => say('connection-problem', reason),
    onEnded: () => leave(signedOut),
  })
  openRoom()
  byId('text').value = drafts.get(shown.userId) ?? ''
  drafts.delete(shown.userId)
  byId('text').focus()
}

async function readRooms() {
  try {
    return (await call('GET', '/rooms')).rooms
  } catch (error) {
    if (error.code === enrolmentRequired) return null
    throw error
  }
}

function leave(reason) {
  // Several answers can bring the same news.
  if (shown === null) return
  const why = reason === signedOut && isLeavingElsewhere(shown.id) ? loggedOutElsewhere : reason
  if (!loggingOut) drafts.set(shown.userId, byId('text').value)
  live?.stop()
  live = null
  closeDevices()
  closePasskeys()
  closeTwoFactor()
  forgetSession(shown.id)
  shown = null
  pending = null
  lastReading += 1
  clearMessages()
  byId('composer').reset()
  for (const place of ['connection-problem', 'room-problem', 'news']) say(place, '')
  show('sign-in')
  document.title = 'Sign in · Chat'
  askToSignIn(loggingOut ? loggedOut : why)
}

function show(visible) {
  classes.toggle('signed-in', visible === 'chat')
  for (const id of ['sign-in', 'chat']) byId(id).hidden = id !== visible
  if (visible === 'sign-in') focusSignIn()
}

byId('log-out').addEventListener('click', logOut)

// The menu of a phone closes behind the dialog that it opens, and takes with it the button that the
// focus would go back to.
for (const dialog of document.querySelectorAll('dialog')) {
  dialog.addEventListener(
    'close',
    () => document.activeElement === document.body && byId('open-account').focus(),
  )
}

async function logOut() {
  loggingOut = true
  setLeaving(true)
  try {
    await call('POST', '/logout')
    leave(loggedOut)
  } catch (error) {
    setLeaving(false)
    // Only a refusal of the token itself means that the session is over. After an outage it may
    // live on: say so, and stay. Where there is no chat yet, there is nothing to stay for.
    if (error.status === 401 || pending !== null) leave(loggedOut)
    else say('room-problem', `You are still signed in. ${explain(error)}`)
  } finally {
    loggingOut = false
  }
}

// Rooms and messages.

// The room is in the address: a reload stays in it, and Back leads to the one before.
addEventListener('hashchange', () => live !== null && openRoom())

function roomButton(each) {
  const button = element('button', '', `# ${each.name}`)
  button.type = 'button'
  button.dataset.room = each.id
  button.append(element('span', 'for-screen-readers'))
  button.addEventListener('click', () => {
    location.hash = each.id
  })
  const item = element('li', '')
  item.append(button)
  return item
}

function openRoom() {
  room = rooms.find(({ id }) => `#${id}` === location.hash) ?? rooms[0]
  clearMessages()
  byId('room-name').textContent = `# ${room.name}`
  byId('text').placeholder = `Write to #${room.name}`
  for (const id of ['room-problem', 'news']) say(id, '')
  document.title = `#${room.name} · Chat`
  for (const button of byId('rooms').querySelectorAll('button')) {
    if (button.dataset.room === room.id) button.setAttribute('aria-current', 'true')
    else button.removeAttribute('aria-current')
  }
  showNews(room.id, false)
  void readRoom().catch(live.reconnect)
}

function showNews(roomId, hasNews) {
  const button = byId('rooms').querySelector(`[data-room="${roomId}"]`)
  button?.classList.toggle('has-news', hasNews)
  button?.querySelector('span').replaceChildren(hasNews ? ', new messages' : '')
}

let lastReading = 0
/**
 * Messages that arrived while the room was being read, to be shown after what is older; null when
 * the page is up to date.
 */
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
  if (message.room !== room.id) showNews(message.room, true)
  else if (held === null) showMessages([message])
  else held.push(message)
}

byId('composer').addEventListener('submit', async (event) => {
  event.preventDefault()
  const box = byId('text')
  const text = box.value
  const author = shown?.userId
  if (text.trim() === '' || room === null) return
  say('room-problem', '')
  box.value = ''
  box.focus()
  const sent = showSending(text)
  try {
    await call('POST', `/rooms/${room.id}/messages`, { text })
  } catch (error) {
    // What was written must not be lost, nor what has been written since. By now somebody else may
    // be about to sign in.
    if (shown === null) return drafts.set(author, text)
    box.value = box.value === '' ? text : `${text}\n${box.value}`
    if (error.status === 401) return leave(signedOut)
    say('room-problem', explain(error))
    return
  } finally {
    sent()
  }
  // It comes back by the live channel too; without one, this is how it gets into the page.
  await readRoom().catch(() => live?.reconnect())
})

// A phone's keyboard has no Shift + Enter: there, Enter begins a new line, and the button sends.
const hasKeyboard = matchMedia('(hover: hover) and (pointer: fine)')

byId('text').addEventListener('keydown', (event) => {
  // While an input method is composing, Enter chooses a word.
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing || !hasKeyboard.matches) return
  event.preventDefault()
  byId('composer').requestSubmit()
})
