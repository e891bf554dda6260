import { call, client } from './auth.js'
import { listen } from './live.js'
import { clearMessages, showMessages, showSending } from './messages.js'
import { comeBack, setOut, whyOpened } from './oauth.js'
import { byId, element, explain, say } from './page.js'
import { askToSignIn, notice, prepareSignIn, signInByPages } from './sign-in.js'

const loggedOut = 'You have logged out.'
const loggedOutHere = 'You have logged out of the chat. This browser is still signed in.'
const loggedOutElsewhere = 'You logged out in another tab.'
const signedOut =
  'You were signed out: it was done on another device, your second factor has changed, or you ' +
  'were away for too long.'
const mustEnrol = 'Your account needs a second factor. Sign in once more to set it up.'

const classes = document.documentElement.classList
/** Whom this page shows, as the client says. */
let shown = null
/** Whether somebody is signed in who must set up a second factor before all else. */
let isEnrolling = false
/** How this tab is logging out: of the browser as well, or not. Null while it is not. */
let loggingOut = null
let live = null
let rooms = []
let room = null

prepareSignIn()
document.addEventListener('busy', onBusy)
void begin()

async function begin() {
  const why = whyOpened()
  if (why === 'answer') await signInByPages(comeBack)
  client.onChange(follow)
  follow(client.state)
  if (why === 'sign-in') await signInByPages(setOut)
}

/** Shows what the client says of who is signed in, whichever tab has changed it. */
function follow(state) {
  if (state.status === 'loading') return
  note(state)
  if (state.status === 'signed-out') return leave(state.reason)
  if (state.enrolmentRequired) return leave('enrolment-required')
  if (shown === null) {
    shown = state
    void resume()
  } else if (shown.userId !== state.userId) location.reload()
}

// For start.js. Whoever must still set up a second factor has no chat to be drawn.
function note({ status, enrolmentRequired }) {
  if (status === 'signed-out' || enrolmentRequired) localStorage.removeItem('chat.signed-in')
  else localStorage.setItem('chat.signed-in', 'yes')
}

// Whatever goes wrong, the sign-in stays: that it has ended is told by the client.
async function resume() {
  try {
    await openChat()
  } catch (error) {
    if (shown === null) return
    say('connection-problem', `${explain(error)} Trying again.`)
    setTimeout(() => shown !== null && resume(), (error.retryAfter ?? 3) * 1000)
  }
}

async function openChat() {
  // Another attempt was faster.
  if (live !== null) return
  const { me, userId } = shown
  bringBackDraft(userId)
  byId('me').textContent = me.username
  byId('open-account').textContent = me.username
  show('chat')
  const asking = shown
  const answer = await readRooms()
  if (answer === null || shown !== asking || live !== null) return
  rooms = answer
  byId('rooms').replaceChildren(...rooms.map(roomButton))
  live = listen({
    catchUp: readRoom,
    onMessage: receive,
    onConnected: () =>
      ['connection-problem', 'room-problem'].forEach((place) => void say(place, '')),
    onLost: (reason) => say('connection-problem', reason),
    onEnded,
  })
  openRoom()
  byId('text').focus()
}

// What people were writing when they were signed out, for their next sign-in in this tab. It lies
// in `sessionStorage`, since the way to the pages and back leaves this page.
const draftOf = (userId) => `chat.draft.${userId}`

function keepDraft(userId, text) {
  if (text.trim() !== '') sessionStorage.setItem(draftOf(userId), text)
}

// Before anything is waited for, or the sign-in may end meanwhile and the draft be replaced by the
// empty box.
function bringBackDraft(userId) {
  byId('text').value ||= sessionStorage.getItem(draftOf(userId)) ?? ''
  sessionStorage.removeItem(draftOf(userId))
}

async function readRooms() {
  try {
    return (await call('GET', '/rooms')).rooms
  } catch (error) {
    if (error.code === 'second-factor-enrolment-required') return null
    throw error
  }
}

// The session of the socket is over. Another may have taken its place, in another tab.
async function onEnded() {
  const { status } = await client.check()
  if (status === 'signed-out' || shown === null) return
  keepDraft(shown.userId, byId('text').value)
  live?.stop()
  live = null
  await resume()
}

function onBusy() {
  if (shown === null) notice('Busy, one moment.')
  else if (loggingOut !== null) say('room-problem', 'Busy, one moment.')
  else if (live === null) say('connection-problem', 'Busy, one moment.')
}

function leave(reason) {
  const wasSignedIn = shown !== null || isEnrolling
  isEnrolling = reason === 'enrolment-required'
  if (shown !== null) closeChat()
  show('sign-in')
  if (loggingOut?.browser) askToSignIn(loggedOut, null)
  // Else the pages may know this browser still, and let in whoever comes next.
  else if (loggingOut !== null) askToSignIn(loggedOutHere, 'leave-browser')
  else if (isEnrolling) askToSignIn(mustEnrol, 'log-out-instead')
  else if (wasSignedIn)
    askToSignIn(reason === 'session-ended' ? signedOut : loggedOutElsewhere, 'leave-browser')
  // Whoever sees this has come to sign in.
  byId('set-out').focus()
}

function closeChat() {
  if (loggingOut === null) keepDraft(shown.userId, byId('text').value)
  live?.stop()
  live = null
  shown = null
  lastReading += 1
  room = null
  byId('send').disabled = true
  clearMessages()
  byId('composer').reset()
  for (const place of ['connection-problem', 'room-problem', 'news']) say(place, '')
  document.title = 'Sign in · Chat'
}

function show(visible) {
  classes.toggle('signed-in', visible === 'chat')
  for (const id of ['sign-in', 'chat']) byId(id).hidden = id !== visible
}

for (const id of ['log-out', 'log-out-instead']) byId(id).addEventListener('click', () => logOut())
byId('log-out-here').addEventListener('click', () => logOut({ browser: false }))

// Of the browser as well: at a computer that others use, too, "Sign in" must not let the next one
// in as whoever was here last.
async function logOut({ browser = true } = {}) {
  loggingOut = { browser }
  try {
    // Where there is no chat yet, there is nothing to stay for.
    const evenIfUnreachable = client.state.enrolmentRequired === true
    await client.signOut({ browser, evenIfUnreachable })
    leave('signed-out')
  } catch (error) {
    // The session may live on: say so, and stay.
    const place = shown === null ? 'sign-in-problem' : 'room-problem'
    say(place, `You are still signed in. ${explain(error)}`)
  } finally {
    loggingOut = null
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
  byId('send').disabled = false
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
  void readRoom().catch(() => live?.reconnect())
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
    // Whoever is not signed in any more has nothing to catch up on.
    if (reading === lastReading && client.state.status !== 'signed-out') throw error
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
    if (shown === null) return keepDraft(author, text)
    box.value = box.value === '' ? text : `${text}\n${box.value}`
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
