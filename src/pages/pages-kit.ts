import type { AppsKit } from '../oauth/apps-kit.js'
import type { PageSite } from './page-site.js'
import type { PagesOptions } from './pages-options.js'

/** What every page needs besides signing in. */
export interface PagesKit extends AppsKit {
  readonly pageSite: PageSite
  readonly qrCode: PagesOptions['qrCode']
}
