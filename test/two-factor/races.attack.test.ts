import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import supertest from 'supertest'
import { describe, expect, it, onTestFinished } from 'vitest'
import { generateSigningKey } from '../../src/index.js'
import { totpCode } from '../../src/testing/totp-code.js'
import { bearer, get, logIn, post } from '../support/client.js'
import { databaseKind, openDatabase, type TestDatabase } from '../support/databases.js'
import { encryptionKey, password, startHost, totpSecret } from '../support/host.js'
import {
  attempt,
  begin,
  change,
  codeOf,
  confirm,
  confirmation,
  disabling,
  enrolled,
  expectAnswer,
  expectUnharmed,
  methodsOf,
  noon,
  regeneration,
} from '../support/two-factor.js'

const plenty = { points: 1000, duration: 900 }
const throttle = { account: plenty, network: plenty, secondFactor: plenty }
const atOnce = <T>(count: number, ask: (i: number) => PromiseLike<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => ask(i)))
const won = (answers: readonly { status: number }[]) =>
  answers.filter(({ status }) => status === 200)

describe('one code shown 50 times at once', () => {
  it.each(['TOTP code', 'recovery code'])(
    'a %s: over login, switching off and new recovery codes, it works once',
    async (kind) => {
      const { host, token, secret, recoveryCodes } = await enrolled({ options: { throttle } })
      const code = kind === 'TOTP code' ? codeOf(host, secret) : (recoveryCodes[0] as string)
      const paths = [regeneration, disabling]
      const answers = await atOnce(50, (i) =>
        i % 3 === 2 ? attempt(host, code) : change(host, paths[i % 3] as string, token, code),
      )
      expect(won(answers)).toHaveLength(1)
      for (const { status } of answers) expect([200, 401, 409]).toContain(status)
      await host.auth.secondFactors.reset('u-alice')
      await expectUnharmed(host, undefined, secret, ...recoveryCodes)
    },
  )

  it('ten recovery codes are good for ten logins of 100', async () => {
    const { host, secret, recoveryCodes } = await enrolled({ options: { throttle } })
    expect(won(await atOnce(100, (i) => attempt(host, recoveryCodes[i % 10])))).toHaveLength(10)
    expect(await host.auth.secondFactors.status('u-alice')).toEqual({
      enabled: true,
      recoveryCodesLeft: 0,
    })
    await expectUnharmed(host, codeOf(host, secret), secret, ...recoveryCodes)
  })

  it('20 begins at once leave one seed that can be confirmed', async () => {
    const host = await startHost({ now: noon, options: { throttle } })
    const { authToken: token } = await logIn(host)
    const secrets = await atOnce(20, () => begin(host, token))
    expect(new Set(secrets).size).toBe(20)
    const answers = await atOnce(20, (i) =>
      post(host, confirmation, { code: codeOf(host, secrets[i] as string) }, bearer(token)),
    )
    expect(won(answers)).toHaveLength(1)
    const winner = secrets[answers.findIndex(({ status }) => status === 200)] as string
    host.clock.advance(30)
    await expectUnharmed(host, codeOf(host, winner), ...secrets)
  })

  it('a login at the moment of the first code does not outlive it without the factor', async () => {
    for (let round = 0; round < 10; round += 1) {
      const host = await startHost({ now: noon, options: { throttle } })
      const { authToken: token } = await logIn(host)
      const secret = await begin(host, token)
      const [, ...logins] = await Promise.all([
        confirm(host, token, secret),
        ...Array.from({ length: 4 }, () => attempt(host)),
      ])
      const live = await host.stores.sessions.listForUser('u-alice', host.clock())
      // Whoever was let in before the factor was there is out; whoever came later was asked for it.
      for (const login of won(logins) as typeof logins) {
        expectAnswer(await get(host, '/me', bearer(login.body.data.authToken)), 401, 'Unauthorized')
      }
      expect(live.map(({ methods }) => methods)).toEqual([['pwd', 'otp']])
    }
  })
})

const postgres = databaseKind('PostgreSQL')

/** Two servers on one database. */
async function startProcesses(database: TestDatabase): Promise<string[]> {
  const script = new URL('../support/two-factor-process.mjs', import.meta.url)
  const signingKey = JSON.stringify(await generateSigningKey())
  const processes = [0, 1].map(() => fork(script, [database.prefix, encryptionKey, signingKey]))
  onTestFinished(async () => {
    await Promise.all(processes.map(endOf))
  })
  return Promise.all(
    processes.map(async (process) => {
      const [{ port }] = (await once(process, 'message')) as [{ port: number }]
      return `http://127.0.0.1:${port}/api/v1`
    }),
  )
}

async function endOf(process: ChildProcess): Promise<void> {
  if (process.exitCode !== null) return
  const ended = once(process, 'exit')
  process.disconnect()
  await ended
}

describe.skipIf(postgres?.open == null)(
  'one code shown 50 times at once to two processes on one PostgreSQL',
  () => {
    it('works once: five TOTP codes and five recovery codes', async () => {
      const database = await openDatabase(postgres as NonNullable<typeof postgres>, {
        connections: 5,
      })
      onTestFinished(database.close)
      const { keys: _keys, ...stores } = database.stores
      const host = await startHost({ options: stores })
      const { recoveryCodes } = await host.auth.secondFactors.importTotp({
        userId: 'u-alice',
        secret: totpSecret,
      })
      const urls = await startProcesses(database)
      const race = (code: string) =>
        atOnce(50, (i) =>
          supertest(urls[i % 2] as string)
            .post('/login')
            .send({ username: 'alice', password, code }),
        )
      const winners: number[] = []
      for (const code of recoveryCodes.slice(0, 5)) winners.push(won(await race(code)).length)
      // Steps in ascending order around now, each of them good once. The second one is first only
      // where the clock has moved on.
      const now = Date.now()
      for (const step of [-1, 0, 1])
        winners.push(won(await race(totpCode(totpSecret, new Date(now + step * 30_000)))).length)
      expect(winners.slice(0, 5)).toEqual([1, 1, 1, 1, 1])
      for (const count of winners.slice(5)) expect(count).toBeLessThanOrEqual(1)
      expect(winners.slice(6).reduce((sum, count) => sum + count, 0)).toBe(2)
      expect(await host.auth.secondFactors.status('u-alice')).toEqual({
        enabled: true,
        recoveryCodesLeft: 5,
      })
    })

    it(
      'lets sessions of the one that the other ends no further, and the confirming one go on in ' +
        'both',
      async () => {
        const database = await openDatabase(postgres as NonNullable<typeof postgres>, {
          connections: 5,
        })
        onTestFinished(database.close)
        const [one = '', other = ''] = await startProcesses(database)
        const signIn = async (url: string) => {
          const { body } = await supertest(url).post('/login').send({ username: 'alice', password })
          return body.data.authToken as string
        }
        const [mine, theirs] = [await signIn(one), await signIn(other)]
        const begun = await supertest(one).post('/auth/totp').set(bearer(mine)).send({ password })
        const code = totpCode(begun.body.data.secret, new Date())
        expect(
          (await supertest(other).post('/auth/totp/confirm').set(bearer(mine)).send({ code }))
            .status,
        ).toBe(200)
        expect((await supertest(other).get('/me').set(bearer(theirs))).status).toBe(401)
        for (const url of [one, other])
          expect((await supertest(url).get('/me').set(bearer(mine))).status).toBe(200)
        expect(
          (await supertest(one).post('/login').send({ username: 'alice', password })).body.error,
        ).toBe('totp-required')
      },
    )
  },
)

describe('switching off, twice at once by two codes', () => {
  const failures = [
    ['is refused', 409, () => {}],
    ['fails', 503, () => Promise.reject(new Error('the database is gone'))],
  ] as const

  it.each(failures)('leaves no session that claims a factor when one %s', async (...failure) => {
    const [, status, fail] = failure
    const { host, token, secret, recoveryCodes } = await enrolled()
    const { secondFactors, sessions } = host.stores
    const { deactivate } = secondFactors
    // The second one comes from beginning to end while the first one is about to write.
    secondFactors.deactivate = async (...given) => {
      secondFactors.deactivate = deactivate
      expectAnswer(await change(host, disabling, token, recoveryCodes[0] as string), 200)
      await fail()
      return deactivate(...given)
    }
    expectAnswer(await change(host, disabling, token, codeOf(host, secret)), status)
    expect(await methodsOf(sessions, host.clock())).toEqual([['pwd']])
  })

  it('gives the session its factor back where the write failed and nothing else came', async () => {
    const { host, token, secret } = await enrolled()
    const { secondFactors, sessions } = host.stores
    const { deactivate } = secondFactors
    secondFactors.deactivate = () => Promise.reject(new Error('the database is gone'))
    expectAnswer(await change(host, disabling, token, codeOf(host, secret)), 503)
    secondFactors.deactivate = deactivate
    expect(await methodsOf(sessions, host.clock())).toEqual([['pwd', 'otp']])
  })
})
