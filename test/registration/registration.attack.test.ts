// Strangers who register with what is not theirs, at the wrong time, and all at once.
import { expect, it } from 'vitest'
import { get, headersOf, logIn, post } from '../support/client.js'
import { behindProxy, from, tally } from '../support/guessing.js'
import {
  ada,
  confirm,
  eventsOf,
  goodPassword,
  newUsers,
  register,
  registered,
  startRegistration,
} from './registration-host.js'

const refused = { success: false, status: 'error', error: 'proof-refused' }

it('free, taken, disabled and unproven addresses are answered with the same bytes', async () => {
  const host = await startRegistration(behindProxy)
  host.users.add({ id: 'u-off', username: 'off', disabled: true, emailVerified: true })
  host.users.add({ id: 'u-new', username: 'new', emailVerified: false })
  const answers = new Set<string>()
  const addresses = ['free', 'alice', 'u-off', 'u-new', 'ALICE'].map((one) => `${one}@example.com`)
  for (const [i, email] of addresses.entries()) {
    const answer = await register(host, { email, username: `n${i}` }, from(`10.0.0.${i}`))
    const text = answer.text.replace(/"requestId":"[\w-]{43}"/, '')
    answers.add(JSON.stringify([answer.status, headersOf(answer), text]))
  }
  expect([...answers]).toEqual([expect.stringContaining('[202,')])
  expect((await host.mailed('register')).map(({ to }) => to)).toEqual(['free@example.com'])
  const told = await host.mailed('address-taken')
  expect(told.map(({ to }) => to).toSorted()).toEqual(addresses.slice(1).toSorted())
  expect(told.every(({ user, code }) => user === null && code === undefined)).toBe(true)
  expect(eventsOf(host, 'account.register-refused')).toHaveLength(4)
})

it('the answer comes before the address is looked up, also while the user store is down', async () => {
  const host = await startRegistration()
  host.users.findByIdentifier = async () => {
    throw new Error('down')
  }
  await register(host).expect(202)
  await expect.poll(() => eventsOf(host, 'host.failed')).toHaveLength(1)
  expect(host.mails).toEqual([])
})

it('a request id of a taken address is confirmed by no code', async () => {
  const host = await startRegistration()
  const { body } = await register(host, { email: 'alice@example.com' }).expect(202)
  await host.mailed('address-taken')
  const { requestId } = body.data
  for (const code of ['00000000', '12345678', 'null', '0'])
    expect((await confirm(host, { requestId, code }).expect(400)).body).toMatchObject(refused)
  expect(newUsers(host)).toEqual([])
})

it('whoever has registered an address without proving it keeps its owner from nothing', async () => {
  const host = await startRegistration()
  const squatter = await register(host).expect(202)
  await host.mailed('register')
  const owner = await registered(host, { username: 'ada', name: 'Ada' })
  await confirm(host, owner).expect(200)
  const { requestId } = squatter.body.data
  await confirm(host, { requestId, code: owner.code }).expect(400)
  await logIn(host, { username: 'ada', password: goodPassword })
  const [mine] = host.mails
  const late = await confirm(host, { requestId, code: mine?.code }).expect(400)
  expect(late.body).toMatchObject(refused)
  expect(newUsers(host)).toHaveLength(1)
})

it('a password that was sent with the registration is not the account’s, whoever confirms it', async () => {
  const host = await startRegistration()
  const thiefs = 'the password of the thief'
  const mine = await registered(host, { password: thiefs })
  const { body } = await post(host, '/auth/register/confirm', mine).expect(400)
  expect(body.details.issues[0].path).toBe('password')
  await confirm(host, mine).expect(200)
  await post(host, '/login', { username: 'ada', password: thiefs }).expect(401)
  await logIn(host, { username: 'ada', password: goodPassword })
})

it('fifty confirmations at once make one user with one session; then the password signs in', async () => {
  const host = await startRegistration()
  const mine = await registered(host)
  const answers = await Promise.all(Array.from({ length: 50 }, () => confirm(host, mine)))
  expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 1, 400: 49 })
  expect(newUsers(host)).toHaveLength(1)
  expect(eventsOf(host, 'session.started')).toHaveLength(1)
  expect((await confirm(host, mine).expect(400)).body).toMatchObject(refused)
  await logIn(host, { username: 'Ada', password: goodPassword })
})

it('of two people with one name and proofs in both hands one wins; the other is asked again', async () => {
  const host = await startRegistration()
  const proofs = [await registered(host), await registered(host, { email: 'b@example.com' })]
  const answers = await Promise.all(proofs.map((one) => confirm(host, one)))
  const statuses = answers.map(({ status }) => status)
  expect(statuses.toSorted()).toEqual([200, 409])
  const loser = proofs[statuses.indexOf(409)] ?? {}
  await confirm(host, { ...loser, username: 'another' }).expect(200)
  expect(host.mails).toHaveLength(2)
})

it('five wrong codes use a registration up', async () => {
  const host = await startRegistration()
  const { requestId, code } = await registered(host)
  for (let i = 1; i <= 5; i += 1) {
    const wrong = String((Number(code) + i) % 100_000_000).padStart(8, '0')
    await confirm(host, { requestId, code: wrong }).expect(400)
  }
  await confirm(host, { requestId, code }).expect(400)
  expect(newUsers(host)).toEqual([])
})

it('what cannot be an identifier is none', async () => {
  const host = await startRegistration()
  const names = [
    '',
    '  ',
    'a\u0000da',
    'a\nda',
    'ada\u202e',
    '\u2066ada',
    'ﬁda',
    '\u212b',
    '\ud800',
    'x'.repeat(321),
  ]
  for (const name of names)
    for (const given of [{ username: name }, { name }]) {
      const { body } = await register(host, given).expect(400)
      expect([body.error, body.details.issues[0].path]).toEqual([
        'invalid-request',
        Object.keys(given)[0],
      ])
    }
  for (const email of ['ada', 'a@b@c.d', 'ada@example.com\r\nBcc: eve@x.y', '<ada@x.y>', 'a,b@x.y'])
    await register(host, { email }).expect(400)
  for (const given of [{ locale: 'de\n' }, { locale: 5 }, { invitation: {} }])
    await register(host, given).expect(400)
  expect(host.mails).toEqual([])
})

it('a user name has nothing that nobody sees, and a shown name has something to see', async () => {
  const host = await startRegistration()
  const mine = await registered(host)
  const unseen = ['\u200b', '\u00ad', '\u2060', '\u034f', '\u115f', '\ufe0f', '\ue000', '\u{e0061}']
  for (const mark of unseen) {
    const username = `al${mark}ice`
    for (const answer of [
      await register(host, { username }),
      await confirm(host, { ...mine, username }),
    ]) {
      expect([answer.status, answer.body.details?.issues[0].path]).toEqual([400, 'username'])
    }
    const { body } = await register(host, { name: mark }).expect(400)
    expect(body.details.issues[0].path).toBe('name')
  }
  const family = '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}'
  await register(host, { email: 'e@example.com', username: 'zoë', name: family }).expect(202)
})

it('the host is asked about the other user name of a confirmation as well', async () => {
  const asked: object[] = []
  const host = await startRegistration({
    accounts: {
      beforeRegister({ email, username, invitation, request }) {
        asked.push({ username, invitation, path: request.url })
        return email?.toLowerCase().startsWith(`${username}@`) ? undefined : 'Not your name.'
      },
    },
  })
  const { id, token } = await host.auth.accounts.invite({ note: 'team:support' })
  const mine = await registered(host, { invitation: token })
  const { body } = await confirm(host, { ...mine, username: 'boss' }).expect(403)
  expect([body.error, body.message]).toEqual(['forbidden', 'Not your name.'])
  expect(newUsers(host)).toEqual([])
  const invitation = { id, note: 'team:support' }
  expect(asked.at(-1)).toMatchObject({ username: 'boss', invitation })
  // Not for the name that it has judged before; and the veto has taken no use of the invitation.
  await confirm(host, { ...mine, username: 'ada' }).expect(200)
  expect(asked).toHaveLength(2)
})

it("names of the host's own are asked of the host, in every spelling", async () => {
  const host = await startRegistration()
  const mine = await registered(host)
  for (const username of ['alice', 'ALICE', 'Admin']) {
    expect((await register(host, { username }).expect(409)).body.error).toBe('username-taken')
    expect((await confirm(host, { ...mine, username }).expect(409)).body.error).toBe(
      'username-taken',
    )
  }
})

it('twenty names that are taken are told a network and hour; free ones do not count', async () => {
  const accounts = { beforeRegister: () => 'Not now.' }
  const host = await startRegistration({ ...behindProxy, accounts })
  const ask = (username: string, ip = '10.0.0.1') => register(host, { username }, from(ip))
  const statuses: number[] = []
  for (let i = 0; i < 44; i += 1)
    statuses.push((await ask(i % 2 === 0 ? 'alice' : `free-${i}`)).status)
  expect(tally(statuses)).toEqual({ 409: 20, 403: 19, 429: 5 })
  await ask('alice', '10.0.0.2').expect(409)
  host.clock.advance(3601)
})

it('where registration is closed, no spelling of the route lets anybody in', async () => {
  const host = await startRegistration({ accounts: { registration: 'invited' } })
  const spellings = ['', '/', '?invitation=x', '?registration=open', '#x']
  for (const spelling of spellings) {
    const answer = await post(host, `/auth/register${spelling}`, ada)
    expect([spelling, answer.status]).toEqual([spelling, 403])
  }
  for (const path of ['/auth/Register', '/auth//register', '/auth/register/x', '/AUTH/register'])
    await post(host, path, ada).expect(404)
  for (const invitation of ['', 'x', 'mar_iv_', `mar_iv_${'A'.repeat(43)}`, 'x'.repeat(101)])
    await register(host, { invitation }).expect(400)
  await register(host, { ...JSON.parse('{"__proto__":{"invitation":"x"}}') }).expect(403)
  expect(host.mails).toEqual([])
  expect(newUsers(host)).toEqual([])
})

it('what was open when the code was mailed, and is closed now, makes no user', async () => {
  const open = await startRegistration()
  const mine = await registered(open)
  const closed = await startRegistration({
    accounts: { registration: 'invited' },
    options: { proofs: open.stores.proofs },
  })
  const { body } = await confirm(closed, mine).expect(403)
  expect(body.error).toBe('registration-closed')
  expect(newUsers(closed)).toEqual([])
})

it('no GET, HEAD or OPTIONS changes anything, and no invitation is used up by looking', async () => {
  const host = await startRegistration()
  const { requestId, code } = await registered(host)
  const { token } = await host.auth.accounts.invite()
  for (const method of ['GET', 'HEAD', 'OPTIONS', 'DELETE'])
    for (const path of ['register', 'register/confirm']) {
      const url = `${host.url}/auth/${path}?requestId=${requestId}&code=${code}`
      expect((await fetch(url, { method })).status).toBe(405)
    }
  for (const method of ['GET', 'HEAD'])
    expect((await fetch(`${host.url}/auth/invitations/${token}`, { method })).status).toBe(200)
  expect(await host.auth.accounts.invitations()).toMatchObject([{ usesLeft: 1 }])
  await confirm(host, { requestId, code }).expect(200)
})

it('proofs of other purposes confirm nothing, and a registration confirms nothing else', async () => {
  const host = await startRegistration()
  const mine = await registered(host)
  const { token } = await host.auth.accounts.invite()
  await post(host, '/auth/password/reset', { token, password: goodPassword }).expect(400)
  await post(host, '/auth/email/undo', { token }).expect(400)
  await confirm(host, { requestId: token, code: '12345678' }).expect(400)
  await get(host, `/auth/invitations/${mine.requestId}`).expect(400)
  await register(host, { invitation: mine.requestId }).expect(400)
  await post(host, '/auth/code/login', mine)
  expect(await host.auth.accounts.invitations()).toMatchObject([{ usesLeft: 1 }])
  await confirm(host, mine).expect(200)
})

it('a store that fails costs nobody a mail: the same code works a second later', async () => {
  const host = await startRegistration()
  const mine = await registered(host)
  const real = host.users.create
  host.users.create = async () => {
    throw new Error('the database is gone')
  }
  await confirm(host, mine).expect(503)
  host.users.create = real
  await confirm(host, mine).expect(200)
})

it('a store that answers what is no user, or names no field, is an outage', async () => {
  const host = await startRegistration()
  const mine = await registered(host)
  const wrong = [
    undefined,
    null,
    {},
    { outcome: 'created' },
    { outcome: 'created', user: { id: 5 } },
    { outcome: 'taken' },
    { outcome: 'taken', field: 'name' },
  ]
  for (const answer of wrong.slice(0, 4)) {
    host.users.create = async () => answer as never
    await confirm(host, mine).expect(503)
  }
  const other = await registered(host)
  for (const answer of wrong.slice(4)) {
    host.users.create = async () => answer as never
    await confirm(host, other).expect(503)
  }
  expect(eventsOf(host, 'account.registered')).toEqual([])
})

it('nothing of a registration stands in a log, an event or a row in clear', async () => {
  const host = await startRegistration()
  const { save } = host.stores.proofs
  const rows: string[] = []
  host.stores.proofs.save = async (proof) => {
    rows.push(JSON.stringify(proof))
    await save(proof)
  }
  await confirm(host, await registered(host)).expect(200)
  const told = JSON.stringify([host.log, host.events, rows])
  for (const secret of [ada.email, ada.email.toLowerCase(), goodPassword, ada.name, '$2b$'])
    expect(told).not.toContain(secret)
})
