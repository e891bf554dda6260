// A browser that has no window: it fetches, keeps cookies, follows, and fills forms.
import { type HTMLElement, parse } from 'node-html-parser'
import { CookieJar } from 'tough-cookie'
import { navigate } from './navigate.js'
import type { Answer, Provider } from './provider.js'

/** A server of a client, by what it answers. */
export type Site = (request: Request) => Promise<Response>

/** Where the browser has come to rest. */
export interface Rest {
  readonly url: URL
  /** Of the page there; undefined where the URL is of nobody that it could ask. */
  readonly status: number | undefined
  readonly text: string
}

export interface BrowserSettings {
  /** The servers of clients, by their origins. They need no TLS, and no name that resolves. */
  readonly sites?: Readonly<Record<string, Site>>
  /** Whether alice agrees when she is asked. Default true. */
  readonly agrees?: boolean
}

export interface Browser {
  /**
   * Opens a URL and follows it through redirects and the provider's pages, until a site answers
   * with a page, or the URL is of nobody that it knows: the redirect to an app, for example. Throws
   * where the provider answers with an error page.
   */
  open(url: string | URL): Promise<Rest>
  /** Asks one URL, and says where it sends the browser, without going there. */
  ask(url: string | URL): Promise<URL>
  /** Opens a page of a site, sends its first form as it is, and says where that sends it. */
  submit(url: string | URL): Promise<URL>
}

/** More hops than any sign-in has. */
const patience = 30

interface Step {
  readonly url: URL
  readonly form?: URLSearchParams
}

/** Alice's browser, empty. */
export function openBrowser(
  provider: Provider,
  { sites = {}, agrees = true }: BrowserSettings = {},
): Browser {
  const jar = new CookieJar()
  const ownOrigin = new URL(provider.issuer).origin

  async function load({ url, form }: Step): Promise<Response | undefined> {
    const site: Site | undefined = url.origin === ownOrigin ? navigate : sites[url.origin]
    if (site === undefined) return undefined
    const response = await site(
      new Request(url, {
        method: form === undefined ? 'GET' : 'POST',
        redirect: 'manual',
        headers: {
          cookie: await jar.getCookieString(url.href),
          accept: 'text/html',
          ...(form === undefined ? {} : { origin: url.origin, 'sec-fetch-site': 'same-origin' }),
        },
        ...(form === undefined ? {} : { body: form }),
      }),
    )
    for (const cookie of response.headers.getSetCookie()) await jar.setCookie(cookie, url.href)
    return response
  }

  async function next(step: Step): Promise<Step | Rest> {
    const { url } = step
    const response = await load(step)
    if (response === undefined) return { url, status: undefined, text: '' }
    const location = response.headers.get('location')
    if (location !== null) return { url: new URL(location, url) }
    const text = await response.text()
    if (url.origin !== ownOrigin) return { url, status: response.status, text }
    if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text.slice(0, 800)}`)
    // Its button is hidden for as long as nobody can have read the page.
    if (text.includes('class="grants"')) await new Promise((resolve) => setTimeout(resolve, 500))
    return leave(url, text, () => provider.answer({ url, html: text }, agrees))
  }

  async function follow(start: Step): Promise<Rest> {
    let step: Step | Rest = start
    for (let hops = 0; hops < patience; hops++) {
      step = await next(step)
      if ('status' in step) return step
    }
    throw new Error(`${start.url} leads on and on, last to ${step.url}`)
  }

  async function redirectOf(step: Step): Promise<URL> {
    const location = (await load(step))?.headers.get('location')
    if (location == null) throw new Error(`${step.url} does not redirect`)
    return new URL(location, step.url)
  }

  return {
    open: (url) => follow({ url: new URL(url) }),
    ask: (url) => redirectOf({ url: new URL(url) }),
    async submit(page) {
      const { url, text } = await follow({ url: new URL(page) })
      return redirectOf(leave(url, text, () => ({ fields: {} })))
    },
  }
}

type Filled = Extract<Answer, { fields: object }>

/** The step that leads away from a page: it forwards, or it is answered. */
function leave(url: URL, html: string, answer: () => Answer): Step {
  const document = parse(html)
  const refresh = document.querySelector('meta[http-equiv="refresh" i]')?.getAttribute('content')
  const target = /^\s*\d+\s*;\s*url=(['"]?)(.+)\1$/i.exec(refresh ?? '')?.[2]
  if (target !== undefined) return { url: new URL(target, url) }
  const reply = answer()
  if ('follow' in reply) return { url: new URL(reply.follow, url) }
  const form = document.querySelector('form')
  if (form === null) throw new Error(`no form at ${url}: ${html.slice(0, 500)}`)
  return { url: new URL(form.getAttribute('action') ?? '', url), form: fill(form, reply) }
}

/** What a form sends: what it hides, what is filled in, and the button that sends it. */
function fill(
  form: HTMLElement,
  { fields, press = 'button[type=submit], button:not([type])' }: Filled,
): URLSearchParams {
  const sent = new URLSearchParams()
  for (const input of form.querySelectorAll('input[type="hidden"]')) {
    sent.set(input.getAttribute('name') ?? '', input.getAttribute('value') ?? '')
  }
  for (const [name, value] of Object.entries(fields)) {
    if (form.querySelector(`[name="${name}"]`) === null) throw new Error(`a form without ${name}`)
    sent.set(name, value)
  }
  const button = form.querySelector(press)
  const pressed = button?.getAttribute('name')
  if (pressed !== undefined) sent.set(pressed, button?.getAttribute('value') ?? '')
  return sent
}
