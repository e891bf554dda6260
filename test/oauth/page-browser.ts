// A browser without a window, on the router's own pages: it follows as far as the router's origin
// goes, keeps cookies, and sends forms as a browser does.
import supertest from 'supertest'

/** Where a browser has come to rest: on a page of the router's, or at an address of a client's. */
export interface Rest {
  readonly url: URL
  /** Null where it has left: nobody asks there. */
  readonly page: { readonly status: number; readonly text: string } | null
}

export interface PageBrowser {
  /** Opens an address by a link of another site. */
  open(url: string): Promise<Rest>
  /** Fills the first form of a page, with the button that was pressed among the fields. */
  send(rest: Rest, fields: Readonly<Record<string, string>>): Promise<Rest>
  /** Its cookies, as it sends them. */
  cookies(): string
}

interface Step {
  readonly url: URL
  readonly site: 'cross-site' | 'same-origin'
  readonly form?: Readonly<Record<string, string>>
}

/** More hops than any sign-in has. */
const patience = 10

/**
 * An empty one, or one with a cookie. `local` says where an address of the origin is reached in the
 * test.
 */
export function openPageBrowser(
  origin: string,
  local: (url: string) => string,
  cookie?: string,
): PageBrowser {
  const jar = new Map<string, string>()
  if (cookie !== undefined) keep(cookie)

  async function load({ url, site, form }: Step) {
    const address = supertest(local(url.href))
    const asked = form === undefined ? address.get('') : address.post('').type('form').send(form)
    const answer = await asked.redirects(0).set({
      'Sec-Fetch-Site': site,
      'Sec-Fetch-Mode': 'navigate',
      'Sec-Fetch-Dest': 'document',
      ...(form !== undefined && { Origin: origin }),
      ...(jar.size > 0 && { Cookie: cookies() }),
    })
    for (const set of [answer.headers['set-cookie'] ?? []].flat() as string[]) keep(set)
    return answer
  }

  const cookies = () => [...jar].map((pair) => pair.join('=')).join('; ')

  function keep(set: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
    if (value === '' || /; max-age=0(?:;|$)/i.test(set)) jar.delete(name)
    else jar.set(name, value)
  }

  async function follow(start: Step): Promise<Rest> {
    let step = start
    for (let hops = 0; hops < patience; hops += 1) {
      const { status, headers, text } = await load(step)
      const target = headers['location'] ?? refreshOf(text)
      if (target === undefined) return { url: step.url, page: { status, text } }
      const url = new URL(target, step.url)
      if (url.origin !== origin) return { url, page: null }
      step = { url, site: step.site }
    }
    throw new Error(`${start.url} leads on and on, last to ${step.url}`)
  }

  return {
    cookies,
    open: (url) => follow({ url: new URL(url), site: 'cross-site' }),
    send({ url, page }, fields) {
      const form = /<form method="post" action="([^"]*)"/.exec(page?.text ?? '')?.[1]
      if (form === undefined) throw new Error(`no form at ${url}: ${page?.text}`)
      const action = new URL(textOf(form), url)
      const hidden = hiddenIn(page?.text ?? '')
      return follow({ url: action, site: 'same-origin', form: { ...hidden, ...fields } })
    },
  }
}

/** Where a page leads by itself. */
function refreshOf(html: string): string | undefined {
  const [, target] = /<meta http-equiv="refresh" content="0; url=([^"]*)"/.exec(html) ?? []
  return target === undefined ? undefined : textOf(target)
}

/** The hidden fields of a page, of which all forms carry the same. */
export function hiddenIn(html: string): Record<string, string> {
  const inputs = html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)
  return Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, textOf(value)]))
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }

/** What stands in an attribute. */
function textOf(html: string): string {
  return html.replaceAll(/&(?:#(\d+)|(\w+));/g, (all, code?: string, name?: string) =>
    code === undefined ? (entities[name ?? ''] ?? all) : String.fromCodePoint(Number(code)),
  )
}
