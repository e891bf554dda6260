import { AuthConfigError } from '../errors.js'
import type { HostCall } from '../lib/host-call.js'
import { passkeyCss } from './assets/page-css.js'
import { passkeyScript } from './assets/passkey-script.js'
import { type BrandOptions, checkBrand } from './brand.js'
import { createRenderByHost, type RenderByHost } from './host-render.js'
import type { PagesOptions } from './pages-options.js'
import { readLogo, type ServedFile, scriptFile, stylesheetFile } from './served-files.js'
import { createStylesheet } from './stylesheet.js'
import { createTexts, type PageTexts } from './texts.js'

/** What the pages of one host have in common, made once. */
export interface PageSite {
  /** Where browsers reach the router. */
  readonly base: URL
  readonly brand: BrandOptions
  /** By tag. */
  readonly languages: ReadonlyMap<string, PageTexts>
  /** The tag of the language for browsers that ask for none of them. */
  readonly language: string
  readonly home: string | null
  readonly stylesheet: ServedFile
  readonly logo: ServedFile | null
  /** Of passkeys; null where the host takes none. */
  readonly script: ServedFile | null
  readonly renderByHost: RenderByHost
}

/**
 * Makes it, and reads the brand's logo.
 *
 * @throws AuthConfigError for an option that will not do, or a logo that cannot be read
 */
export function createPageSite(
  options: PagesOptions,
  base: URL,
  call: HostCall,
  hasPasskeys = false,
): PageSite {
  const { language = 'en', home = null, css = '' } = options
  const brand = checkBrand(options.brand ?? { name: base.host.slice(0, 60) })
  const languages = createTexts(options.texts, brand.name)
  if (!languages.has(language))
    throw new AuthConfigError(
      'pages.language',
      'is none of the languages that there are.',
      `choose one of ${[...languages.keys()].join(', ')}, or add its texts to pages.texts.`,
    )
  return {
    base,
    brand,
    languages,
    language,
    home,
    stylesheet: stylesheetFile(
      createStylesheet(brand.accent, hasPasskeys ? `${passkeyCss}${css}` : css),
    ),
    logo: brand.logo === undefined ? null : readLogo(brand.logo.file),
    script: hasPasskeys ? scriptFile(passkeyScript) : null,
    renderByHost: createRenderByHost(options.render, call),
  }
}

/** The address of a file. Of our own origin and path, since `Host` is whatever somebody sends. */
export function assetAddress({ base }: Pick<PageSite, 'base'>, { name }: ServedFile): string {
  return `${base.href.replace(/\/$/, '')}/oauth/assets/${name}`
}
