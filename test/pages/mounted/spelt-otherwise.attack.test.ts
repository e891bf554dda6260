// Addresses of the pages that are spelt otherwise, as proxies and routers read them in different
// ways. Each has the rules of the one that it stands for, or is no address.
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { addressOf, consentForm, effectsIn, signIn } from './forms.js'
import { type MountedHost, queryOf, startMounted, wiki } from './mounted-host.js'
import { formOf, openVisitor, type Visitor } from './visitor.js'

const spellings: readonly ((page: string) => string)[] = [
  (page) => `/API/v1/oauth/${page}`,
  (page) => `/api/v1/OAUTH/${page}`,
  (page) => `/api/v1/oauth/${page.toUpperCase()}`,
  (page) => `/api/v1//oauth/${page}`,
  (page) => `/api/v1/oauth//${page}`,
  (page) => `//api/v1/oauth/${page}`,
  (page) => `/api/v1/oauth/${page}/`,
  (page) => `/api/v1/%6fauth/${page}`,
  (page) => `/api/v1/oauth/%${page.charCodeAt(0).toString(16)}${page.slice(1)}`,
  (page) => `/api/v1/oauth%2f${page}`,
  (page) => `/api/v1/oauth\\${page}`,
  (page) => `/api/v1/oauth/./${page}`,
  (page) => `/api/v1/x/../oauth/${page}`,
  (page) => `/api/v1/oauth/assets/../${page}`,
  (page) => `/api/v1/oauth/assets/%2e%2e%2f${page}`,
  (page) => `/api/v1/oauth/${page};x`,
  (page) => `/api/v1/oauth/${page}%00`,
  (page) => `/api/v1/oauth/${page}%20`,
  (page) => `/api/v1/oauth/${page}%23`,
  (page) => `/api/v1/oauth/${page}%3f`,
]

/** What a server sends for these lines; no client puts them in order before. */
async function lines(host: MountedHost, ...head: string[]): Promise<string> {
  const socket = connect(Number(new URL(host.origin).port), '127.0.0.1')
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  return text(socket)
}

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1])
// On plain HTTP the port stands in the names.
const cookiesOf = ({ cookies }: Visitor, { origin }: MountedHost) =>
  [...cookies].map(([name, value]) => `${name}_${new URL(origin).port}=${value}`).join('; ')

describe('An address that is spelt otherwise', () => {
  it('brings no code to what a page of somebody else embeds', async () => {
    const host = await startMounted()
    const visitor = openVisitor(host)
    await signIn(visitor, host, 'alice')
    const ask = (path: string, ...said: string[]) =>
      lines(
        host,
        `GET ${path}?${queryOf(wiki, { prompt: 'none' })} HTTP/1.1`,
        'Host: chat.example.com',
        'Connection: close',
        `Cookie: ${cookiesOf(visitor, host)}`,
        ...said,
      )
    const link = [
      'Sec-Fetch-Site: cross-site',
      'Sec-Fetch-Mode: navigate',
      'Sec-Fetch-Dest: document',
    ]
    const embedded = [
      'Sec-Fetch-Site: cross-site',
      'Sec-Fetch-Mode: no-cors',
      'Sec-Fetch-Dest: image',
    ]
    // Otherwise the others would prove nothing.
    expect(await ask('/api/v1/oauth/authorize', ...link)).toMatch(/[?&]code=mar_oc_/)
    for (const spelt of spellings) {
      const answer = await ask(spelt('authorize'), ...embedded)
      expect([spelt('authorize'), statusOf(answer)]).toEqual([
        spelt('authorize'),
        expect.toBeOneOf([303, 400, 404]),
      ])
      expect(answer).not.toMatch(/code=mar_oc_/)
    }
  })

  it('takes no form that a page of somebody else lays before a user', async () => {
    const host = await startMounted()
    const visitor = openVisitor(host)
    const page = await consentForm.reach(visitor, host)
    const { action, fields } = formOf(page)
    const body = new URLSearchParams({ ...fields, choice: 'allow' }).toString()
    const before = await effectsIn(host)
    host.clock.advance(1)
    for (const spelt of spellings) {
      const answer = await lines(
        host,
        `POST ${spelt('consent')}${new URL(action).search} HTTP/1.1`,
        'Host: chat.example.com',
        'Connection: close',
        `Cookie: ${cookiesOf(visitor, host)}`,
        'Sec-Fetch-Site: cross-site',
        'Origin: https://evil.example',
        'Content-Type: application/x-www-form-urlencoded',
        `Content-Length: ${body.length}`,
        '',
        body,
      )
      expect([spelt('consent'), statusOf(answer)]).toEqual([
        spelt('consent'),
        expect.toBeOneOf([400, 403, 404, 405]),
      ])
      expect(await effectsIn(host)).toEqual(before)
    }
    expect((await visitor.fill(page, { choice: 'allow' })).heading).toBe('One moment')
  })

  it.each([
    [
      'with its host in front',
      (host: MountedHost, to: string) => [
        `GET ${to.replace(host.origin, 'http://evil.example')} HTTP/1.1`,
        'Host: evil.example',
        'Connection: close',
      ],
    ],
    [
      'in HTTP/1.0, without any host',
      (host: MountedHost, to: string) => [`GET ${to.replace(host.origin, '')} HTTP/1.0`],
    ],
  ])('%s leads to the pages where they are', async (_how, head) => {
    const host = await startMounted()
    const answer = await lines(host, ...head(host, addressOf(host, 'authorize')))
    expect(statusOf(answer)).toBeOneOf([303, 404])
    expect(answer).not.toContain('evil.example')
    if (statusOf(answer) === 303) expect(answer).toContain(`Location: ${host.base}/oauth/sign-in?`)
  })
})

describe('A wrong password on the page', () => {
  it('is answered in the same way whether somebody has that name or not', async () => {
    const host = await startMounted()
    const seen = new Map<string, string[]>()
    for (const name of ['alice', 'nobody', 'dora', 'bob', 'carol', '__proto__']) {
      const visitor = openVisitor(host)
      const page = await visitor.open(addressOf(host, 'authorize'))
      const answer = await visitor.post(page, { username: name, password: 'wrong' })
      const markup = answer.text
        .replaceAll(name, 'NAME')
        .replaceAll(formOf(answer).fields['csrf'] ?? '', 'TOKEN')
      const {
        date: _date,
        'x-request-id': _id,
        'content-length': _length,
        ...rest
      } = answer.headers
      const told = JSON.stringify([answer.status, Object.entries(rest).sort(), markup])
      seen.set(told, [...(seen.get(told) ?? []), name])
    }
    expect([...seen.values()]).toHaveLength(1)
  })
})
