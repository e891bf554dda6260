// A table of users that throws, hangs or answers nonsense, behind each request of accounts: the
// answer is 503 or what the request can say without it, never another error of the server; nothing
// of the table's own words is told; and once it is mended, the same user signs in.
import { describe, expect, it } from 'vitest'
import type { UserStore } from '../../src/index.js'
import { expectCommon, expectNothingTold } from '../support/after-attack.js'
import { bearer, get, logIn, post } from '../support/client.js'
import { password } from '../support/host.js'
import { tokenIn } from '../support/mounted-accounts.js'
import { testUsers } from '../support/users.js'
import { type AccountHost, newPassword, tokenFor } from './account-host.js'
import { codeFor, factorPath, withFactor } from './email-factor-host.js'

type Broken = 'findContact' | 'updateEmail' | 'markEmailVerified' | 'setEmailFactor'

const secret = 'hunter2 at mail.example'

const fail = () => {
  throw new Error(secret)
}
const throwing = new Proxy(
  {},
  { get: fail, has: fail, ownKeys: fail, getOwnPropertyDescriptor: fail },
)

/** What any of them may do. */
const misdeeds: [string, () => unknown][] = [
  ['throws', fail],
  ['rejects', () => Promise.reject(new Error(secret))],
  ['hangs', () => new Promise(() => {})],
  ...[undefined, 'yes', throwing, { outcome: secret }].map((answer, i): [string, () => unknown] => [
    `answers nonsense, number ${i}`,
    async () => answer,
  ]),
]

/** What `findContact` may answer besides. */
const contacts: [string, () => unknown][] = [
  { email: 'alice@example.com', emailVerified: 'true', emailFactor: true },
  { email: 'alice@example.com', emailVerified: Promise.resolve(true) },
  { email: 'alice@example.com\r\nBcc: eve@mail.example', emailVerified: true },
  { email: `${'a'.repeat(100_000)}@mail.example`, emailVerified: true, emailFactor: true },
  { email: 'alice@example.com', emailVerified: true, locale: 'x'.repeat(100_000) },
].map((answer, i) => [`answers nonsense about the contact, number ${i}`, async () => answer])

/** A request, with all that it needs, while the table still works. */
type Prepare = (host: AccountHost) => Promise<() => PromiseLike<{ status: number }>>

const asAlice = async (host: AccountHost) => bearer((await logIn(host)).authToken)

async function confirming(
  host: AccountHost,
  path: string,
  body: object,
  kind: 'verify-address' | 'change-address',
) {
  const headers = await asAlice(host)
  const asked = await post(host, `/auth/email/${path}`, body, headers).expect(202)
  const code = (await host.mailed(kind)).at(-1)?.code
  const confirmed = { requestId: asked.body.data.requestId, code }
  return () => post(host, '/auth/email/confirm', confirmed, headers)
}

const changing: Prepare = (host) =>
  confirming(host, 'change', { email: 'new@example.org', password }, 'change-address')

const requests: Record<string, readonly [Prepare, ...Broken[]]> = {
  'GET /auth/email': [
    async (host) => {
      const headers = await asAlice(host)
      return () => get(host, '/auth/email', headers)
    },
    'findContact',
  ],
  'POST /auth/email/verify': [
    async (host) => {
      const headers = await asAlice(host)
      host.users.change('u-alice', { emailVerified: false })
      return () => post(host, '/auth/email/verify', {}, headers)
    },
    'findContact',
  ],
  'POST /auth/email/confirm of the present address': [
    async (host) => {
      host.users.change('u-alice', { emailVerified: false })
      return confirming(host, 'verify', {}, 'verify-address')
    },
    'markEmailVerified',
  ],
  'POST /auth/email/change': [
    async (host) => {
      const headers = await asAlice(host)
      return () => post(host, '/auth/email/change', { email: 'new@example.org', password }, headers)
    },
    'findContact',
  ],
  'POST /auth/email/confirm of a new address': [changing, 'findContact', 'updateEmail'],
  'POST /auth/email/undo': [
    async (host) => {
      await (await changing(host))()
      const token = tokenIn((await host.mailed('address-changed')).at(-1)?.url)
      return () => post(host, '/auth/email/undo', { token, password: newPassword })
    },
    'findContact',
    'updateEmail',
  ],
  'POST /auth/email/second-factor': [
    async (host) => {
      const headers = await asAlice(host)
      return () => post(host, factorPath, { enabled: true }, headers)
    },
    'findContact',
    'setEmailFactor',
  ],
  'POST /login': [
    async (host) => {
      host.users.change('u-alice', { emailFactor: true })
      return () => post(host, '/login', { username: 'alice', password })
    },
    'findContact',
  ],
  'POST /login with a code': [
    async (host) => {
      host.users.change('u-alice', { emailFactor: true })
      const code = await codeFor(host)
      return () => post(host, '/login', { username: 'alice', password, code })
    },
    'findContact',
  ],
  'POST /auth/password/reset': [
    async (host) => {
      const token = await tokenFor(host)
      return () => post(host, '/auth/password/reset', { token, password: newPassword })
    },
    'findContact',
    'markEmailVerified',
  ],
  'POST /auth/password/forgot': [
    async (host) => () => post(host, '/auth/password/forgot', { username: 'alice' }),
    'findContact',
  ],
  'POST /auth/password/change': [
    async (host) => {
      const headers = await asAlice(host)
      return () => post(host, '/auth/password/change', { newPassword, password }, headers)
    },
    'findContact',
  ],
}

const cases = Object.entries(requests).flatMap(([name, [prepare, ...methods]]) =>
  methods.flatMap((method) =>
    [...misdeeds, ...(method === 'findContact' ? contacts : [])].map(
      ([what, misdeed]) => [name, method, what, prepare, misdeed] as const,
    ),
  ),
)

describe('a table of users that misbehaves', () => {
  it.each(cases)('in %s: %s %s', async (_name, method, _what, prepare, misdeed) => {
    const { host, tamper } = await startBroken()
    const ask = await prepare(host)
    tamper(method, misdeed)
    const { status, ...answer } = (await ask()) as Awaited<ReturnType<typeof post>>
    await host.mailed('reset-password')
    tamper(method, null)
    if (status >= 500) expect({ status, text: answer.text }).toMatchObject({ status: 503 })
    expectCommon(answer as never)
    expect(host.unforeseen).toEqual([])
    expectNothingTold(host, [password, newPassword, secret, 'eve@mail.example'])
    host.users.change('u-alice', { emailFactor: false })
    const isReset = host.users.rows.get('u-alice')?.passwordHash !== aliceHash(host)
    await logIn(host, { username: 'alice', password: isReset ? newPassword : password })
    expect(host.mails.filter(({ to }) => /eve|\r/.test(to))).toEqual([])
  })

  it.each(misdeeds)(
    'findContact %s: nobody signs in without the second factor',
    async (_what, misdeed) => {
      const { host, tamper } = await startBroken()
      host.users.change('u-alice', { emailFactor: true })
      tamper('findContact', misdeed)
      const { status } = await post(host, '/login', { username: 'alice', password })
      // Null is the one answer that says there is nobody to mail.
      if (!isNobody(await misdeedAnswer(misdeed))) expect(status).toBe(503)
    },
  )
})

const hashes = new WeakMap<AccountHost, string | null>()
const aliceHash = (host: AccountHost) => hashes.get(host) ?? null

/** A router whose table of users can be tampered with, one method at a time. */
async function startBroken() {
  let broken: [Broken, () => unknown] | null = null
  const users = testUsers()
  const tampered: UserStore = { ...users }
  for (const method of [
    'findContact',
    'updateEmail',
    'markEmailVerified',
    'setEmailFactor',
  ] as const) {
    const real = users[method] as (...given: unknown[]) => unknown
    Object.assign(tampered, {
      [method]: (...given: unknown[]) => (broken?.[0] === method ? broken[1]() : real(...given)),
    })
  }
  const started = await withFactor({ options: { users: tampered, storeTimeout: 1000 } })
  for (const user of started.users.rows.values()) users.add(user)
  const host: AccountHost = { ...started, users }
  hashes.set(host, users.rows.get('u-alice')?.passwordHash ?? null)
  const tamper = (method: Broken, misdeed: (() => unknown) | null) => {
    broken = misdeed && [method, misdeed]
  }
  return { host, tamper }
}

const isNobody = (answer: unknown) => answer === null || answer === undefined

async function misdeedAnswer(misdeed: () => unknown): Promise<unknown> {
  try {
    return await Promise.race([misdeed(), new Promise((resolve) => setTimeout(resolve, 1, 'none'))])
  } catch {
    return 'none'
  }
}
