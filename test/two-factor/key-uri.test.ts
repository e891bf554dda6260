import { describe, expect, it } from 'vitest'
import { createAuthRouter } from '../../src/index.js'
import { otpauthUri } from '../../src/two-factor/enrolment.js'
import { bearer, logIn, post } from '../support/client.js'
import { password, startHost } from '../support/host.js'
import { expectAnswer, totp } from '../support/two-factor.js'

const seed = Buffer.from('12345678901234567890')
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

const awkward: [issuer: string, account: string, label: string][] = [
  ['Messaging', 'alice', 'Messaging:alice'],
  ['Big Chat', 'alice smith', 'Big%20Chat:alice%20smith'],
  ['A&B', 'a&b=c?d#e', 'A%26B:a%26b%3Dc%3Fd%23e'],
  ['1+1', 'alice+work@example.com', '1%2B1:alice%2Bwork%40example.com'],
  ['100%', '%41lice', '100%25:%2541lice'],
  ['Grüße', 'jürgen', 'Gr%C3%BC%C3%9Fe:j%C3%BCrgen'],
  ['Chat 💬', '🦊', 'Chat%20%F0%9F%92%AC:%F0%9F%A6%8A'],
  [`"Chat's"`, `o'neil "x"`, '%22Chat%27s%22:o%27neil%20%22x%22'],
  ['(Chat)!*', 'a!(b)*', '%28Chat%29%21%2A:a%21%28b%29%2A'],
  ['a/b\\c', '../x', 'a%2Fb%5Cc:..%2Fx'],
  ['Chat', 'work:alice', 'Chat:work%3Aalice'],
  ['チャット', 'ア', '%E3%83%81%E3%83%A3%E3%83%83%E3%83%88:%E3%82%A2'],
]

describe('the URI for authenticator apps', () => {
  it.each(awkward)(
    'of %j and %j is exactly encoded, and reads back as it was',
    (issuer, account, label) => {
      const uri = otpauthUri({ issuer, account, seed })
      const encodedIssuer = label.slice(0, label.indexOf(':'))
      expect(uri).toBe(
        `otpauth://totp/${label}?secret=${secret}&issuer=${encodedIssuer}` +
          '&algorithm=SHA1&digits=6&period=30',
      )
      const read = new URL(uri)
      expect([read.protocol, read.host]).toEqual(['otpauth:', 'totp'])
      expect(Object.fromEntries(read.searchParams)).toEqual({
        secret,
        issuer,
        algorithm: 'SHA1',
        digits: '6',
        period: '30',
      })
      const [first = '', ...rest] = read.pathname.slice(1).split(':')
      expect([decodeURIComponent(first), rest.map(decodeURIComponent)]).toEqual([issuer, [account]])
    },
  )

  it.each(awkward)(
    'goes out as it is from a host called %j to the user %j',
    async (totpIssuer, username, label) => {
      const host = await startHost({ options: { totpIssuer } })
      host.users.change('u-alice', { username })
      const { authToken } = await logIn(host, { email: 'alice@example.com', password })
      const { body } = await post(host, totp, { password }, bearer(authToken))
      expect(body.data.otpauthUri).toMatch(/^otpauth:\/\/totp\//)
      expect(
        body.data.otpauthUri.startsWith(
          `otpauth://totp/${label}?secret=${body.data.secret}&issuer=`,
        ),
      ).toBe(true)
    },
  )

  it('is made for a name with half a character in it too', async () => {
    const host = await startHost()
    host.users.change('u-alice', { username: 'a\ud83e' })
    const { authToken } = await logIn(host, { email: 'alice@example.com', password })
    const begun = await post(host, totp, { password }, bearer(authToken))
    expectAnswer(begun, 200)
    expect(begun.body.data.otpauthUri).toContain('/Messaging:a%EF%BF%BD?')
  })
})

describe('the option totpIssuer', () => {
  it.each(['', 'a:b', 'x'.repeat(65), 'a\nb', 'a\0b', 'a\ud83e', 7, null, {}, ['Chat']])(
    'is refused when it is %j',
    async (totpIssuer) => {
      const host = await startHost()
      const signer = { sign: async () => '', verify: async () => ({}) }
      const encryptionKeys = [Buffer.alloc(32, 1).toString('base64')]
      const build = () =>
        createAuthRouter({
          ...host.stores,
          users: host.users,
          signer,
          encryptionKeys,
          totpIssuer,
        } as never)
      expect(build).toThrow(
        expect.objectContaining({ name: 'AuthConfigError', option: 'totpIssuer' }),
      )
    },
  )

  it('may be 64 characters long', async () => {
    const host = await startHost({ options: { totpIssuer: 'x'.repeat(64) } })
    const { authToken } = await logIn(host)
    expect(
      (await post(host, totp, { password }, bearer(authToken))).body.data.otpauthUri,
    ).toContain(`issuer=${'x'.repeat(64)}&`)
  })
})
