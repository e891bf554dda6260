// A browser that goes from one server to the other, without a window.
import supertest from 'supertest'

/** A page. */
export interface Shown {
  readonly url: string
  readonly text: string
}

/**
 * Follows redirects, and keeps cookies for each origin. `stopAt`: how addresses begin that are not
 * opened.
 */
export function browse(stopAt = 'nowhere:') {
  const jars = new Map<string, Map<string, string>>()
  async function read(url: string, form?: Record<string, string>): Promise<Shown> {
    const { origin } = new URL(url)
    const jar = jars.get(origin) ?? new Map<string, string>()
    jars.set(origin, jar)
    const asked = form === undefined ? supertest(url).get('') : supertest(url).post('').type('form')
    const Cookie = [...jar].map((pair) => pair.join('=')).join('; ')
    const headers = form === undefined ? opened : { Origin: origin }
    const answer = await asked.set({ ...headers, Cookie }).send(form)
    keep(jar, answer.headers['set-cookie'])
    const next = answer.headers['location'] ?? valueIn(refresh, answer.text)
    if (next === '') return { url, text: answer.text }
    const { href } = new URL(next, url)
    return href.startsWith(stopAt) ? { url: href, text: '' } : read(href)
  }
  const follow = ({ url, text }: Shown, link: RegExp) =>
    read(new URL(valueIn(link, text), url).href)
  const submit = ({ url, text }: Shown, typed: Record<string, string>) => {
    const csrf = valueIn(/name="csrf" value="([^"]+)"/, text)
    const action = valueIn(/<form method="post" action="([^"]+)"/, text)
    return read(new URL(action, url).href, { csrf, ...typed })
  }
  return { read, follow, submit }
}

const refresh = /<meta http-equiv="refresh" content="0; url=([^"]+)"/

function keep(jar: Map<string, string>, cookies: string | string[] = []): void {
  for (const cookie of [cookies].flat()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
    jar.set(name, value)
  }
}

/** A link that leads here from another site. */
const opened = {
  'Sec-Fetch-Site': 'cross-site',
  'Sec-Fetch-Mode': 'navigate',
  'Sec-Fetch-Dest': 'document',
}

/** The first group of a pattern in a page. */
function valueIn(pattern: RegExp, page: string): string {
  return (pattern.exec(page ?? '')?.[1] ?? '').replaceAll('&amp;', '&')
}
