import { AuthConfigError } from '../errors.js'
import { type HostCall, UnexpectedAnswer } from '../lib/host-call.js'
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
import { attributes, html, isSafeHtml, type SafeHtml } from './html.js'
import type { PageShell } from './layout.js'
import type { PagesOptions, RenderPage } from './pages-options.js'
import { createTexts, type PageTexts } from './texts.js'
import type { View } from './view.js'

/** What the pages of one host have in common, made once. */
export interface PageSite {
  /** Where browsers reach the router. */
  readonly baseUrl: URL
  readonly brand: BrandOptions
  /** By tag. */
  readonly languages: ReadonlyMap<string, PageTexts>
  /** The tag of the language for browsers that ask for none of them. */
  readonly language: string
  readonly home: string | null
  readonly stylesheet: ServedFile
  readonly logo: ServedFile | null
  /** For a browser's tab: the logo, where there is one. */
  readonly icon: ServedFile
  /** Of passkeys; null where the host takes none. */
  readonly script: ServedFile | null
  /** Shows what was typed as a password. */
  readonly passwordScript: ServedFile
  readonly renderByHost: RenderByHost
}

/**
 * Reads the brand's logo, too.
 *
 * @throws AuthConfigError for an option that will not do, or a logo that cannot be read
 */
export function createPageSite(
  options: PagesOptions,
  baseUrl: URL,
  call: HostCall,
  hasPasskeys = false,
): PageSite {
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
    stylesheet: stylesheetFile(
      createStylesheet(brand.accent, hasPasskeys ? `${passkeyCss}${css}` : css),
    ),
    logo,
    icon: logo ?? iconFile(brand.name, brand.accent ?? defaultAccent),
    script: hasPasskeys ? scriptFile('passkeys', passkeyScript) : null,
    passwordScript: scriptFile('show-password', passwordScript),
    renderByHost: createRenderByHost(options.render, call),
  }
}

/** The address of a file. Of our own origin and path, since `Host` is whatever somebody sends. */
export function assetAddress({ baseUrl }: Pick<PageSite, 'baseUrl'>, { name }: ServedFile): string {
  return addressAt(baseUrl, `/oauth/assets/${name}`)
}

/** The host's page of a view; null for none, and for one that could not be made. */
export type RenderByHost = (view: View, shell: PageShell) => Promise<SafeHtml | null>

/** Makes it. A page that does not come must not keep anybody out, so ours takes its place. */
function createRenderByHost(render: RenderPage | undefined, call: HostCall): RenderByHost {
  if (render === undefined) return async () => null
  return function renderByHost(view, shell) {
    const made = call('pages.render', () => {
      const page: unknown = render(view, { ...shell, html, attributes })
      if (page === null || isSafeHtml(page)) return page
      throw new UnexpectedAnswer('the page was not made by html')
    })
    // Its failure was reported by the call.
    return made.catch(() => null)
  }
}
