import { client } from './auth.js'
import { byId, dateAndTime, element, say } from './page.js'

const messagesKept = 200

/** Ids of the messages in the page; null until the room has been read once. */
let shown = null

/** Empties the list for another room. */
export function clearMessages() {
  shown = null
  byId('messages').replaceChildren()
  say('no-messages', 'One moment…')
  byId('no-messages').hidden = false
}

/** Adds those messages that are not in the page yet. */
export function showMessages(messages) {
  const list = byId('messages')
  const scroller = byId('scroller')
  const first = shown === null
  shown ??= new Set()
  const atEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 80
  const fresh = messages.filter(({ id }) => !shown.has(id) && shown.add(id))
  for (const message of fresh) list.append(messageItem(message, list.lastElementChild))
  while (list.childElementCount > messagesKept) list.firstElementChild.remove()
  list.firstElementChild?.classList.remove('follows')
  say('no-messages', 'Nothing here yet. Write the first message.')
  byId('no-messages').hidden = list.childElementCount > 0
  const me = client.state.userId
  const mine = fresh.some(({ from }) => from.id === me)
  if (fresh.length > 0 && (first || atEnd || mine)) scroller.scrollTop = scroller.scrollHeight
  if (!first) announce(fresh.filter(({ from }) => from.id !== me))
}

/**
 * Shows what is on its way. Returns how to take it away again, when it has arrived or come back.
 */
export function showSending(text) {
  const item = element('li', 'message mine sending')
  item.append(element('p', 'head', 'Sending…'), element('p', 'text', text))
  byId('sending').append(item)
  byId('no-messages').hidden = true
  byId('scroller').scrollTop = byId('scroller').scrollHeight
  return () => item.remove()
}

function announce(messages) {
  if (messages.length === 0) return
  const [{ from, text }] = messages
  byId('news').textContent =
    messages.length === 1 ? `${from.username}: ${text}` : `${messages.length} new messages`
}

// `textContent` throughout: what people write is never read as markup.
function messageItem({ from, text, at }, previous) {
  const item = element('li', from.id === client.state.userId ? 'message mine' : 'message')
  item.dataset.from = from.id
  item.classList.toggle('follows', previous?.dataset.from === from.id)
  const head = element('p', 'head')
  const time = element('time', '', dateAndTime(new Date(at)))
  time.dateTime = at
  head.append(element('span', 'author', from.username), ' ', time)
  const body = element('p', 'text', text)
  body.dir = 'auto'
  item.append(head, body)
  return item
}
