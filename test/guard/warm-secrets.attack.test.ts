// Named tokens and cookies at a guard that has let them in a moment ago, and answers from memory.
import { describe, expect, it, vi } from 'vitest'
import { bearer, logIn } from '../support/client.js'
import type { TestHost } from '../support/host.js'
import { makeToken } from '../support/named-tokens.js'
import { cookieName, ownPage, send, signInByPage, startPages } from '../support/pages.js'

/** How a secret is made, and shown at a route of the host's. */
interface Kind {
  readonly name: string
  readonly route: string
  readonly make: (host: TestHost) => Promise<string>
  readonly shown: (secret: string) => Record<string, string>
}

const kinds: readonly Kind[] = [
  {
    name: 'a named token',
    route: '/api',
    make: async (host) => (await makeToken(host, (await logIn(host)).authToken)).token,
    shown: bearer,
  },
  {
    name: 'a cookie',
    route: '/page',
    make: async (host) => (await signInByPage(host)).value,
    shown: (secret) => ({ ...ownPage, Cookie: `${cookieName}=${secret}` }),
  },
]

const split = (secret: string) => {
  const [start = '', end = ''] = secret.split('.')
  return { start, end }
}

describe.each(kinds)('$name that was let in a moment ago', ({ name, route, make, shown }) => {
  async function startWarm() {
    const host = await startPages({ options: { namedTokens: true } })
    const [secret, other] = [await make(host), await make(host)]
    const ask = (given: string) => send(host, 'GET', route, shown(given))
    for (const one of [secret, other])
      for (const _time of [1, 2]) expect((await ask(one)).status).toBe(200)
    const finds = vi.spyOn(host.stores.sessions, 'find')
    return { host, secret, other, ask, finds }
  }

  it('is let in from memory', async () => {
    const { secret, ask, finds } = await startWarm()
    expect((await ask(secret)).body).toMatchObject({ userId: 'u-alice' })
    expect(finds).not.toHaveBeenCalled()
  })

  it('lets in no other secret of its session, however near', async () => {
    const { secret, other, ask } = await startWarm()
    const { start, end } = split(secret)
    const forged = [
      `${start}.${'A'.repeat(end.length)}`,
      `${start}.${end.startsWith('A') ? 'B' : 'A'}${end.slice(1)}`,
      `${start}.${split(other).end}`,
      `${split(other).start}.${end}`,
    ]
    for (const one of forged) expect([one, (await ask(one)).status]).toEqual([one, 401])
    expect((await ask(secret)).status).toBe(200)
  })

  it('is no secret of the other kind', async () => {
    const { host, secret } = await startWarm()
    const asOther = name === 'a cookie' ? `mar_pat_${secret}` : secret.replace('mar_pat_', '')
    const answers = [
      await send(host, 'GET', '/api', bearer(asOther)),
      await send(host, 'GET', '/page', { ...ownPage, Cookie: `${cookieName}=${asOther}` }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([401, 401])
  })

  it('is refused in the request after its session has ended here', async () => {
    const { host, secret, ask } = await startWarm()
    await host.auth.sessions.revokeAllForUser('u-alice')
    expect((await ask(secret)).status).toBe(401)
  })
})

it('a named token that was let in a moment ago is let in from memory under its user’s name alone', async () => {
  const host = await startPages({ options: { namedTokens: true } })
  const { token } = await makeToken(host, (await logIn(host)).authToken)
  const ask = (userId: string) =>
    send(host, 'GET', '/api', { 'X-Auth-Token': token, 'X-User-Id': userId })
  for (const _time of [1, 2]) expect((await ask('u-alice')).status).toBe(200)
  const finds = vi.spyOn(host.stores.sessions, 'find')
  expect((await ask('u-alice')).status).toBe(200)
  expect(finds).not.toHaveBeenCalled()
  expect((await ask('u-bob')).status).toBe(401)
})
