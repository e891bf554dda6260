import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { networkOf } from '../../src/http/client-address.js'
import { readCredentials } from '../../src/http/credentials.js'
import { AuthError } from '../../src/index.js'
import { decodeBase32, encodeBase32 } from '../../src/lib/typed-codes.js'
import { parseLoginRequest } from '../../src/login/login-request.js'
import { recoveryCodeHash } from '../../src/two-factor/recovery-codes.js'
import { post } from '../support/client.js'
import { startHost } from '../support/host.js'

const anyText = fc.string({ unit: 'binary', maxLength: 400 })
const requestWith = (headers: Record<string, string[]>) =>
  ({ headersDistinct: headers, headers: {} }) as never

describe('whatever text arrives', () => {
  it(
    'credentials are read from it, or none, or it is refused; the token is then a piece of the ' +
      'header',
    () => {
      fc.assert(
        fc.property(
          fc.array(anyText, { maxLength: 3 }),
          fc.array(anyText, { maxLength: 2 }),
          (authorization, token) => {
            const headers = { authorization, 'x-auth-token': token, 'x-user-id': token }
            try {
              const read = readCredentials(requestWith(headers))
              if (read !== null)
                expect(
                  [...authorization, ...token].some((value) => value.includes(read.token)),
                ).toBe(true)
            } catch (error) {
              expect(error).toMatchObject({
                code: expect.toBeOneOf(['invalid-request', 'Unauthorized']),
              })
            }
          },
        ),
      )
    },
  )

  it('none are read from what a request without headers inherits', () => {
    const polluted = { authorization: 'Bearer abc', rawHeaders: [] }
    expect(
      readCredentials({ headers: Object.create(polluted), rawHeaders: [] } as never),
    ).toBeNull()
    expect(
      readCredentials({ headersDistinct: Object.create(polluted), headers: {} } as never),
    ).toBeNull()
  })

  it('a Bearer token holds only the characters of RFC 6750', () => {
    fc.assert(
      fc.property(anyText, (value) => {
        try {
          expect(
            readCredentials(requestWith({ authorization: [`Bearer ${value}`] }))?.token,
          ).toMatch(/^[\w\-.~+/]+=*$/)
        } catch (error) {
          expect(error).toMatchObject({ code: 'Unauthorized' })
        }
      }),
    )
  })

  it(
    'a login is understood or refused with issues, and an identifier that passes is the one ' +
      'that was sent',
    () => {
      const field = fc.oneof(anyText, fc.integer(), fc.boolean(), fc.constant(null), fc.object())
      const body = fc.record(
        { username: field, email: field, user: field, password: field, code: field },
        { requiredKeys: [] },
      )
      fc.assert(
        fc.property(body, (sent) => {
          try {
            const { identifier, password } = parseLoginRequest(sent, () => '')
            expect(sent[identifier.kind]).toBe(identifier.value)
            expect(identifier.value.normalize('NFKC')).toBe(identifier.value)
            expect(password).toBe(sent.password)
          } catch (error) {
            expect(error).toBeInstanceOf(AuthError)
            expect((error as AuthError).details?.['issues']).not.toHaveLength(0)
          }
        }),
      )
    },
  )

  it('base32 decodes to what encodes to it again, or to nothing', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, fc.stringMatching(/^[A-Za-z2-7]{1,40}={0,6}$/)), (text) => {
        const bytes = decodeBase32(text)
        if (bytes === null) return
        expect(bytes.length).toBeGreaterThan(0)
        // The last character may carry bits that no byte needs.
        expect(encodeBase32(bytes).slice(0, -1)).toBe(
          text.replace(/=+$/, '').toUpperCase().slice(0, -1),
        )
      }),
    )
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1 }),
        (bytes) => void expect(decodeBase32(encodeBase32(bytes))).toEqual(Buffer.from(bytes)),
      ),
    )
  })

  it('a recovery code is one or none', () => {
    fc.assert(
      fc.property(
        anyText,
        (text) =>
          void expect(recoveryCodeHash(text)).toSatisfy(
            (hash) => hash === null || /^[\w-]{43}$/.test(hash),
          ),
      ),
    )
  })

  it('an address has one network, the same for its whole /64', () => {
    fc.assert(fc.property(fc.ipV4(), (address) => void expect(networkOf(address)).toBe(address)))
    const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16))
    const four = fc.tuple(group, group, group, group)
    fc.assert(
      fc.property(four, four, four, (prefix, one, other) => {
        expect(networkOf([...prefix, ...one].join(':'))).toBe(
          networkOf([...prefix, ...other].join(':')),
        )
      }),
    )
  })
})

describe('whatever JSON arrives at a route', () => {
  it('the answer is one of ours, and the process goes on', async () => {
    const host = await startHost({
      options: { throttle: { network: { points: 100_000, duration: 60 } } },
    })
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('/login', '/auth/pkce/token', '/auth/pkce/authorize', '/logout'),
        fc.jsonValue(),
        async (path, body) => {
          const response = await post(host, path, body as object)
          expect([400, 401, 413, 429]).toContain(response.status)
          expect(response.headers['content-type']).toBe('application/json')
        },
      ),
      { numRuns: 150 },
    )
    expect(host.unforeseen).toEqual([])
  })
})
