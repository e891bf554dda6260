import type { AppsKit } from '../oauth/apps-kit.js'
import { addressAt } from '../oauth/base-url.js'
import { createFindBrowserUser, type FindBrowserUser } from '../oauth/browser-sign-in.js'
import { createJudgeAuthorization, type JudgeAuthorization } from '../oauth/judge-authorization.js'
import { type Csrf, createCsrf, createKnownBrowser, type KnownBrowser } from './csrf.js'
import { createFlows, type Flows } from './flow.js'
import type { PageSite } from './page-site.js'
import type { PagesOptions } from './pages-options.js'

/** The parts that every page needs, besides signing in. */
export interface PagesKit extends AppsKit {
  readonly pageSite: PageSite
  readonly qrCode: PagesOptions['qrCode']
  /** The ids of the option `providers`; empty without it. */
  readonly providerIds: readonly string[]
  /** The names of the option `directories`; empty without it. */
  readonly directoryNames: readonly string[]
}

/** The parts that every page needs, with the state that all pages share and keep. */
export interface FormsKit extends PagesKit {
  readonly flows: Flows
  readonly browsers: KnownBrowser
  readonly csrf: Csrf
  /** The account page; null if the host has none of ours. */
  readonly accountUrl: string | null
  readonly findBrowserUser: FindBrowserUser
  readonly judgeAuthorization: JudgeAuthorization
}

export function createFormsKit(kit: PagesKit): FormsKit {
  return {
    ...kit,
    flows: createFlows(kit),
    browsers: createKnownBrowser(kit),
    csrf: createCsrf(kit),
    accountUrl: kit.hasAccountPage ? addressAt(kit.baseUrl, '/account') : null,
    findBrowserUser: createFindBrowserUser(kit),
    judgeAuthorization: createJudgeAuthorization(kit),
  }
}
