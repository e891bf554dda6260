// Whatever text comes into a template, it stays text.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  attributes,
  html,
  isLink,
  isSafeHtml,
  markupOf,
  type SafeHtml,
} from '../../src/pages/html.js'

const markups = [
  '<script>alert(1)</script>',
  '</style><script>alert(1)</script>',
  '</title><img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  "' onmouseover='alert(1)",
  '<!--',
  ']]>',
  '&lt;b&gt;',
  '\0<b>',
]

describe('A template', () => {
  it.each(markups)('makes text of %j, between tags and in attributes', (text) => {
    const made = markupOf(html`<p title="${text}">${text}</p>`)
    expect(made.replace(/^<p title="([^"]*)">([^<]*)<\/p>$/, '')).toBe('')
    expect(unescaped(made.slice(10, made.indexOf('">')))).toBe(text.replaceAll('\0', '\uFFFD'))
  })

  it('makes text of any text at all, and loses none of it that can be seen', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const made = markupOf(html`<p ${attributes({ title: text })}>${text}</p>`)
        const match = /^<p {2}title="([^"<>']*)">([^<>"']*)<\/p>$/.exec(made)
        expect(match).not.toBeNull()
        expect(match?.[1]).toBe(match?.[2])
        expect(unescaped(match?.[2] ?? '').length).toBe(text.length)
      }),
    )
  })

  it('shows control characters and those that turn a text round as what they are', () => {
    const turning = ['\u202A', '\u202B', '\u202C', '\u202D', '\u202E']
    const isolating = ['\u2066', '\u2067', '\u2068', '\u2069']
    for (const bad of [
      ...turning,
      ...isolating,
      '\0',
      '\u001B',
      '\u007F',
      '\u0085',
      '\u2028',
      '\uD800',
    ])
      expect(markupOf(html`<bdi>${`a${bad}b`}</bdi>`)).toBe('<bdi>a\uFFFDb</bdi>')
  })

  it('keeps what belongs to names: marks of direction, accents, pictures', () => {
    for (const name of ['עדי\u200F!', 'Zoë', 'Ægir', '👩‍👩‍👧', 'Ольга', '名前'])
      expect(markupOf(html`<b>${name}</b>`)).toBe(`<b>${name}</b>`)
  })

  it('joins lists, and writes nothing for null', () => {
    const items = ['<', 'b'].map((text) => html`<li>${text}</li>`)
    expect(markupOf(html`<ul>${items}${null}${['&', 7]}</ul>`)).toBe(
      '<ul><li>&lt;</li><li>b</li>&amp;7</ul>',
    )
  })

  it('takes no object for markup that was not made by it', () => {
    const forged = [
      JSON.parse('{"markup":"<b>","Symbol(markup)":"<b>"}'),
      { toString: () => '<b>' },
      Object.create(html`<b></b>`),
      new String('<b>'),
      true,
      undefined,
      () => '<b>',
    ]
    for (const value of forged) {
      expect(isSafeHtml(value)).toBe(false)
      expect(() => html`<p>${value as unknown as SafeHtml}</p>`).toThrow(TypeError)
    }
  })

  it('is not changed once it is made', () => {
    const made = html`<b>a</b>`
    expect(Object.isFrozen(made)).toBe(true)
  })

  it('refuses a value in a tag that no quotes are around', () => {
    const value = 'x'
    const wrong = [
      () => html`<a href=${value}>a</a>`,
      () => html`<a href='${value}'>a</a>`,
      () => html`<a ${value}>a</a>`,
      () => html`<${value}>a</b>`,
      () => html`<b>a</${value}>`,
      () => html`<a title="a" href=${value}>a</a>`,
      () => html`<b${value}>a</b>`,
      () => html`a < ${value}`,
    ]
    for (const make of wrong) expect(make).toThrow(TypeError)
    const markup = html`<b>x</b>`
    const withMarkup = [
      () => html`<a href=${markup}>a</a>`,
      () => html`<a href='${markup}'>a</a>`,
      () => html`<a title="a" href=a${markup}>a</a>`,
      () => html`<${markup}>a</b>`,
      () => html`<b>a</${markup}>`,
      () => html`<!--${markup}-->`,
    ]
    for (const make of withMarkup) expect(make).toThrow(TypeError)
  })

  it('refuses markup as the value of an attribute, whose quotes it would end', () => {
    expect(() => html`<a title="${html`<b class="x">a</b>`}">a</a>`).toThrow(TypeError)
    expect(() => html`<a title="${['a']}">a</a>`).toThrow(TypeError)
    expect(() => html`<a title="${null}">a</a>`).toThrow(TypeError)
  })

  it('refuses scripts, styles and other places where escaping would not help', () => {
    const value = '</style>'
    const wrong = [
      () => html`<style>a{color:${value}}</style>`,
      () => html`<script>const a = "${value}"</script>`,
      () => html`<a onclick="${value}">a</a>`,
      () => html`<a onclick="go()">a</a>`,
      () => html`<a style="color:${value}">a</a>`,
      () => html`<p style="color:red">a</p>`,
      () => html`<noscript>${value}</noscript>`,
      () => html`<iframe>${value}</iframe>`,
      () => html`<p class="a"`,
    ]
    for (const make of wrong) expect(make).toThrow(TypeError)
    for (const name of ['onclick', 'style', 'a"b', 'a b', 'a>', 'ONCLICK', ''])
      expect(() => attributes({ [name]: 'a' }), name).toThrow(TypeError)
  })

  const scripts = [
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    '\u0001javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:a',
    'blob:https://a.example/1',
    'file:///etc/passwd',
    'alert(1)',
  ]
  it.each(scripts)('refuses a link to %j', (url) => {
    expect(isLink(url)).toBe(false)
    expect(() => html`<a href="${url}">a</a>`).toThrow(TypeError)
    expect(() => html`<form action="${url}"></form>`).toThrow(TypeError)
    expect(() => html`<img src="${url}">`).toThrow(TypeError)
    expect(() => attributes({ href: url })).toThrow(TypeError)
  })

  const script = 'javascript:alert(1)'
  it.each<[string, () => SafeHtml]>([
    ['HREF', () => html`<a HREF="${script}">a</a>`],
    ['Href', () => html`<a Href="${script}">a</a>`],
    ['formAction', () => html`<button formAction="${script}">a</button>`],
    ['ACTION', () => html`<form ACTION="${script}"></form>`],
    [
      'capitals on a line of their own',
      () => html`<a
HREF="${script}">a</a>`,
    ],
    ['an address beside the quote before it', () => html`<a title="a"href="${script}">a</a>`],
    ['an address after a slash', () => html`<a/href="${script}">a</a>`],
    ['a handler beside the quote before it', () => html`<a title="a"onclick="${script}">a</a>`],
    ['a handler of the template’s own there', () => html`<a title="a"onclick="go()">a</a>`],
    ['ONCLICK', () => html`<a ONCLICK="${script}">a</a>`],
    ['Style', () => html`<p Style="color:red">a</p>`],
    ['srcdoc', () => html`<b srcdoc="${script}">a</b>`],
    ['xlink:href', () => html`<a xlink:href="${script}">a</a>`],
    ['data of an object', () => html`<object data="${script}"></object>`],
    ['poster', () => html`<video poster="${script}"></video>`],
    ['cite', () => html`<q cite="${script}">a</q>`],
    ['background', () => html`<body background="${script}">a</body>`],
    ['manifest', () => html`<html manifest="${script}">a</html>`],
    ['ping, in its second place', () => html`<a ping="${`/a ${script}`}">a</a>`],
    ['srcset, in its second place', () => html`<img srcset="${`/a 1x, ${script} 2x`}">`],
    ['values, in its second place', () => html`<animate values="${`/a;${script}`}"/>`],
    ['from', () => html`<animate from="${script}"/>`],
    ['to', () => html`<set to="${script}"/>`],
    ['by', () => html`<animate by="${script}"/>`],
    ['attributes({ HREF })', () => attributes({ HREF: script })],
    ['attributes({ formAction })', () => attributes({ formAction: script })],
    ['attributes({ poster })', () => attributes({ poster: script })],
  ])('is refused with a script in an address, however it is spelt: %s', (_name, make) => {
    expect(make).toThrow(TypeError)
  })

  it('takes the capitals of SVG, digits and prefixes in names, and several addresses', () => {
    const size = 10
    const made = html`<svg viewBox="0 0 ${size} ${size}" preserveAspectRatio="none">
<line x1="${1}" y2="${2}"/><use xlink:href="${'#a'}"/></svg>
<img srcset="${'/a 1x, /b 2x'}" alt="${'HREF="x"'}"><p data-from="${script}">a</p>`
    expect(markupOf(made)).toContain('viewBox="0 0 10 10"')
    expect(markupOf(made)).toContain('<line x1="1" y2="2"/><use xlink:href="#a"/>')
  })

  it.each([
    '/oauth/sign-in?a=b&c=d',
    '?lang=de',
    'https://wiki.example.com/cb?code=1',
    'http://127.0.0.1:7777/cb',
    'com.example.chat:/cb?code=1',
    'otpauth://totp/a?secret=b',
    'mailto:help@example.com',
  ])('takes a link to %j', (url) => {
    expect(markupOf(html`<a href="${url}">a</a>`)).toBe(
      `<a href="${url.replaceAll('&', '&amp;')}">a</a>`,
    )
  })
})

function unescaped(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}
