// The cookie of a browser that nobody has signed in to: what it is, and what it cannot become.

import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { writeAnswer } from '../../src/http/answer.js'
import { createSessionCookie } from '../../src/http/cookies.js'
import type { AppsKit } from '../../src/oauth/apps-kit.js'
import { createKnownBrowser } from '../../src/pages/csrf.js'
import { readSessionSecret } from '../../src/tokens/session-secret.js'
import { kitOf } from '../support/kit-of.js'

const pre = '__Host-Http-mar_pre'
const session = '__Host-Http-mar_session'
const value = 'IBzMkG0tXVXnKUQcHPSTqA'
/** The same once more, under a name that goes by its first byte. */
const copyOf = (known: string) =>
  `_${((Buffer.from(known, 'base64url')[0] ?? 0) % 64).toString(16).padStart(2, '0')}`
const kept = `${value}.${'s'.repeat(43)}`

/** A server that knows browsers, and what it says of one that sends these cookies. */
async function startKnowing(origin = 'https://chat.example.com') {
  const page = new URL(origin)
  const browsers = createKnownBrowser(
    kitOf<AppsKit>({ pages: { cookie: createSessionCookie(page) }, baseUrl: page }),
  )
  const server = createServer((request, response) => {
    const of = browsers.of(request)
    const { browser: known, cookies } = browsers.ensure(request)
    const text = JSON.stringify({ of, known, hasSentAny: browsers.hasSentAny(request) })
    writeAnswer(response, { status: 200, text, headers: {}, cookies })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return async function visit(cookies: string | string[] = []) {
    const answer = await new Promise<IncomingMessage>((resolve) =>
      get({ port, host: '127.0.0.1', headers: { Cookie: cookies } }, resolve),
    )
    const text = (await answer.setEncoding('utf8').toArray()).join('')
    return { ...JSON.parse(text), set: answer.headers['set-cookie'] ?? null }
  }
}

describe('a browser that nobody has signed in to', () => {
  it('is given 128 random bits until it is closed, out of reach of scripts and other sites', async () => {
    const visit = await startKnowing()
    const first = await visit()
    expect(first).toEqual({
      of: null,
      hasSentAny: false,
      known: expect.stringMatching(/^[\w-]{22}$/),
      set: [
        `${pre}=${first.known}; Path=/; HttpOnly; SameSite=Lax; Secure`,
        `${pre}${copyOf(first.known)}=${first.known}; Path=/; HttpOnly; SameSite=Lax; Secure`,
      ],
    })
    expect((await visit()).known).not.toBe(first.known)
    expect(await visit(`${pre}=${first.known}`)).toEqual({
      of: first.known,
      hasSentAny: true,
      known: first.known,
      set: null,
    })
  })

  it('is known on a developer’s own machine, too, under a name of its own', async () => {
    const visit = await startKnowing('http://localhost:4700')
    const { known, set } = await visit(`${pre}=${value}`)
    expect(set).toEqual([
      `mar_pre_dev_4700=${known}; Path=/; HttpOnly; SameSite=Lax`,
      `mar_pre${copyOf(known)}_dev_4700=${known}; Path=/; HttpOnly; SameSite=Lax`,
    ])
    expect((await visit(`mar_pre_dev_4700=${value}`)).of).toBe(value)
    // Browsers send all cookies of a host to each of its ports.
    const theirs = await visit(`mar_pre_dev_4710=${value}; mar_pre_dev_4700=${'A'.repeat(22)}`)
    expect(theirs.of).toBe('A'.repeat(22))
    expect((await visit(`mar_pre_dev_47001=${value}; mar_pre_dev=${value}`)).of).toBeNull()
  })
})

describe('a browser that keeps a session', () => {
  it('is known by that, and its forms by the value that it has had before and keeps', async () => {
    const visit = await startKnowing()
    expect(await visit(`${pre}=${value}; ${session}=${kept}`)).toEqual({
      of: kept,
      hasSentAny: true,
      known: value,
      set: null,
    })
    const { of, known, set } = await visit(`${session}=${kept}`)
    const names = [pre, pre + copyOf(known)]
    expect([of, set]).toEqual([
      kept,
      names.map((name) => expect.stringContaining(`${name}=${known};`)),
    ])
    expect(known).toMatch(/^[\w-]{22}$/)
  })
})

describe('a value that is planted', () => {
  it.each<[string, string | string[]]>([
    ['twice in one header', `${pre}=${value}; ${pre}=BBBBBBBBBBBBBBBBBBBBBB`],
    ['twice the same', `${pre}=${value}; ${pre}=${value}`],
    ['in two headers', [`${pre}=${value}`, `${pre}=BBBBBBBBBBBBBBBBBBBBBB`]],
    ['under the name of a developer’s machine', `mar_pre_dev=${value}`],
    ['without the prefix', `mar_pre=${value}`],
    ['in other letters', `${pre.toLowerCase()}=${value}`],
    ['that is too short', `${pre}=${value.slice(1)}`],
    ['that is too long', `${pre}=${value}A`],
    ['that has the form of a session', `${pre}=${kept}`],
    ['that is empty', `${pre}=`],
    ['in quotes', `${pre}="${value.slice(2)}"`],
    ['with a character of another alphabet', `${pre}=${value.slice(1)}%`],
  ])('counts as not sent: %s', async (_name, cookies) => {
    const visit = await startKnowing()
    const { of, known, set } = await visit(cookies)
    expect(of).toBeNull()
    expect(known).toMatch(/^[\w-]{22}$/)
    expect(known).not.toBe(value)
    expect(set).toHaveLength(2)
  })

  it('is never the secret of a session', async () => {
    const visit = await startKnowing()
    const { known } = await visit()
    expect(readSessionSecret('browser', known)).toBeNull()
    expect(readSessionSecret('browser', value)).toBeNull()
  })
})
