import { AuthConfigError } from '../errors.js'
import { ownMembers } from '../lib/check-options.js'
import { addressAt } from '../oauth/base-url.js'
import { passkeyScript, passwordScript } from './assets/scripts.js'
import { createStylesheet, defaultAccent, passkeyCss } from './assets/stylesheet.js'
import {
  iconFile,
  readLogo,
  type ServedFile,
  scriptFile,
  stylesheetFile,
} from './assets.endpoint.js'
import { type BrandOptions, checkBrand } from './brand.js'
import type { PageRequest } from './page-request.js'
import type { PagesOptions } from './pages-options.js'
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
