// What keyboards, clipboards and apps put into names and codes does not keep anybody out. A
// password is as it is typed.
import { describe, expect, it } from 'vitest'
import { asAlice, startAccounts } from '../accounts/account-host.js'
import { bearer, logIn, post } from '../support/client.js'
import { cheapHasher, password, startHost, type TestHost } from '../support/host.js'
import { digestOf, meteorHasher } from '../support/rocketchat.js'
import { codeOf, enrolled } from '../support/two-factor.js'

const around: [string, (text: string) => string][] = [
  ['a blank behind it', (text) => `${text} `],
  ['a blank before it', (text) => ` ${text}`],
  ['a no-break space', (text) => `${text}\u00a0`],
  ['a line end that was copied along', (text) => `${text}\r\n`],
]

describe('a name', () => {
  it.each(around)('with %s signs in, whichever name it is', async (_what, typed) => {
    const host = await startHost()
    for (const [kind, name] of [
      ['username', 'alice'],
      ['user', 'alice'],
      ['email', 'alice@example.com'],
    ] as const)
      expect((await post(host, '/login', { [kind]: typed(name), password })).status).toBe(200)
  })

  it('has one counter, however it is typed', async () => {
    const host = await startHost()
    const spelt = ['alice', ...around.map(([, typed]) => typed('alice'))]
    for (const username of spelt)
      expect((await post(host, '/login', { username, password: 'wrong' })).status).toBe(401)
    const sixth = await post(host, '/login', { username: ' alice ', password })
    expect(sixth.status).toBe(429)
  })

  it('of nothing but blanks is 400', async () => {
    const host = await startHost()
    expect((await post(host, '/login', { username: ' \n', password })).status).toBe(400)
  })

  it('is trimmed also where the host has a canonical form of its own', async () => {
    const asked: string[] = []
    const canonicalIdentifier = ({ value }: { value: string }) => {
      asked.push(value)
      return value
    }
    const host = await startHost({ options: { canonicalIdentifier } })
    await post(host, '/login', { username: ' alice ', password })
    expect(asked).toEqual(['alice'])
  })

  it('is trimmed, and a password is not', async () => {
    const host = await startHost()
    const wrong = await post(host, '/login', { username: 'alice', password: `${password} ` })
    expect(wrong.status).toBe(401)
  })
})

describe('a password', () => {
  const typed = 'schönes Wetter heute früh'
  const forms = [typed.normalize('NFC'), typed.normalize('NFD')]
  const signIn = async (host: TestHost, shown: string) =>
    (await post(host, '/login', { username: 'alice', password: shown })).status

  it('that is set here is one in composed and in decomposed letters', async () => {
    for (const newPassword of forms) {
      const host = await startAccounts()
      const alice = await asAlice(host)
      await alice.post('/auth/password/change', { password, newPassword }).expect(200)
      for (const shown of forms) expect(await signIn(host, shown)).toBe(200)
      expect(await signIn(host, 'schones Wetter heute fruh')).toBe(401)
    }
  })

  it('hashed elsewhere as it was typed signs in so, and counts once', async () => {
    const host = await startHost()
    const [composed = '', decomposed = ''] = forms
    host.users.change('u-alice', { passwordHash: await cheapHasher.hash(decomposed) })
    expect(await signIn(host, decomposed)).toBe(200)
    for (let i = 0; i < 5; i += 1) expect(await signIn(host, `${decomposed}!`)).toBe(401)
    expect(await signIn(host, composed)).toBe(429)
  })

  it('is compared as often, whether there is such a user or not', async () => {
    const compared: string[] = []
    const passwords = {
      ...cheapHasher,
      verify: (plain: string, hash: string) => {
        compared.push(plain)
        return cheapHasher.verify(plain, hash)
      },
    }
    const host = await startHost({ options: { passwords } })
    for (const username of ['alice', 'nobody'])
      for (const shown of forms) await post(host, '/login', { username, password: shown })
    const [composed, decomposed] = forms
    const ofOne = [composed, composed, decomposed]
    expect(compared).toEqual([...ofOne, ...ofOne])
  })

  it('of a client that sends digests is hashed as it was typed', async () => {
    const host = await startHost({ options: { passwords: meteorHasher } })
    const [, decomposed = ''] = forms
    host.users.change('u-alice', { passwordHash: await host.auth.hashPassword(decomposed) })
    const { digest } = digestOf(decomposed)
    expect(
      await meteorHasher.verifyDigest?.(digest, host.users.rows.get('u-alice')?.passwordHash ?? ''),
    ).toBe(true)
  })

  it('that is too long to be one is compared as it is', async () => {
    const host = await startHost()
    const marks = `a${'\u0323\u0301'.repeat(800)}`
    expect(await signIn(host, marks)).toBe(401)
  })
})

describe('a code of the app', () => {
  const spelt: [string, (code: string) => string][] = [
    ['in two groups', (code) => `${code.slice(0, 3)} ${code.slice(3)}`],
    ['in two groups of a no-break space', (code) => `${code.slice(0, 3)}\u00a0${code.slice(3)}`],
    ['with a hyphen', (code) => `${code.slice(0, 3)}-${code.slice(3)}`],
    ['with a dash', (code) => `${code.slice(0, 3)}\u2013${code.slice(3)}`],
    ...around,
  ]

  it.each(spelt)('%s signs in, and confirms', async (_what, typed) => {
    const { host, secret } = await enrolled()
    host.clock.advance(30)
    const code = typed(codeOf(host, secret))
    expect((await post(host, '/login', { username: 'alice', password, code })).status).toBe(200)
    const other = await startHost()
    const { authToken } = await logIn(other)
    const begun = await post(other, '/auth/totp', { password }, bearer(authToken))
    const first = { code: typed(codeOf(other, begun.body.data.secret)) }
    expect((await post(other, '/auth/totp/confirm', first, bearer(authToken))).status).toBe(200)
  })

  it('is used once, however it is typed the second time', async () => {
    const { host, secret } = await enrolled()
    host.clock.advance(30)
    const login = { username: 'alice', password }
    const code = codeOf(host, secret)
    expect((await post(host, '/login', { ...login, code })).status).toBe(200)
    const again = await post(host, '/login', {
      ...login,
      code: `${code.slice(0, 3)} ${code.slice(3)}`,
    })
    expect([again.status, again.body.error]).toEqual([401, 'totp-invalid'])
  })
})
