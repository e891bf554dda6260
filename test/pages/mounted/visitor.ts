// A browser without a window: it keeps cookies, says what Chromium says of each request, and sends
// the forms of the pages as they are.
import { type IncomingMessage, type RequestOptions, request as send } from 'node:http'
import { text } from 'node:stream/consumers'
import { tagsOf } from '../support/markup.js'
import type { MountedHost } from './mounted-host.js'

/** What came of a request. */
export interface PageAnswer {
  readonly url: string
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
  /** The heading of the page; empty for none. */
  readonly heading: string
}

/** What a request says besides; undefined leaves out what a browser says. */
export type HeaderChange = Readonly<Record<string, string | readonly string[] | undefined>>

export interface Visitor {
  /** By name; change it as a thief or a neighbour would. */
  readonly cookies: Map<string, string>
  /** Opens an address, as by a link of another site, and follows it. */
  open(url: string, headers?: HeaderChange): Promise<PageAnswer>
  /** The same without following. */
  get(url: string, headers?: HeaderChange, method?: string): Promise<PageAnswer>
  /** Sends the form of a page with what was typed, and follows it. */
  fill(page: PageAnswer, typed: Readonly<Record<string, string>>): Promise<PageAnswer>
  /** The same without following, and with other headers. */
  post(
    page: PageAnswer,
    typed: Readonly<Record<string, string>>,
    headers?: HeaderChange,
  ): Promise<PageAnswer>
  /** Sends any body anywhere. */
  send(url: string, body: string, headers?: HeaderChange, method?: string): Promise<PageAnswer>
}

const navigation = { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' }
/** More than any way through the pages has. */
const maxRedirects = 6

/** Opens one, empty. Who chooses something has looked at the page for so many seconds. */
export function openVisitor(
  { base, origin, host: running, clock }: Pick<MountedHost, 'base' | 'origin' | 'host' | 'clock'>,
  lookedFor = 1,
): Visitor {
  const cookies = new Map<string, string>()

  async function ask(
    method: string,
    url: string,
    headers: HeaderChange,
    body = '',
  ): Promise<PageAnswer> {
    const { port, pathname, search, host } = new URL(url)
    const pairs = [...cookies].map(([name, value]) => `${name}=${value}`)
    const Cookie = pairs.length > 0 ? pairs.join('; ') : undefined
    const given = { Host: host, 'Accept-Language': 'en', ...navigation, Cookie, ...headers }
    const all = { ...given, Cookie: named(given.Cookie, new URL(origin).port) }
    const said = Object.entries(all).filter(([, value]) => value !== undefined)
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const asked = {
        host: '127.0.0.1',
        port,
        path: pathname + search,
        method,
        headers: Object.fromEntries(said),
      }
      send(asked as RequestOptions, resolve)
        .once('error', reject)
        .end(body)
    })
    const { 'set-cookie': sent = [], ...others } = response.headers
    const set = sent.map((cookie) => cookie.replace(withPort, '$1='))
    for (const cookie of set) keep(cookies, cookie)
    const page = await text(response)
    const heading = /<h1>([^<]*)/.exec(page)?.[1] ?? ''
    const { statusCode: status = 0 } = response
    const got = sent.length === 0 ? others : { ...others, 'set-cookie': set }
    for (const secret of secretsIn(`${got['set-cookie']} ${got.location} ${page}`))
      running().issued.add(secret)
    return { url, status, headers: got, text: page, heading }
  }

  async function follow(first: PageAnswer): Promise<PageAnswer> {
    let page = first
    for (let count = 0; count <= maxRedirects; count += 1) {
      const { location } = page.headers
      if (location === undefined || !location.startsWith(base)) return page
      page = await ask('GET', location, { 'Sec-Fetch-Site': 'same-origin' })
    }
    throw new Error(`${first.url} leads on and on, last to ${page.url}`)
  }

  const link = { 'Sec-Fetch-Site': 'cross-site' }
  const own = { 'Sec-Fetch-Site': 'same-origin', Origin: origin }
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' }

  const visitor: Visitor = {
    cookies,
    get: (url, headers = {}, method = 'GET') => ask(method, url, { ...link, ...headers }),
    open: async (url, headers = {}) => follow(await visitor.get(url, headers)),
    post(page, typed, headers = {}) {
      const { action, fields } = formOf(page)
      if ('choice' in typed) clock.advance(lookedFor)
      const body = new URLSearchParams({ ...fields, ...typed }).toString()
      return ask('POST', action, { ...own, ...form, ...headers }, body)
    },
    fill: async (page, typed) => follow(await visitor.post(page, typed)),
    send: (url, body, headers = {}, method = 'POST') =>
      ask(method, url, { ...own, ...form, 'Content-Length': lengthOf(body), ...headers }, body),
  }
  return visitor
}

// On plain HTTP the port stands in the names: tests need not know it.
const withPort = /^(mar_\w+_dev)_\d+=/
// Without a pattern that steps.ts would take for slow.
const named = (sent: HeaderChange[string], port: string): typeof sent =>
  typeof sent === 'string' ? sent.split('_dev=').join(`_dev_${port}=`) : sent

// None of them may come to stand in the log, which a host looks at when its test is over.
function secretsIn(answer: string): string[] {
  const found = answer.matchAll(/(?:mar_\w{2,30}=|flow=|ticket=|\bstate=|\bcode=)([\w.-]{20,})/g)
  return [...found].map(([, secret = '']) => secret)
}

const lengthOf = (body: string) => String(Buffer.byteLength(body))

function keep(cookies: Map<string, string>, cookie: string): void {
  const [pair = '', ...attributes] = cookie.split('; ')
  const at = pair.indexOf('=')
  const [name, value] = [pair.slice(0, at), pair.slice(at + 1)]
  if (attributes.includes('Max-Age=0')) cookies.delete(name)
  else cookies.set(name, value)
}

/** Where the form of a page goes, and what it carries unseen. */
export function formOf({ text: markup, url, status }: PageAnswer) {
  const tags = tagsOf(markup)
  const action = tags.find(({ name }) => name === 'form')?.attributes['action']
  if (action === undefined) throw new Error(`no form: ${status} ${url}: ${markup.slice(0, 300)}`)
  const fields = tags
    .filter(({ name, attributes: { type } }) => name === 'input' && type === 'hidden')
    .map(({ attributes: { name = '', value = '' } }) => [name, value])
  return { action, fields: Object.fromEntries(fields) as Record<string, string> }
}

/** Where a hand-over page or a redirect leads; null for neither. */
export function wayTo({ text: markup, headers }: PageAnswer): URL | null {
  const refresh = tagsOf(markup).find(({ attributes }) => attributes['http-equiv'] === 'refresh')
  const target = headers.location ?? refresh?.attributes['content']?.replace('0; url=', '')
  return target === undefined ? null : new URL(target)
}
