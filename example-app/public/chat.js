const secondsBetweenPolls = 2
const messagesKept = 200

// The token lives in this variable alone. In localStorage every script that ever runs on this origin could read it, and it would
// outlive the tab. The price: a reload signs out.
let session = null
let room = null
let polling = new AbortController()
/** Ids of the messages in the page; null until the room has been read once. */
let shown = null

const byId = (id) => document.getElementById(id)
const fields = { name: byId('name'), password: byId('password'), code: byId('code') }
// Whoever opens this page has come to sign in.
fields.name.focus()

// Written only when it changes, or screen readers would hear it again with every poll.
function say(id, text) {
  if (byId(id).textContent !== text) byId(id).textContent = text
}

/** An answer that is not a success. `status` is 0 when there was no answer. */
class Refusal extends Error {
  constructor(status, { error = 'unknown', message = 'Something went wrong.' }, retryAfter = null) {
    super(message)
    this.status = status
    this.code = error
    this.retryAfter = retryAfter
  }
}

async function call(method, path, body) {
  const headers = body === undefined ? {} : { 'Content-Type': 'application/json' }
  if (session !== null) Object.assign(headers, { 'X-User-Id': session.userId, 'X-Auth-Token': session.authToken })
  const response = await fetch(`/api/v1${path}`, { method, headers, body: JSON.stringify(body), cache: 'no-store' }).catch(() => {
    throw new Refusal(0, { error: 'unreachable', message: 'The server cannot be reached.' })
  })
  const answer = await response.json().catch(() => ({}))
  if (response.ok) return answer
  throw new Refusal(response.status, answer, Number(response.headers.get('Retry-After')) || null)
}

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

function explain({ code, message, retryAfter }) {
  if (code === 'Unauthorized') return `${message}: the name or the password is wrong.`
  return retryAfter === null ? message : `${message} (In ${inWords(retryAfter)}.)`
}

function inWords(seconds) {
  const [count, unit] = seconds < 90 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute']
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

async function enter(data) {
  session = data
  const { rooms } = await call('GET', '/rooms').catch((error) => {
    session = null
    throw error
  })
  byId('sign-in-form').reset()
  showCodeStep(false)
  markInvalid(null)
  say('sign-in-problem', '')
  byId('me').textContent = data.me.name
  byId('rooms').replaceChildren(...rooms.map(roomButton))
  show('chat')
  openRoom(rooms[0])
  byId('text').focus()
}

function leave(reason) {
  polling.abort()
  session = null
  byId('messages').replaceChildren()
  byId('composer').reset()
  byId('sign-in-problem').classList.add('notice')
  say('sign-in-problem', reason)
  show('sign-in')
  document.title = 'Sign in · Chat'
  fields.name.focus()
}

function show(visible) {
  for (const id of ['sign-in', 'chat']) byId(id).hidden = id !== visible
}

byId('log-out').addEventListener('click', async () => {
  try {
    await call('POST', '/logout')
    leave('')
  } catch (error) {
    // Only a refusal of the token itself means that the session is over. After an outage it may live on: say so, and stay.
    if (error.status === 401) leave('')
    else say('room-problem', `You are still signed in. ${explain(error)}`)
  }
})

// The token ends with the page, and so should the session.
addEventListener('pagehide', () => {
  if (session === null) return
  const headers = { 'X-User-Id': session.userId, 'X-Auth-Token': session.authToken }
  fetch('/api/v1/logout', { method: 'POST', headers, keepalive: true }).catch(() => {})
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
  polling.abort()
  polling = new AbortController()
  room = chosen
  shown = null
  byId('messages').replaceChildren()
  byId('no-messages').hidden = true
  byId('room-name').textContent = `# ${chosen.name}`
  byId('text').placeholder = `Write to #${chosen.name}`
  for (const id of ['room-problem', 'connection-problem', 'news']) say(id, '')
  document.title = `#${chosen.name} · Chat`
  for (const button of byId('rooms').querySelectorAll('button')) {
    if (button.dataset.room === chosen.id) button.setAttribute('aria-current', 'true')
    else button.removeAttribute('aria-current')
  }
  void poll(polling.signal)
}

// A WebSocket would be told at once, but browsers let no page set its headers, and a token in its address would end up in logs.
async function poll(signal) {
  while (!signal.aborted) {
    const wait = await refresh(signal)
    await new Promise((resolve) => setTimeout(resolve, wait * 1000))
  }
}

/** Shows what is new in the room. Answers how many seconds to wait before asking again. */
async function refresh(signal) {
  try {
    const { messages } = await call('GET', `/rooms/${room.id}/messages`)
    if (signal.aborted) return 0
    say('connection-problem', '')
    showMessages(messages)
    return secondsBetweenPolls
  } catch (error) {
    if (signal.aborted) return 0
    if (error.status === 401) leave(error.message)
    else say('connection-problem', `${error.message} Trying again.`)
    return error.retryAfter ?? secondsBetweenPolls
  }
}

function showMessages(messages) {
  const list = byId('messages')
  const scroller = byId('scroller')
  const first = shown === null
  shown ??= new Set()
  const atEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 80
  const fresh = messages.filter(({ id }) => !shown.has(id))
  for (const message of fresh) {
    shown.add(message.id)
    list.append(messageItem(message, list.lastElementChild))
  }
  while (list.childElementCount > messagesKept) list.firstElementChild.remove()
  list.firstElementChild?.classList.remove('follows')
  byId('no-messages').hidden = list.childElementCount > 0
  const mine = fresh.some(({ from }) => from.id === session.userId)
  if (fresh.length > 0 && (first || atEnd || mine)) scroller.scrollTop = scroller.scrollHeight
  if (!first) announce(fresh.filter(({ from }) => from.id !== session.userId))
}

function announce(messages) {
  if (messages.length === 0) return
  const [{ from, text }] = messages
  byId('news').textContent = messages.length === 1 ? `${from.username}: ${text}` : `${messages.length} new messages`
}

// `textContent` throughout: what people write is never read as markup.
function messageItem({ from, text, at }, previous) {
  const item = document.createElement('li')
  item.className = from.id === session.userId ? 'message mine' : 'message'
  item.dataset.from = from.id
  item.classList.toggle('follows', previous?.dataset.from === from.id)
  const head = document.createElement('p')
  head.className = 'head'
  const author = document.createElement('span')
  author.className = 'author'
  author.textContent = from.username
  const time = document.createElement('time')
  time.dateTime = at
  time.textContent = new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
  head.append(author, ' ', time)
  const body = document.createElement('p')
  body.className = 'text'
  body.dir = 'auto'
  body.textContent = text
  item.append(head, body)
  return item
}

byId('composer').addEventListener('submit', async (event) => {
  event.preventDefault()
  const box = byId('text')
  const text = box.value
  if (text.trim() === '') return
  const { signal } = polling
  say('room-problem', '')
  box.value = ''
  box.focus()
  try {
    await call('POST', `/rooms/${room.id}/messages`, { text })
    await refresh(signal)
  } catch (error) {
    if (error.status === 401) return leave(error.message)
    // What was written must not be lost, nor what has been written since.
    box.value = box.value === '' ? text : `${text}\n${box.value}`
    say('room-problem', explain(error))
  }
})

byId('text').addEventListener('keydown', (event) => {
  // While an input method is composing, Enter chooses a word.
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
  event.preventDefault()
  byId('composer').requestSubmit()
})
