// The option `pages`: what is refused at the start, and what becomes of what is taken.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import supertest from 'supertest'
import { afterAll, describe, expect, it } from 'vitest'
import {
  AuthConfigError,
  type AuthRouterOptions,
  createAuthRouter,
  type PagesOptions,
} from '../../src/index.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { encryptionKey, startHost } from '../support/host.js'
import { oauthOptions, signer } from '../support/mounted-oauth.js'
import { testUsers } from '../support/users.js'

const folder = mkdtempSync(join(tmpdir(), 'logos-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function fileWith(name: string, content: string | Buffer): string {
  const file = join(folder, name)
  writeFileSync(file, content)
  return file
}

const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>'
const logo = { file: fileWith('good.svg', svg), alt: '', width: 40, height: 40 }
const brand = { name: 'Example Chat' }
const withLogo = (change: object) => ({ brand: { ...brand, logo: { ...logo, ...change } } })

function refusalOf(pages: unknown, others: object = oauthOptions()): AuthConfigError {
  const options = { users: testUsers(), ...memoryStores(), signer, encryptionKeys: [encryptionKey] }
  try {
    createAuthRouter({ ...options, ...others, pages } as AuthRouterOptions)
  } catch (error) {
    if (error instanceof AuthConfigError) return error
    throw error
  }
  throw new Error('it was taken')
}

describe('the option pages', () => {
  it.each<[string, unknown, string, RegExp]>([
    ['a text', 'blue', 'pages', /object/],
    ['a member that there is not', { colour: '#fff' }, 'pages.colour', /colour|leave/],
    ['a brand that is a name', { brand: 'Chat' }, 'pages.brand', /name/],
    ['a brand without a name', { brand: { accent: '#0b57d0' } }, 'pages.brand.name', /60/],
    ['a name in two lines', { brand: { name: 'Chat\nOK' } }, 'pages.brand.name', /60/],
    ['an endless name', { brand: { name: 'x'.repeat(61) } }, 'pages.brand.name', /60/],
    [
      'a colour by its name',
      { brand: { ...brand, accent: 'red' } },
      'pages.brand.accent',
      /#0b57d0/,
    ],
    [
      'a colour that is half there',
      { brand: { ...brand, accent: '#0b57d080' } },
      'pages.brand.accent',
      /opaque/,
    ],
    [
      'a link in the clear',
      { brand: { ...brand, links: { help: 'http://a.example/' } } },
      'pages.brand.links.help',
      /https/,
    ],
    [
      'a link that is a script',
      { brand: { ...brand, links: { terms: 'javascript:alert(1)' } } },
      'pages.brand.links.terms',
      /https/,
    ],
    [
      'a link that there is not',
      { brand: { ...brand, links: { imprint: 'https://a.example/' } } },
      'pages.brand.links.imprint',
      /privacy, terms, help/,
    ],
    [
      'a logo without its size',
      { brand: { ...brand, logo: { file: logo.file, alt: '' } } },
      'pages.brand.logo.width',
      /width, height/,
    ],
    [
      'a logo that is too wide',
      withLogo({ width: 321 }),
      'pages.brand.logo.width',
      /width, height/,
    ],
    [
      'a logo of another kind',
      withLogo({ file: fileWith('logo.gif', 'GIF89a') }),
      'pages.brand.logo.file',
      /svg, png, webp, jpg or avif/,
    ],
    [
      'a logo that is not there',
      withLogo({ file: join(folder, 'none.svg') }),
      'pages.brand.logo.file',
      /working directory/,
    ],
    [
      'a logo that is too large',
      withLogo({ file: fileWith('large.png', Buffer.alloc(256 * 1024 + 1)) }),
      'pages.brand.logo.file',
      /256|smaller/,
    ],
    ['too much css', { css: 'a'.repeat(64 * 1024 + 1) }, 'pages.css', /65536/],
    ['css in a list', { css: ['a{}'] }, 'pages.css', /65536/],
    ['a language that there is not', { language: 'fr' }, 'pages.language', /en, de/],
    ['texts without a language', { texts: 'Welcome' }, 'pages.texts', /languages/],
    ['a tag that is none', { texts: { EN_us: {} } }, 'pages.texts.EN_us', /pt-BR/],
    [
      'a language without a name',
      { texts: { fr: { 'sign-in.title': 'Bonjour' } } },
      'pages.texts.fr',
      /language\.name/,
    ],
    [
      'a text that there is not',
      { texts: { en: { 'sign-in.welcome': 'Hi' } } },
      'pages.texts.en.sign-in.welcome',
      /English one/,
    ],
    [
      'an empty text',
      { texts: { en: { 'sign-in.title': ' ' } } },
      'pages.texts.en.sign-in.title',
      /English one/,
    ],
    [
      'a placeholder that the page does not supply',
      { texts: { en: { 'sign-in.title': 'Hi {account}' } } },
      'pages.texts.en.sign-in.title',
      /English one/,
    ],
    ['a home in the clear', { home: 'http://chat.example.com/' }, 'pages.home', /https/],
    ['an account page by a word', { account: 'no' }, 'pages.account', /leave it out/],
    ['a home without a site', { home: '/' }, 'pages.home', /https/],
    [
      'a link of the sign-in that there is not',
      { links: { forgot: 'https://a.example/' } },
      'pages.links.forgot',
      /forgotPassword/,
    ],
    ...[
      'http://a.example/forgot',
      'https://a.example/forgot#5',
      'https://chat.example.com@a.example/',
      'javascript:alert(1)',
      '//a.example/forgot',
      '/\\a.example/forgot',
      '/x/../forgot',
      'forgot',
      `/${'f'.repeat(2000)}`,
    ].map(
      (register) =>
        [
          `a page to register at ${register.slice(0, 40)}`,
          { links: { register } },
          'pages.links.register',
          /https/,
        ] as [string, unknown, string, RegExp],
    ),
    ['a picture instead of a function', { qrCode: true }, 'pages.qrCode', /function/],
  ])('refuses %s, by name and with the remedy', (_what, pages, option, remedy) => {
    const { option: named, message } = refusalOf(pages)
    expect(named).toBe(option)
    expect(message).toMatch(remedy)
  })

  it('is refused without apps, which alone send anybody there', () => {
    const { option, message } = refusalOf({}, {})
    expect(option).toBe('pages')
    expect(message).toMatch(/oauth is missing.*pagesOrigin/)
  })
})

/** Opens the page that says who is signed in to this browser, which is nobody. */
async function signedOutPage(
  pages: PagesOptions | undefined,
  headers: Record<string, string> = {},
) {
  const options = { ...oauthOptions(), ...(pages && { pages }) }
  const host = await startHost({ options })
  const page = await supertest(host.url).get('/oauth/sign-out').set(headers)
  expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  const load = (pattern: RegExp) => {
    const { pathname } = new URL(pattern.exec(page.text)?.[1] ?? '')
    return supertest(new URL(host.url).origin).get(pathname)
  }
  return { host, page, load }
}

describe('the pages', () => {
  it('are there without it, with the name of the host', async () => {
    const { page, load } = await signedOutPage(undefined)
    expect(page.text).toContain('<bdi>chat.example.com</bdi>')
    const css = await load(/<link rel="stylesheet" href="([^"]+)"/)
    expect([css.status, css.headers['content-type']]).toEqual([200, 'text/css; charset=utf-8'])
  })

  it('have the brand, its logo and colour, and the css behind everything else', async () => {
    const links = { privacy: 'https://chat.example.com/privacy' }
    const { page, load } = await signedOutPage({
      brand: { ...brand, logo, accent: '#7a2e8e', links },
      css: 'main{border:0}',
      home: 'https://chat.example.com/',
    })
    expect(page.text).toContain('· Example Chat</title>')
    expect(page.text).toContain('<a href="https://chat.example.com/privacy">Privacy</a>')
    expect(page.text).toContain('<a href="https://chat.example.com/">')
    const css = await load(/<link rel="stylesheet" href="([^"]+)"/)
    expect(css.text).toContain('--accent:#7a2e8e')
    expect(css.text).toMatch(/\nmain\{border:0\}$/)
    const picture = await load(/<img src="([^"]+)"/)
    expect([picture.status, picture.headers['content-type']]).toEqual([200, 'image/svg+xml'])
    expect(String(picture.body)).toBe(svg)
    expect(picture.headers['cache-control']).toContain('immutable')
  })

  it.each([
    [undefined, /^<svg [^<]*<rect [^<]*fill="#0b57d0"\/><text [^<]*>C<\/text><\/svg>$/],
    [{ name: '<é> & co', accent: '#ffe600' }, /fill="#000000">&lt;<\/text>/],
  ])('have a picture for the tab without a logo, too: %#', async (brand, drawn) => {
    const { page, host } = await signedOutPage(brand === undefined ? {} : { brand })
    const [, icon = ''] =
      /<link rel="icon" href="[^"]*(\/oauth\/assets\/[^"]+)">/.exec(page.text) ?? []
    const file = await supertest(host.url).get(icon)
    expect([file.status, file.headers['content-type']]).toEqual([200, 'image/svg+xml'])
    expect(String(file.body)).toMatch(drawn)
  })

  it('get another address for the style sheet when it changes, so that no browser keeps the old', async () => {
    const address = async (css: string) =>
      /href="([^"]+\.css)"/.exec((await signedOutPage({ css })).page.text)?.[1]
    expect(await address('a{}')).not.toBe(await address('b{}'))
  })

  it('are in the language of the browser, else in the one that is set, else in English', async () => {
    const texts = { fr: { 'language.name': 'Français', 'signed-out.title': 'Déconnecté' } }
    const langOf = async (pages: PagesOptions, asked: string) => {
      const { page } = await signedOutPage(pages, { 'Accept-Language': asked })
      return [page.headers['content-language'], /<html lang="([^"]+)"/.exec(page.text)?.[1]]
    }
    expect(await langOf({ texts, language: 'fr' }, 'de-AT')).toEqual(['de', 'de'])
    expect(await langOf({ texts, language: 'fr' }, 'sv')).toEqual(['fr', 'fr'])
    expect(await langOf({ texts }, 'sv')).toEqual(['en', 'en'])
    const { page } = await signedOutPage({ texts, language: 'fr' }, { 'Accept-Language': 'fr' })
    expect(page.text).toContain('<h1>Déconnecté</h1>')
    // What a language leaves out is English.
    expect(page.text).toContain('You are no longer signed in to')
  })
})
