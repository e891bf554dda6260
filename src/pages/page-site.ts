import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { AuthConfigError, AuthError } from '../errors.js'
import type { Endpoint } from '../http/endpoint.js'
import { ownMembers } from '../lib/check-options.js'
import { sha256 } from '../lib/secrets.js'
import { addressAt } from '../oauth/base-url.js'
import { passkeyScript, passwordScript } from './assets/scripts.js'
import {
  createStylesheet,
  defaultAccent,
  passkeyCss,
  type Stylesheet,
  textOn,
} from './assets/stylesheet.js'
import { html, markupOf } from './html.js'
import type { PageRequest } from './page-request.js'
import { type BrandOptions, checkBrand, initialOf, type PagesOptions } from './pages-options.js'
import { createTexts, type PageTexts } from './texts.js'

/** Common parts of all pages of a host, made once. */
export interface PageSite {
  /** The address of the router for browsers. */
  readonly baseUrl: URL
  readonly brand: BrandOptions
  /** By tag. */
  readonly languages: ReadonlyMap<string, PageTexts>
  /** The tag of the default language. */
  readonly language: string
  readonly home: string | null
  readonly links: SignInLinks
  readonly stylesheet: ServedFile
  readonly logo: ServedFile | null
  /** The icon of the tab: the logo, if there is one. */
  readonly icon: ServedFile
  /** The script of passkeys; null without the option `passkeys`. */
  readonly script: ServedFile | null
  /** The script that reveals a typed password. */
  readonly passwordScript: ServedFile
}

/** The host's pages for users who cannot sign in, as URLs; null without. */
export interface SignInLinks {
  readonly forgotPassword: string | null
  readonly register: string | null
}

/**
 * A link with the request of the sign-in page in its query, so that the host's page can lead back.
 */
export function withRequest(link: string, { raw }: Pick<PageRequest, 'raw'>): string {
  return `${link}${link.includes('?') ? '&' : '?'}${raw}`
}

/**
 * Also reads the logo.
 *
 * @throws AuthConfigError for an invalid option or an unreadable logo
 */
export function createPageSite(options: PagesOptions, baseUrl: URL, hasPasskeys = false): PageSite {
  const { language = 'en', home = null, css = '' } = options
  const brand = checkBrand(options.brand ?? { name: baseUrl.host.slice(0, 60) })
  const languages = createTexts(options.texts, brand.name)
  if (!languages.has(language))
    throw new AuthConfigError(
      'pages.language',
      'is none of the languages that there are.',
      `choose one of ${[...languages.keys()].join(', ')}, or add its texts to pages.texts.`,
    )
  const logo = brand.logo === undefined ? null : readLogo(brand.logo.file)
  return {
    baseUrl,
    brand,
    languages,
    language,
    home,
    links: linksOf(options, baseUrl),
    stylesheet: stylesheetFile(
      createStylesheet(brand.accent, hasPasskeys ? `${passkeyCss}${css}` : css),
    ),
    logo,
    icon: logo ?? iconFile(brand.name, brand.accent ?? defaultAccent),
    script: hasPasskeys ? scriptFile('passkeys', passkeyScript) : null,
    passwordScript: scriptFile('show-password', passwordScript),
  }
}

// A path is one of this origin.
function linksOf({ links }: PagesOptions, { origin }: URL): SignInLinks {
  const { forgotPassword = null, register = null } = ownMembers({ ...links })
  const absolute = (link: string | null) => (link?.startsWith('/') ? `${origin}${link}` : link)
  return { forgotPassword: absolute(forgotPassword), register: absolute(register) }
}

/** The address of a file, from `baseUrl`: clients can send any `Host`. */
export function assetAddress({ baseUrl }: Pick<PageSite, 'baseUrl'>, { name }: ServedFile): string {
  return addressAt(baseUrl, `/oauth/assets/${name}`)
}

/** A file that pages load; its name changes with its content. */
export interface ServedFile {
  readonly name: string
  readonly type: string
  readonly bytes: Buffer
}

const types: ReadonlyMap<string, string> = new Map([
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
  ['.webp', 'image/webp'],
  ['.jpg', 'image/jpeg'],
  ['.jpeg', 'image/jpeg'],
  ['.avif', 'image/avif'],
])

/** Bytes. Every page loads the logo. */
const maxLogoBytes = 256 * 1024

/** The style sheet as a file. */
function stylesheetFile({ css, version }: Stylesheet): ServedFile {
  return { name: `page-${version}.css`, type: 'text/css; charset=utf-8', bytes: Buffer.from(css) }
}

/** A script as a file. */
export function scriptFile(
  what: 'passkeys' | 'show-password' | 'link' | 'post-over',
  script: string,
): ServedFile {
  const name = `${what}-${sha256(script).slice(0, 16)}.js`
  return { name, type: 'text/javascript; charset=utf-8', bytes: Buffer.from(script) }
}

/** The icon of the tab if the brand has no logo: the first letter of its name. */
function iconFile(name: string, accent: string): ServedFile {
  const picture = markupOf(
    html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32"
height="32" rx="8" fill="${accent}"/><text x="16" y="22" font-family="sans-serif"
font-size="18" font-weight="600" text-anchor="middle"
fill="${textOn(accent)}">${initialOf(name)}</text></svg>`,
  )
  const version = sha256(picture).slice(0, 16)
  return { name: `icon-${version}.svg`, type: 'image/svg+xml', bytes: Buffer.from(picture) }
}

/**
 * Reads the logo of a brand that `checkBrand` has accepted.
 *
 * @throws AuthConfigError for a file that cannot be read, or has more than 256 KiB
 */
function readLogo(file: string): ServedFile {
  const bytes = bytesOf(file)
  if (bytes.length > maxLogoBytes)
    throw refusal('has more than 256 KiB.', 'make it smaller: every page shows it.')
  const extension = extname(file).toLowerCase()
  const type = types.get(extension) ?? 'application/octet-stream'
  return { name: `logo-${sha256(bytes.toString('base64')).slice(0, 16)}${extension}`, type, bytes }
}

/**
 * The logo of a provider as a file.
 *
 * @throws AuthConfigError for another type, or more than 256 KiB
 */
export function logoFile(
  provider: string,
  { type, body }: { readonly type: string; readonly body: string | Uint8Array },
): ServedFile {
  const bytes = Buffer.from(body)
  const [extension] = [...types].find(([, known]) => known === type) ?? []
  if (extension === undefined || bytes.length > maxLogoBytes)
    throw new AuthConfigError(
      `providers.list: the logo of ${provider}`,
      'is no picture of up to 256 KiB.',
      'pass { type, body } of an svg, png or webp, or leave it out.',
    )
  const version = sha256(bytes.toString('base64')).slice(0, 16)
  return { name: `provider-${provider}-${version}${extension}`, type, bytes }
}

function bytesOf(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch {
    throw refusal(
      'cannot be read.',
      "check the path: one that is relative is below the process's working directory.",
    )
  }
}

function refusal(problem: string, remedy: string): AuthConfigError {
  return new AuthConfigError('pages.brand.logo.file', problem, remedy)
}

/** `GET /oauth/assets/:file`: the style sheet and the logo, under names that never change. */
export function assetsEndpoint(files: readonly ServedFile[]): Endpoint {
  const answers = new Map(files.map((file) => [file.name, answerOf(file)]))
  return async function serveAsset({ parameters }) {
    const answer = answers.get(String(parameters['file']))
    if (answer === undefined) throw new AuthError('not-found')
    return answer
  }
}

function answerOf({ type, bytes }: ServedFile) {
  return {
    status: 200,
    text: bytes,
    headers: {
      'Content-Type': type,
      'Cache-Control': 'public, max-age=31536000, immutable',
      // Opened directly, an SVG is a page of our origin: it must not run scripts.
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'Cross-Origin-Resource-Policy': 'same-origin',
    },
  }
}
