import type { HostCall } from '../lib/host-call.js'
import { UnexpectedAnswer } from '../lib/host-call.js'
import { attributes, html, isSafeHtml, type SafeHtml } from './html.js'
import type { PageShell } from './layout.js'
import type { View } from './view.js'

/** What a host makes its own pages with: all that is around every page, and what escapes. */
export interface PageTools extends PageShell {
  /** A tagged template: escapes every value that is not markup made by it. */
  readonly html: typeof html
  /** Attributes with quotes: `<input${attributes({ type: 'text', required: true })}>`. */
  readonly attributes: typeof attributes
}

/** Makes the whole document of a view; null leaves it to the router. At once: it cannot wait. */
export type RenderPage = (view: View, tools: PageTools) => SafeHtml | null

/** The host's page of a view; null for none, and for one that could not be made. */
export type RenderByHost = (view: View, shell: PageShell) => Promise<SafeHtml | null>

/** Makes it. A page that does not come must not keep anybody out, so ours takes its place. */
export function createRenderByHost(render: RenderPage | undefined, call: HostCall): RenderByHost {
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
