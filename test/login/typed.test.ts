// What keyboards, clipboards and apps put into names and codes does not keep anybody out. A
// password is as it is typed.
import { describe, expect, it } from 'vitest'
import { bearer, logIn, post } from '../support/client.js'
import { password, startHost } from '../support/host.js'
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
