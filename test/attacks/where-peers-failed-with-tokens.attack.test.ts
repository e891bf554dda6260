// How the tokens and one-time values of others were broken, one test each. See where-peers-failed.attack.test.ts.
import { createHmac, createPublicKey } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportSPKI, importJWK, type JWK, SignJWT } from 'jose'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type AuthorizationCodeRecord, generateSigningKey, joseSigner } from '../../src/index.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { totpCode } from '../../src/testing/totp-code.js'
import { type Answered, afterAttack } from '../support/after-attack.js'
import { bearer, get, logIn, obtainCode, pkcePair, post, remove } from '../support/client.js'
import { encryptionKey, password, startHost, type TestHost, totpSecret } from '../support/host.js'

const issuer = 'https://chat.example.com'
const audience = 'chat'
const encode = (part: unknown) => Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url')
const decode = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString())
const partsOf = (token: string) => token.split('.') as [string, string, string]

/** A host whose signing key is known here, and the claims of a session of alice's that is alive. */
async function startSigned() {
  const key = await generateSigningKey()
  const host = await startHost({ options: { signer: joseSigner({ issuer, audience, keys: [key] }) } })
  const { authToken } = await logIn(host)
  const [head, body, signature] = partsOf(authToken)
  return { host, key, authToken, header: decode(head), claims: decode(body), body, signature }
}

async function expectRefused(host: TestHost, tokens: readonly string[]): Promise<void> {
  const answers: Answered[] = []
  for (const token of tokens) {
    // The pair and not Bearer, whose grammar would refuse some of these before they are judged.
    const answer = await get(host, '/me', { 'X-User-Id': 'u-alice', 'X-Auth-Token': token })
    expect([token, answer.status]).toEqual([token, 401])
    answers.push(answer)
  }
  await afterAttack(host, answers)
}

describe('a token', () => {
  it('does not say how it is to be checked: none, in any case, and HMAC with the public key (CVE-2026-34950, CVE-2026-22817)', async () => {
    const { host, key, header, body, signature } = await startSigned()
    const nones = ['none', 'None', 'NONE', 'nOnE', '', null, ['none'], 0].flatMap((alg) => {
      const head = encode({ ...header, alg })
      return [`${head}.${body}.`, `${head}.${body}.${signature}`, `${head}.${body}`]
    })
    const { d: _private, ...publicJwk } = key as JWK
    const spki = await exportSPKI((await importJWK(publicJwk, 'ES256')) as never)
    const der = createPublicKey({ key: publicJwk as never, format: 'jwk' }).export({ type: 'spki', format: 'der' })
    const secrets = [spki, spki.trim(), der, JSON.stringify(publicJwk), String(key['x']), Buffer.alloc(0)]
    const confused = secrets.flatMap((secret) =>
      ['HS256', 'HS384', 'HS512'].map((alg) => {
        const signed = `${encode({ ...header, alg })}.${body}`
        return `${signed}.${createHmac(`sha${alg.slice(2)}`, secret)
          .update(signed)
          .digest('base64url')}`
      }),
    )
    await expectRefused(host, [...nones, ...confused])
  })

  it('brings no key, and no address of one that anybody would fetch (CVE-2018-0114, CVE-2026-35042)', async () => {
    const { host, header, claims } = await startSigned()
    let fetched = 0
    const server = createServer((_request, response) => {
      fetched += 1
      response.end('{"keys":[]}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`
    const evil = await generateSigningKey()
    const { d: _private, ...jwk } = evil as JWK
    const additions = [
      { jwk },
      { jku: url },
      { x5u: url },
      { x5c: ['AAAA'] },
      { kid: url },
      { kid: '../../etc/passwd' },
      { kid: evil.kid },
    ]
    const forged = additions.map(async (more) =>
      new SignJWT(claims).setProtectedHeader({ ...header, ...more }).sign(await importJWK(evil as JWK, 'ES256')),
    )
    await expectRefused(host, await Promise.all(forged))
    expect(fetched).toBe(0)
  })

  it('with a critical extension, or a compressed or unencoded payload, is refused though its signature is right (CVE-2026-35042)', async () => {
    const { host, key, header, claims } = await startSigned()
    const own = await importJWK(key as JWK, 'ES256')
    const sign = (more: object, crit: Record<string, boolean> = {}) =>
      new SignJWT(claims).setProtectedHeader({ ...header, ...more }).sign(own, { crit })
    const control = await get(host, '/me', bearer(await sign({})))
    expect(control.status).toBe(200)
    await expectRefused(host, [
      await sign({ crit: ['mfa'], mfa: true }, { mfa: true }),
      await sign({ crit: ['exp'], exp: 1 }, { exp: true }),
      await sign({ b64: true, crit: ['b64'] }),
      await sign({ zip: 'DEF' }),
      await sign({ cty: 'JWT' }),
      await sign({ enc: 'A256GCM' }),
    ])
  })

  it('in the shape of a JWE costs nothing: no key is derived, nothing decompressed (CVE-2022-36083, CVE-2024-28176)', async () => {
    const { host, header, body } = await startSigned()
    const costly = { alg: 'PBES2-HS512+A256KW', enc: 'A256GCM', p2c: 2_147_483_647, p2s: encode('salt'), zip: 'DEF' }
    const tokens = [costly, { ...header, ...costly }, { ...costly, kid: header.kid, typ: 'at+jwt' }, { alg: 'dir', enc: 'A256GCM' }]
      .map((head) => `${encode(head)}.${body}.${encode('iv')}.${body}.${encode('tag')}`)
      .concat(`${encode({ ...header, ...costly })}.${body}.${body}`)
    const before = process.cpuUsage()
    await expectRefused(host, tokens)
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(2000)
  })

  it('is remembered whole: none that begins or ends alike is taken for it (CVE-2026-35039)', async () => {
    const { host, authToken, body, header, claims } = await startSigned()
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
    const [head, , signature] = partsOf(authToken)
    const other = encode({ ...claims, sub: 'u-admin' })
    await expectRefused(host, [
      `${head}.${body}.${signature.slice(0, -2)}`,
      `${head}.${body}.${signature}${signature}`,
      `${head}.${body}.${'A'.repeat(86)}`,
      `${head}.${other}.${signature}`,
      `${encode({ ...header, alg: 'HS256' })}.${body}.${signature}`,
      `${authToken}.${signature}`,
      `${head}.${body}`,
    ])
  })

  it('that is spelt in another way dies with its session all the same: what ends is the session, not the text', async () => {
    const { host, authToken, body } = await startSigned()
    const [head, , signature] = partsOf(authToken)
    // The last of the 86 characters carries two bits of signature and four of nothing.
    const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'.indexOf(signature.at(-1) as string)
    const twin = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'[last ^ 1]
    const respelt = [`${head}.${body}.${signature.slice(0, -1)}${twin}`, `${authToken}=`, `${authToken}==`]
    for (const token of respelt) await get(host, '/me', bearer(token))
    await post(host, '/logout', undefined, bearer(authToken))
    await expectRefused(host, [authToken, ...respelt])
  })
})

describe('an authorization code', () => {
  it('is bound to a challenge: there is none without, and no verifier fits an empty one (CVE-2024-23647, CVE-2017-18924)', async () => {
    const host = await startHost()
    const { authToken } = await logIn(host)
    const code = await obtainCode(host, authToken)
    const { codeVerifier, codeChallenge, authorizationCode } = code
    const { find } = host.stores.codes
    const withChallenge = (challenge: unknown) => {
      host.stores.codes.find = async (hash) => {
        const row = await find(hash)
        return row && ({ ...row, codeChallenge: challenge } as AuthorizationCodeRecord)
      }
    }
    const answers: Answered[] = [await post(host, '/auth/pkce/authorize', {}, bearer(authToken))]
    for (const verifier of [undefined, '', codeChallenge.slice(1)]) {
      answers.push(await post(host, '/auth/pkce/token', { authorizationCode, codeVerifier: verifier }))
    }
    for (const challenge of ['', undefined, null, codeVerifier]) {
      withChallenge(challenge)
      const issued = await obtainCode(host, authToken)
      answers.push(await post(host, '/auth/pkce/token', { ...issued, codeVerifier }))
    }
    host.stores.codes.find = find
    expect(answers.filter(({ status }) => status === 200)).toEqual([])
    expect((await post(host, '/auth/pkce/token', code)).status).toBe(200)
    await afterAttack(host, answers)
  })

  it('knows no plain challenge: the challenge itself is no verifier, and showing it burns the code (CVE-2026-41213)', async () => {
    const host = await startHost()
    const { authToken } = await logIn(host)
    const code = await obtainCode(host, authToken)
    const plain = { ...code, codeVerifier: code.codeChallenge, code_challenge_method: 'plain', codeChallengeMethod: 'plain' }
    const answers = [await post(host, '/auth/pkce/token', plain), await post(host, '/auth/pkce/token', code)]
    expect(answers.map(({ body }) => body.error)).toEqual(['invalid_grant', 'invalid_grant'])
    await afterAttack(host, answers, [code.codeVerifier])
  })

  it('is worth nothing once the device that asked for it has been signed out, from wherever (CVE-2023-2193)', async () => {
    for (const how of ['the device', 'the host', 'another device'] as const) {
      const host = await startHost()
      const { authToken } = await logIn(host)
      const code = await obtainCode(host, authToken)
      const other = (await logIn(host)).authToken
      const { sid } = decode(partsOf(authToken)[1])
      if (how === 'the device') await post(host, '/logout', undefined, bearer(authToken))
      else if (how === 'the host') await host.auth.sessions.revoke(sid)
      else await remove(host, `/auth/sessions/${sid}`, bearer(other))
      const answer = await post(host, '/auth/pkce/token', code)
      expect([how, answer.body.error]).toEqual([how, 'invalid_grant'])
      expect((await get(host, '/me', bearer(other))).status).toBe(200)
      await afterAttack(host, answer)
    }
  })
})

/** Stores whose every call takes a few milliseconds, so that whoever reads and then writes is overtaken. */
function slowStores() {
  const slow = <Store extends object>(store: Store): Store => {
    const later = (method: unknown) =>
      typeof method !== 'function'
        ? method
        : async (...given: unknown[]) => {
            await new Promise((resolve) => setTimeout(resolve, 1 + (given.length % 4)))
            return method.apply(store, given)
          }
    return Object.fromEntries(Object.entries(store).map(([name, method]) => [name, later(method)])) as Store
  }
  const { codes, sessions, secondFactors, tickets } = memoryStores()
  return { codes: slow(codes), sessions: slow(sessions), secondFactors: slow(secondFactors), tickets: slow(tickets) }
}

describe('a one-time value sent to two servers at once', () => {
  async function twoServers() {
    const signer = joseSigner({ issuer, audience, keys: [await generateSigningKey()] })
    const limits = { points: 100, duration: 60 }
    const options = {
      ...slowStores(),
      signer,
      encryptionKeys: [encryptionKey],
      throttle: { account: limits, secondFactor: limits },
    }
    const [one, other] = [await startHost({ options }), await startHost({ options })]
    const race = (ask: (host: TestHost) => PromiseLike<Answered & { body: Record<string, unknown> }>) =>
      Promise.all(Array.from({ length: 30 }, (_, at) => ask(at % 2 === 0 ? one : other)))
    return { one, other, race }
  }
  const successes = (answers: readonly Answered[]) => answers.filter(({ status }) => status === 200)

  it('wins once: a code (CVE-2026-3590, GHSA-7w99-5wm4-3g79)', async () => {
    const { one, race } = await twoServers()
    const code = await obtainCode(one, (await logIn(one)).authToken)
    const answers = await race((host) => post(host, '/auth/pkce/token', code))
    expect(successes(answers)).toHaveLength(1)
    expect(await one.auth.sessions.list('u-alice')).toHaveLength(2)
    await afterAttack(one, answers)
  })

  it('has one successor: a refresh token (CVE-2026-1035, CVE-2026-53517, CVE-2026-50631)', async () => {
    const { one, race } = await twoServers()
    const { body } = await post(one, '/auth/pkce/token', await obtainCode(one, (await logIn(one)).authToken))
    const answers = await race((host) => post(host, '/auth/refresh', { refreshToken: body.refresh_token }))
    expect(new Set(successes(answers).map((answer) => (answer as (typeof answers)[0]).body['refresh_token'])).size).toBe(1)
    expect(await one.auth.sessions.list('u-alice')).toHaveLength(2)
    await afterAttack(one, answers)
  })

  it('opens one session: a recovery code, and the code of an authenticator app (CVE-2026-31875, GHSA-2299-ghjr-6vjp)', async () => {
    const { one, race } = await twoServers()
    const { recoveryCodes } = await one.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
    for (const code of [recoveryCodes[0] as string, totpCode(totpSecret, one.clock())]) {
      const answers = await race((host) => post(host, '/login', { username: 'alice', password, code }))
      expect(successes(answers)).toHaveLength(1)
      await afterAttack(one, answers, [code])
    }
    expect(await one.auth.secondFactors.status('u-alice')).toMatchObject({ recoveryCodesLeft: 9 })
  })
})

describe('a session id', () => {
  it('of somebody else’s gives no row away: the refusal is the same bytes as for one that was never there (CVE-2026-53725)', async () => {
    const host = await startHost()
    host.users.add({ id: 'u-bob', username: 'bob', passwordHash: host.users.rows.get('u-alice')?.passwordHash ?? null })
    await logIn(host)
    const bob = (await logIn(host, { username: 'bob', password })).authToken
    const [{ id } = { id: '' }] = await host.auth.sessions.list('u-alice')
    const drop = (which: string) => remove(host, `/auth/sessions/${which}`, bearer(bob))
    const [foreign, unknown] = [await drop(id), await drop(pkcePair().codeVerifier.slice(0, 22))]
    expect([foreign.status, foreign.text]).toEqual([404, unknown.text])
    expect(await host.auth.sessions.list('u-alice')).toHaveLength(1)
    await afterAttack(host, [foreign, unknown])
  })
})
