// What goes with every answer at the addresses of the pages, whatever is sent there, and what
// methods, bodies and headers that no browser sends come to.
import '../../support/steps.js'
import { describe, expect, it } from 'vitest'
import { password } from '../../support/host.js'
import { stepsUntil } from '../../support/steps.js'
import { addressOf, csrfOf, effectsIn, forms, signInForm } from './forms.js'
import { type MountedHost, queryOf, startMounted, tracker, wiki } from './mounted-host.js'
import { formOf, type HeaderChange, openVisitor, type PageAnswer, wayTo } from './visitor.js'

const pages = ['authorize', ...forms.map(({ page }) => page)]

/** No answer may be put into a frame, kept, taken for something else or read by another origin. */
function expectGuarded({ url, headers, text, status }: PageAnswer, method: string): void {
  const where = `${method} ${status} ${url}`
  const policy = headers['content-security-policy'] ?? ''
  expect([where, policy.includes("frame-ancestors 'none'")]).toEqual([where, true])
  expect([where, policy.includes("default-src 'none'")]).toEqual([where, true])
  expect([where, policy.includes('unsafe')]).toEqual([where, false])
  expect([where, headers['x-content-type-options']]).toEqual([where, 'nosniff'])
  if (headers['content-type']?.startsWith('text/html') === true) {
    expect([where, headers['x-frame-options']]).toEqual([where, 'DENY'])
    expect([where, headers['referrer-policy']]).toEqual([where, 'same-origin'])
    expect([where, headers['vary']]).toEqual([where, 'Cookie, Accept-Language'])
  }
  expect([where, headers['cache-control']]).toEqual([where, 'no-store'])
  expect([where, Object.keys(headers).filter((name) => /^access-control/.test(name))]).toEqual([
    where,
    [],
  ])
  expect([where, /\n\s+at |node_modules/.test(text)]).toEqual([where, false])
}

function expectStatus({ url, status, text }: PageAnswer, method: string): void {
  if (method === 'HEAD') expect([url, status < 500, text]).toEqual([url, true, ''])
  else if (method === 'POST') expect([url, status < 500]).toEqual([url, true])
  else expect([url, status]).toEqual([url, 405])
}

describe('Every answer', () => {
  it.each(['HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])(
    'to %s is guarded, with and without a session, and nothing comes of it',
    async (method) => {
      const host = await startMounted()
      const [visitor, user] = [openVisitor(host), openVisitor(host)]
      const page = await signInForm.reach(user, host)
      await user.fill(page, signInForm.typed(page, host))
      const before = await effectsIn(host)
      // What looks like a link of another site has the cookie read.
      const elsewhere = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }
      const headers = method === 'HEAD' ? {} : elsewhere
      for (const address of pages.map((name) => addressOf(host, name)))
        for (const who of [visitor, user]) {
          const answer = await who.get(address, headers, method)
          expectGuarded(answer, method)
          expectStatus(answer, method)
        }
      expect(await effectsIn(host)).toEqual(before)
    },
  )

  it('that is an error is guarded, and leads nowhere that the request names', async () => {
    const host = await startMounted()
    const visitor = openVisitor(host)
    const evil = 'https://evil.example/cb'
    for (const page of pages)
      for (const query of [
        '',
        queryOf(wiki, { client_id: 'nobody' }),
        queryOf(wiki, { redirect_uri: evil }),
        `${queryOf(wiki)}&redirect_uri=${encodeURIComponent(evil)}`,
        `then=${encodeURIComponent(evil)}`,
        `then=account&redirect_uri=${encodeURIComponent(evil)}`,
        'then=//evil.example',
        `${queryOf(wiki)}&state=${'a'.repeat(5000)}`,
        '%',
        '&&&=&==',
      ]) {
        const answer = await visitor.get(addressOf(host, page, query))
        expectGuarded(answer, 'GET')
        const isSignOut = page === 'sign-out' && answer.status === 200
        expect([page, query.slice(0, 60), isSignOut ? 400 : answer.status]).toEqual([
          page,
          query.slice(0, 60),
          400,
        ])
        expect(answer.headers.location).toBeUndefined()
        expect(answer.text).not.toContain('evil.example')
      }
  })
})

describe.each(forms)('The form of $page', ({ page }) => {
  it.each([
    ['no cookie', {}],
    [
      'the cookie of no session',
      { Cookie: `mar_session_dev=AAAAAAAAAAAAAAAAAAAAAA.${'A'.repeat(43)}` },
    ],
    ['the cookie of a browser', { Cookie: `mar_pre_dev=${'A'.repeat(22)}` }],
    ['a cookie of nonsense', { Cookie: 'mar_session_dev=; mar_pre_dev=%00' }],
  ])('is answered where a program sends it with %s', async (_what, headers) => {
    const host = await startMounted()
    const program = openVisitor(host)
    const before = await effectsIn(host)
    for (const query of [queryOf(wiki), queryOf(tracker), queryOf(wiki, { prompt: 'none' })])
      for (const body of ['', 'csrf=x&choice=allow&username=alice&password=x&code=000000']) {
        const address = addressOf(host, page, page === 'sign-out' ? '' : query)
        const answer = await program.send(address, body, headers)
        expectGuarded(answer, 'POST')
        expect(answer.status).toBeLessThan(500)
        expect(['', 'Sign in', 'One moment', 'You are signed out']).toContain(answer.heading)
      }
    expect(await effectsIn(host)).toEqual(before)
  })
})

describe('An address that a request names', () => {
  const lies: HeaderChange = {
    Host: 'evil.example',
    'X-Forwarded-Host': 'evil.example',
    'X-Forwarded-Proto': 'gopher',
    'X-Forwarded-Prefix': '/evil',
    Forwarded: 'host=evil.example;proto=https',
    'X-Original-Url': '/evil',
    'X-Rewrite-Url': '/evil',
  }

  it.each(forms)('by Host and the headers of proxies is in no page: $page', async (form) => {
    const host = await startMounted()
    const visitor = openVisitor(host)
    const { url } = await form.reach(visitor, host)
    for (const at of [url, addressOf(host, 'authorize')]) {
      const page = await visitor.get(at, lies)
      expect(page.text + String(page.headers.location)).not.toMatch(/evil|gopher/)
      if (page.status === 200 && form.page !== 'sign-out')
        expect(formOf(page).action).toMatch(`${host.base}/oauth/`)
    }
  })

  it.each(['then', 'next', 'return_to', 'redirect', 'RelayState', 'post_logout_redirect_uri'])(
    'by %s is not where anybody is sent',
    async (name) => {
      const host = await startMounted()
      const visitor = openVisitor(host)
      const query = `${queryOf(wiki)}&${name}=${encodeURIComponent('https://evil.example/')}`
      const page = await visitor.open(addressOf(host, 'authorize', query))
      const way = wayTo(await visitor.fill(page, signInForm.typed(page, host)))
      expect(way?.origin).toBe('https://wiki.example.com')
    },
  )
})

describe('A form that no browser sends', () => {
  const json = { 'Content-Type': 'application/json' }

  async function opened() {
    const host = await startMounted()
    const visitor = openVisitor(host)
    const page = await signInForm.reach(visitor, host)
    return { host, visitor, page, action: formOf(page).action, csrf: csrfOf(page) }
  }

  it('is refused by its size, before it is read', async () => {
    const { host, visitor, action, csrf } = await opened()
    const before = await effectsIn(host)
    const body = `csrf=${csrf}&username=alice&password=${'x'.repeat(9000)}`
    const answer = await visitor.send(action, body)
    expectGuarded(answer, 'POST')
    expect([answer.status, answer.heading]).toEqual([413, 'This does not work'])
    expect(await effectsIn(host)).toEqual(before)
  })

  it('is refused where a field is there twice', async () => {
    const { host, visitor, action, csrf } = await opened()
    const right = `csrf=${csrf}&username=alice&password=${encodeURIComponent(password)}`
    for (const more of ['&username=dora', '&password=x', `&csrf=${csrf}`, '&stay=yes&stay=']) {
      const answer = await visitor.send(action, right + more)
      expectGuarded(answer, 'POST')
      expect([more, answer.status]).toEqual([more, 400])
    }
    expect((await visitor.send(action, right)).status).toBe(303)
    expect(host.host().unforeseen).toEqual([])
  })

  it.each(['multipart/form-data; boundary=x', 'text/plain', 'application/xml', ''])(
    'is refused by its type: %s',
    async (type) => {
      const { visitor, action, csrf } = await opened()
      const body = `csrf=${csrf}&username=alice&password=${encodeURIComponent(password)}`
      const headers = { 'Content-Type': type === '' ? undefined : type }
      const answer = await visitor.send(action, body, headers)
      expectGuarded(answer, 'POST')
      expect([answer.status, answer.heading]).toEqual([415, 'This does not work'])
    },
  )

  it.each(forms)('has members of JSON that are no texts, at $page', async (form) => {
    const host = await startMounted()
    const visitor = openVisitor(host)
    const page = await form.reach(visitor, host)
    const { action } = formOf(page)
    const csrf = csrfOf(page)
    const before = await effectsIn(host)
    const odd: readonly unknown[] = [
      1,
      true,
      null,
      [],
      ['a'],
      {},
      { toString: 1, valueOf: 1 },
      { length: 1e9 },
    ]
    for (const value of odd)
      for (const body of [
        { csrf: value, username: 'alice', password, code: '1', choice: 'allow' },
        { csrf, username: value, password: value, code: value, choice: value, send: value },
        value,
      ]) {
        // There the token is all that is asked for.
        if (form.page === 'sign-out' && isRight(body, csrf)) continue
        const answer = await visitor.send(action, JSON.stringify(body), json)
        expectGuarded(answer, 'POST')
        expect(answer.status, JSON.stringify(body)).toBeLessThan(500)
      }
    expect(await effectsIn(host)).toEqual(before)
    expect(host.host().unforeseen).toEqual([])
  })

  it('takes no more than twice as many steps where it is twice as long', async () => {
    const { host, visitor, action, csrf } = await opened()
    host.clock.advance(1)
    const fields = (count: number) =>
      `csrf=${csrf.slice(1)}&${Array.from({ length: count }, (_, n) => `f${n}=%61`).join('&')}`
    const stepsFor = async (count: number) => {
      const body = fields(count)
      return stepsUntil(async () => expect((await visitor.send(action, body)).status).toBe(403))
    }
    await stepsFor(10)
    const [once, twice] = [await stepsFor(400), await stepsFor(800)]
    expect(twice).toBeLessThan(40 * fields(800).length)
    expect(twice / once).toBeLessThan(2.1)
  })
})

function isRight(body: unknown, csrf: string): boolean {
  return (body as { csrf?: unknown } | null)?.csrf === csrf
}

describe('A GET', () => {
  it('of any page changes nothing, whatever its query holds', async () => {
    const host = await startMounted()
    const visitor = openVisitor(host)
    const page = await signInForm.reach(visitor, host)
    await visitor.fill(page, signInForm.typed(page, host))
    const before = await effectsIn(host)
    for (const form of forms) {
      const fields = new URLSearchParams({ choice: 'allow', username: 'dora', password, code: '1' })
      const query = `${queryOf(tracker)}&${fields}&_method=POST`
      const answer = await visitor.get(addressOf(host, form.page, query), {
        'X-HTTP-Method-Override': 'POST',
      })
      expect(answer.status).toBeLessThan(400)
    }
    expect(await effectsIn(host)).toEqual(before)
  })
})

describe('The visitor of these tests', () => {
  it('is signed in by an honest form, so that nothing above is refused for another reason', async () => {
    const host: MountedHost = await startMounted()
    const visitor = openVisitor(host)
    const page = await signInForm.reach(visitor, host)
    expect((await visitor.fill(page, signInForm.typed(page, host))).heading).toBe('One moment')
  })
})
