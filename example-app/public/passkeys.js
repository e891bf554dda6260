import { client, passkeys } from './auth.js'
import { byId, dateAndTime, element, explain, isWithoutPasskey, say } from './page.js'

const dialog = byId('passkeys')
const steps = ['passkeys-state', 'reauth', 'rename']
const [password, code, newName] = [byId('reauth-password'), byId('reauth-code'), byId('new-name')]

let showRecoveryCodes
/** What waits until the user has proven anew who it is. */
let waiting = null
/** The passkey that gets another name. */
let renamed = null
let busy = false

/** Makes the dialog work. `onRecoveryCodes(codes)`: some came with a passkey, shown this once. */
export function preparePasskeys(onRecoveryCodes) {
  showRecoveryCodes = onRecoveryCodes
  byId('open-passkeys').hidden = !passkeys.isSupported()
  document.addEventListener('busy', () => busy && say('passkeys-news', 'Busy, one moment.'))
  byId('open-passkeys').addEventListener('click', () => {
    for (const id of ['passkeys-problem', 'passkeys-news']) say(id, '')
    byId('passkey-list').replaceChildren()
    // Nothing can be pressed before the list is there: it would be pressed in vain.
    show(null)
    dialog.showModal()
    byId('passkeys-title').focus()
    void act(() => showList('')).then((isDone) => isDone || show('passkeys-state'))
  })
  byId('close-passkeys').addEventListener('click', () => dialog.close())
  dialog.addEventListener('close', () => show('passkeys-state'))
  byId('add-passkey').addEventListener('click', () => void act(add))
  byId('reauth').addEventListener('submit', (event) => {
    event.preventDefault()
    void proveBy(proveByPassword)
  })
  byId('reauth-passkey').addEventListener(
    'click',
    () => void proveBy(() => passkeys.reauthenticate()),
  )
  byId('rename').addEventListener('submit', (event) => {
    event.preventDefault()
    void act(rename)
  })
  for (const id of ['reauth-cancel', 'rename-cancel'])
    byId(id).addEventListener('click', () => void act(() => showList('')))
}

export function closePasskeys() {
  dialog.close()
}

async function add() {
  const { recoveryCodes } = await passkeys.add({ name: nameOfThisDevice() })
  if (recoveryCodes === undefined) return showList('The passkey was added.')
  dialog.close()
  showRecoveryCodes(recoveryCodes)
}

function nameOfThisDevice() {
  const platform = navigator.userAgentData?.platform
  return platform ? `Passkey on ${platform}` : 'Passkey'
}

async function rename() {
  await passkeys.rename(renamed.id, newName.value)
  await showList('It has another name now.')
}

async function remove(passkey) {
  await passkeys.remove(passkey.id).catch((error) => {
    // Gone already, which is what was asked for.
    if (error.status !== 404) throw error
  })
  await showList(`${passkey.name} was removed. You are signed out everywhere but here.`)
}

/** Does it, and says whether it was done. */
async function act(work) {
  if (busy) return false
  busy = true
  dialog.setAttribute('aria-busy', 'true')
  for (const id of ['passkeys-problem', 'passkeys-news']) say(id, '')
  try {
    await work()
    return true
  } catch (error) {
    showProblem(error, work)
    return false
  } finally {
    busy = false
    dialog.removeAttribute('aria-busy')
  }
}

function showProblem(error, work) {
  if (error.code === 'reauthentication-required') return askAnew(work)
  const isMissing = error.code === 'totp-required'
  if (isMissing || error.code === 'totp-invalid') {
    byId('reauth-code-step').hidden = false
    code.focus()
    if (isMissing) return say('passkeys-news', 'And the code of your second factor.')
  } else if (error.details?.wrong === 'password')
    return say('passkeys-problem', 'The password is wrong.')
  else if (error.details?.wrong === 'passkey')
    return say('passkeys-problem', 'The passkey was not accepted.')
  // Not a mistake of anybody's.
  say(isWithoutPasskey(error) ? 'passkeys-news' : 'passkeys-problem', explain(error))
}

// A session that was opened long ago, or stolen, must not add a way in of its own.
function askAnew(work) {
  waiting = work
  show('reauth')
  byId('reauth-user').value = client.state.me?.username ?? ''
  password.focus()
}

async function proveBy(prove) {
  const work = waiting
  if (!(await act(prove))) return
  show('passkeys-state')
  await act(work)
}

async function proveByPassword() {
  const typed = code.value.trim()
  await client.reauthenticate({
    password: password.value,
    ...(typed === '' ? {} : { code: typed }),
  })
}

async function showList(news) {
  say('passkeys-news', 'One moment…')
  const all = await passkeys.list()
  show('passkeys-state')
  byId('no-passkeys').hidden = all.length > 0
  byId('reauth-passkey').hidden = all.length === 0
  byId('passkey-list').replaceChildren(...all.map(passkeyItem))
  say('passkeys-news', news)
  byId('passkeys-title').focus()
}

function show(step) {
  for (const id of ['reauth', 'rename']) byId(id).reset()
  byId('reauth-code-step').hidden = true
  for (const id of steps) byId(id).hidden = id !== step
}

function passkeyItem(passkey) {
  const { id, name, createdAt, lastUsedAt, synced, suspectedCloneAt } = passkey
  const item = element('li', 'passkey')
  const title = element('p', 'device-name', name)
  title.id = `passkey-${id}`
  const used = lastUsedAt === null ? 'not used yet' : `last used ${at(lastUsedAt)}`
  const where = synced ? 'on all your devices' : 'on one device'
  item.append(title, element('p', 'hint', `${where} · added ${at(createdAt)} · ${used}`))
  if (suspectedCloneAt !== null)
    item.append(element('p', 'problem', `Somebody may have a copy of it: ${at(suspectedCloneAt)}`))
  const buttons = element('div', 'buttons')
  buttons.append(
    actButton('Rename', passkey, () => askForName(passkey)),
    actButton('Remove', passkey, () => void act(() => remove(passkey))),
  )
  item.append(buttons)
  return item
}

function actButton(text, { id }, onClick) {
  const button = element('button', '', text)
  button.type = 'button'
  // Of which one: the buttons all read the same.
  button.setAttribute('aria-describedby', `passkey-${id}`)
  button.addEventListener('click', onClick)
  return button
}

function askForName(passkey) {
  renamed = passkey
  for (const id of ['passkeys-problem', 'passkeys-news']) say(id, '')
  show('rename')
  newName.value = passkey.name
  newName.select()
}

function at(time) {
  return dateAndTime(new Date(time))
}
