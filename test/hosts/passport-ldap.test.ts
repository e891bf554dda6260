// docs/passport-strategies.md, its part on LDAP: passport-ldapauth, unmodified.
import { totpCode } from 'messaging-auth-router/testing'
import { describe, expect, it } from 'vitest'
import { example } from './support/doc-examples.js'
import { directoryPassword, startDirectory } from './support/fake-ldap.js'
import {
  browser,
  type PassportHost,
  type PassportHostSettings,
  sessionsOf,
  startPassportHost,
  totpSecret,
  useAndSignOut,
} from './support/passport-host.js'

const { ldapSignIn } = await example<{
  ldapSignIn: (auth: unknown, server: object, findUserId: unknown) => never
}>('ldap.ts')

const people = [
  { uid: 'alice', entryUUID: 'e-alice' },
  { uid: 'bob', entryUUID: 'e-bob' },
  { uid: 'carol', entryUUID: 'e-carol' },
]

async function start(options: PassportHostSettings['options'] = {}, told: object = {}) {
  const directory = await startDirectory(people)
  const host = await startPassportHost({
    options,
    mount({ app, auth, findUserId }) {
      app.use(ldapSignIn(auth, { ...directory.settings, ...told }, findUserId))
    },
  })
  host.identities.set('ldap e-alice', 'u-alice')
  host.identities.set('ldap e-bob', 'u-bob')
  return { host, directory }
}

const signIn = (host: PassportHost, body: object) =>
  browser().post(`${host.origin}/sign-in/ldap`, { password: directoryPassword, ...body })

describe('LDAP, by the strategy passport-ldapauth', () => {
  it('signs in, passes a guard, signs out', async () => {
    const { host } = await start()
    const { status, body } = await signIn(host, { username: 'alice' })
    expect([status, body.userId]).toEqual([200, 'u-alice'])
    expect(await useAndSignOut(host, body.token)).toEqual({
      userId: 'u-alice',
      methods: ['pwd'],
      statuses: [200, 401],
    })
    expect(host.failures).toEqual([])
  })

  it('asks for the user’s own second factor, with the password again', async () => {
    const { host } = await start()
    await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
    const asked = await signIn(host, { username: 'alice' })
    expect(asked).toMatchObject({ status: 401, body: { error: 'totp-required' } })
    const code = totpCode(totpSecret, new Date())
    const wrong = await signIn(host, { username: 'alice', password: 'wrong', code })
    expect(wrong).toMatchObject({ status: 401, body: { error: 'Unauthorized' } })
    expect((await signIn(host, { username: 'alice', code })).status).toBe(200)
    expect((await signIn(host, { username: 'alice', code })).status).toBe(401)
  })

  it('leaves the host’s own express-session alone', async () => {
    const { host } = await start()
    const alice = browser()
    await alice.get(`${host.origin}/visits`)
    await alice.post(`${host.origin}/sign-in/ldap`, {
      username: 'alice',
      password: directoryPassword,
    })
    expect((await alice.get(`${host.origin}/visits`)).body).toEqual({ visits: 2 })
  })

  it('does not satisfy a policy: such a session may set up a factor, and no more', async () => {
    const secondFactor = { policy: () => 'required' as const, acceptHostMfa: true }
    const { host } = await start({ secondFactor })
    const { body } = await signIn(host, { username: 'alice' })
    expect(body.enrolmentRequired).toBe(true)
    expect(await useAndSignOut(host, body.token)).toMatchObject({
      error: 'second-factor-enrolment-required',
    })
  })
})

describe('what LDAP refuses', () => {
  it('a wrong password, none, and what is no text', async () => {
    const { host } = await start()
    const odd: unknown[] = [
      'wrong',
      '',
      'x'.repeat(257),
      null,
      7,
      true,
      ['a'],
      { $ne: '' },
      { toString: 1 },
    ]
    for (const password of odd)
      expect((await signIn(host, { username: 'alice', password })).status).toBe(401)
    for (const username of odd) expect((await signIn(host, { username })).status).toBe(401)
    const url = `${host.origin}/sign-in/ldap?username=alice&password=${directoryPassword}`
    expect((await browser().post(url, {})).status).toBe(401)
    expect([await sessionsOf(host), host.failures]).toEqual([0, []])
  })

  it('a filter in the user’s name', async () => {
    const { host, directory } = await start()
    const names = [
      '*',
      '*)(uid=*',
      'ali*',
      'alice)(&',
      'x)(|(uid=alice)',
      '*))(|(uid=*',
      'alice)(objectClass=*',
      'alice\0',
      '\\61lice',
      'alice,ou=people,dc=example,dc=com',
    ]
    for (const username of names)
      expect([username, (await signIn(host, { username })).status]).toEqual([username, 401])
    expect(directory.filters).toHaveLength(names.length)
    for (const filter of directory.filters) expect(filter).toMatch(/^\(uid=[^()*]*\)$/)
    expect([await sessionsOf(host), host.failures]).toEqual([0, []])
    expect((await signIn(host, { username: 'alice' })).status).toBe(200)
  })

  it('a name that several entries have', async () => {
    const searchFilter = '(|(uid={{username}})(uid=bob))'
    const { host } = await start({}, { searchFilter })
    expect((await signIn(host, { username: 'alice' })).status).toBe(401)
    expect(await sessionsOf(host)).toBe(0)
  })

  it('whom the host does not know, has disabled, or objects to', async () => {
    const beforeLogin = ({ user }: { user: { id: string } }) =>
      user.id === 'u-bob' ? 'Not on Sundays.' : undefined
    const { host } = await start({ beforeLogin })
    expect((await signIn(host, { username: 'carol' })).status).toBe(401)
    host.identities.set('ldap e-carol', 'u-gone')
    expect((await signIn(host, { username: 'carol' })).status).toBe(401)
    host.users.set('u-alice', { id: 'u-alice', username: 'alice', disabled: true })
    expect((await signIn(host, { username: 'alice' })).status).toBe(401)
    const vetoed = await signIn(host, { username: 'bob' })
    expect(vetoed).toMatchObject({ status: 403, body: { message: 'Not on Sundays.' } })
    expect(await sessionsOf(host)).toBe(0)
  })

  it('nobody, but says so with 503, while the directory is away or shows no id', async () => {
    const { host, directory } = await start()
    await directory.stop()
    expect((await signIn(host, { username: 'alice' })).status).toBe(503)
    const other = await start({}, { searchAttributes: ['uid'] })
    expect((await signIn(other.host, { username: 'alice' })).status).toBe(503)
    expect([...host.failures, ...other.host.failures]).toHaveLength(2)
  })
})
