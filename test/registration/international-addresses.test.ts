// The domain of an address has two spellings: that of people, and Punycode, which browsers send
// from a field for addresses. They are one address, wherever it comes in.
import { describe, expect, it } from 'vitest'
import { withAsciiDomain, withReadableDomain } from '../../src/lib/addresses.js'
import { asAlice } from '../accounts/account-host.js'
import { newPassword, startMailPages } from '../pages/account/mail-host.js'
import { openVisitor } from '../pages/mounted/visitor.js'
import { logIn, post } from '../support/client.js'
import { password } from '../support/host.js'
import {
  confirm,
  goodPassword,
  newUsers,
  register,
  registered,
  startRegistration,
} from './registration-host.js'

const spelt: [readable: string, ascii: string][] = [
  ['anna@müller.example', 'anna@xn--mller-kva.example'],
  ['ivan@пример.рф', 'ivan@xn--e1afmkfd.xn--p1ai'],
  ['li@例え.テスト', 'li@xn--r8jz45g.xn--zckzah'],
  ['uwe@faß.example', 'uwe@xn--fa-hia.example'],
]
const bothWays = spelt.flatMap(([readable, ascii]) => [
  [readable, ascii],
  [ascii, readable],
  [readable, readable.replace(/@.*/, (domain) => domain.toUpperCase())],
])
const [[readable, ascii] = ['', '']] = spelt

describe('an address with an international domain', () => {
  it.each(bothWays.filter(([, other]) => !other?.includes('SS')))(
    'registered as %s signs in as %s, gets its mail, and is registered once',
    async (email = '', other = '') => {
      const host = await startRegistration()
      const user = { username: 'anna', name: 'Anna' }
      await confirm(host, await registered(host, { ...user, email })).expect(200)
      expect(newUsers(host)).toMatchObject([{ email: withAsciiDomain(email.toLowerCase()) }])
      for (const spelling of [email, other])
        for (const kind of ['email', 'user']) {
          const login = { [kind]: spelling, password: goodPassword }
          expect([kind, spelling, (await post(host, '/login', login)).status]).toEqual([
            kind,
            spelling,
            200,
          ])
        }
      await post(host, '/auth/password/forgot', { email: other }).expect(202)
      expect((await host.mailed('reset-password')).map(({ to }) => to)).toEqual([
        withAsciiDomain(email.toLowerCase()),
      ])
      await register(host, { ...user, username: 'anna2', email: other }).expect(202)
      expect(await host.mailed('address-taken')).toHaveLength(1)
    },
  )

  it('has one counter of wrong passwords', async () => {
    const host = await startRegistration()
    const wrong = (name: object) => post(host, '/login', { ...name, password: 'wrong' })
    const names = [{ email: readable }, { email: ascii }, { user: readable }, { user: ascii }]
    for (const name of [...names, names[0]]) expect((await wrong(name as object)).status).toBe(401)
    for (const name of names) expect((await wrong(name)).status).toBe(429)
  })

  it('has one counter of mails', async () => {
    const host = await startRegistration()
    for (const email of [readable, ascii, readable]) await register(host, { email }).expect(202)
    for (const email of [readable, ascii])
      expect((await register(host, { email })).status).toBe(429)
  })

  it('is invited in one spelling, and registers in the other', async () => {
    for (const [invited, typed] of [
      [readable, ascii],
      [ascii, readable],
    ] as const) {
      const host = await startRegistration({ accounts: { registration: 'invited' } })
      const { token } = await host.auth.accounts.invite({ email: invited, send: true })
      host.issued.add(token)
      expect((await host.mailed('invitation'))[0]?.to).toBe(ascii)
      const sent = await registered(host, { email: typed, invitation: token })
      await confirm(host, sent).expect(200)
    }
  })

  it('is no new address in another spelling', async () => {
    const host = await startRegistration()
    host.users.change('u-alice', { email: ascii })
    const alice = await asAlice(host)
    const same = await alice.post('/auth/email/change', { email: readable, password })
    expect([same.status, same.body.error]).toEqual([409, 'already-verified'])
  })

  it('is handed to the canonical form of the host in ASCII', async () => {
    const asked: string[] = []
    const canonicalIdentifier = ({ value }: { value: string }) => {
      asked.push(value)
      return value.toLowerCase()
    }
    const host = await startRegistration({ options: { canonicalIdentifier } })
    host.users.change('u-alice', { email: ascii })
    expect((await logIn(host, { email: readable, password })).authToken).toBeTruthy()
    expect(asked).toContain(ascii)
  })

  it('is readable on the pages, and posted in either spelling', async () => {
    const host = await startMailPages({ accounts: { registration: 'open' } })
    host.users.change('u-alice', { email: ascii })
    const visitor = openVisitor(host)
    const form = await visitor.open(`${host.base}/account`)
    const account = await visitor.fill(form, { username: readable, password })
    expect(account.text).toContain(`<bdi>${readable}</bdi>`)
    const page = await visitor.open(`${host.base}/account/email`)
    expect(page.text).toContain(`<bdi>${readable}</bdi>`)
    const { token } = await host.host().auth.accounts.invite({ email: readable })
    host.host().issued.add(token)
    const invited = openVisitor(host)
    const registering = await invited.open(`${host.base}/account/invitation?token=${token}`)
    expect(registering.text).toContain(`value="${readable}"`)
    const given = { email: readable, username: 'Anna', name: 'Anna', password: newPassword }
    expect((await invited.fill(registering, given)).heading).toBe('Type the code')
  })
})

describe('the form of an address', () => {
  it.each([
    'alice',
    'alice@example.com',
    'id@',
    'müller',
    'a@münchen/../x',
    'a@mü%6clker.example',
    'a@mü ller.example',
    'a@müller.example:25',
    'a@ö.127.0.0.1',
    'a@-ö..example',
    `a@${'ö'.repeat(254)}`,
    'a@1.2',
    'a@2130706433',
    'a@xn--zz',
  ])('is not changed where it has no international domain: %s', (text) => {
    expect(withAsciiDomain(text)).toBe(text)
  })

  it.each(spelt)('of %s is %s, and back', (one, other) => {
    expect(withAsciiDomain(one)).toBe(other)
    expect(withAsciiDomain(other)).toBe(other)
    expect(withReadableDomain(other)).toBe(one)
  })

  it.each(['a@xn--google-.com', 'a@xn--a', 'a@2130706433', 'a@xn--ls8h--.example'])(
    'is shown as it is where it would be read as another: %s',
    (text) => {
      expect(withReadableDomain(text)).toBe(text)
    },
  )
})
