import { client } from './auth.js'
import { amount, byId, dateAndTime, element, explain, say } from './page.js'

const dialog = byId('devices')
const list = byId('device-list')
const others = byId('end-others')

/** Makes the dialog work. */
export function prepareDevices() {
  // Each act ends with the list as it then is, so that nothing is shown that is already over.
  async function act(done) {
    dialog.setAttribute('aria-busy', 'true')
    say('devices-problem', '')
    say('devices-news', '')
    try {
      say('devices-news', 'One moment…')
      const news = await done()
      show(await client.sessions.list(), end)
      say('devices-news', news)
    } catch (error) {
      say('devices-problem', explain(error))
      say('devices-news', '')
    } finally {
      dialog.removeAttribute('aria-busy')
    }
  }

  async function end({ name, sessions }) {
    await act(async () => {
      // One after the other: an app may end together with the sign-in that it came from.
      for (const { id } of sessions) {
        await client.sessions.end(id).catch((error) => {
          // Gone already, which is what was asked for.
          if (error.status !== 404) throw error
        })
      }
      return `${name} was signed out.`
    })
    // Its button has gone. Not the next button: a second Enter would sign out another device.
    byId('devices-title').focus()
  }

  byId('open-devices').addEventListener('click', async () => {
    list.replaceChildren()
    others.hidden = true
    dialog.showModal()
    byId('devices-title').focus()
    await act(async () => '')
  })
  byId('close-devices').addEventListener('click', () => dialog.close())
  others.addEventListener('click', async () => {
    await act(async () => {
      const shown = list.querySelectorAll('.device button').length
      await client.sessions.endOthers()
      return `${amount(shown, 'device')} signed out.`
    })
    byId('devices-title').focus()
  })
}

export function closeDevices() {
  dialog.close()
}

function show(sessions, end) {
  const all = devicesOf(sessions)
  const [here, elsewhere] = [
    all.filter(({ current }) => current),
    all.filter(({ current }) => !current),
  ]
  elsewhere.sort((one, other) => other.lastSeenAt.localeCompare(one.lastSeenAt))
  list.replaceChildren(...[...here, ...elsewhere].map((each) => deviceItem(each, end)))
  others.hidden = sessions.every(({ current }) => current)
}

/** Each sign-in, with the apps that were signed in by it. */
function devicesOf(sessions) {
  const known = new Map(sessions.map((session) => [session.id, session]))
  // A browser or an app was opened on the same device. A session of the kind `pkce` is a device of
  // its own: its code may have gone to a phone.
  function signInOf(session) {
    const opener = known.get(session.openedBy)
    const isOfSameDevice = session.kind === 'browser' || session.kind === 'oauth'
    return isOfSameDevice && opener !== undefined ? signInOf(opener) : session
  }
  const bySignIn = Map.groupBy(sessions, signInOf)
  return [...bySignIn].map(([signIn, members]) => deviceOf(signIn, members))
}

function deviceOf(signIn, members) {
  const others = members.filter((one) => one !== signIn)
  const apps = others.filter(({ kind }) => kind === 'oauth').map(({ name }) => name)
  return {
    ...signIn,
    name: signIn.name ?? 'Unknown device',
    sessions: [signIn, ...others],
    apps: [...new Set(apps)],
    current: members.some(({ current }) => current),
    lastSeenAt: members
      .map(({ lastSeenAt }) => lastSeenAt)
      .sort()
      .at(-1),
    isConnected: members.some(({ liveSockets }) => liveSockets > 0),
  }
}

function deviceItem(device, end) {
  const { id, name, ip, lastSeenAt, current, isConnected } = device
  const item = element('li', 'device')
  const title = element('p', 'device-name', name)
  title.id = `device-${id}`
  if (current) title.append(' ', element('span', 'badge', 'this device'))
  const seen = element('time', '', inThePast(new Date(lastSeenAt)))
  seen.dateTime = lastSeenAt
  const facts = element('p', 'hint')
  facts.id = `facts-${id}`
  facts.append(
    useOf(device),
    `${ip ?? 'address unknown'} · last seen `,
    seen,
    isConnected ? ' · connected now' : '',
  )
  item.append(title, facts)
  if (!current) item.append(endButton(device, end))
  return item
}

function useOf({ kind, apps }) {
  if (apps.length > 0) return `Used for ${apps.join(', ')} · `
  return kind === 'browser' ? 'By the sign-in page · ' : ''
}

function endButton(device, end) {
  const button = element('button', '', 'Sign out')
  button.type = 'button'
  // Which one: the buttons all read the same.
  button.setAttribute('aria-describedby', `device-${device.id} facts-${device.id}`)
  button.addEventListener('click', async () => {
    button.disabled = true
    await end(device)
    button.disabled = false
  })
  return button
}

function inThePast(date) {
  const minutes = Math.floor((Date.now() - date.getTime()) / 60_000)
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${amount(minutes, 'minute')} ago`
  if (minutes < 24 * 60) return `${amount(Math.floor(minutes / 60), 'hour')} ago`
  return dateAndTime(date)
}
