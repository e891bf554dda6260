import { AssertionError } from 'node:assert/strict'
import { hiddenFields } from '../../pages/form-parts.js'
import { attributes, html, isSafeHtml, markupOf, type SafeHtml } from '../../pages/html.js'
import type { PageShell } from '../../pages/layout.js'
import type { RenderPage } from '../../pages/pages-options.js'
import { createTexts, type PageTexts } from '../../pages/texts.js'
import type { PageForm, View } from '../../pages/view.js'
import { type FormTags, formsOf, type Tag, tagsOf } from './markup.js'
import { type StateData, statesOf, usualData } from './states.js'

/** One page that the host has been asked for. */
export interface AskedPage {
  /** The state, and what is around it. */
  readonly name: string
  readonly view: View
  readonly shell: PageShell
  /** Whether every text in it tries to become an address. */
  readonly isHostile: boolean
}

/** One that the host has made. */
export interface RenderedPage extends AskedPage {
  readonly markup: string
  readonly tags: readonly Tag[]
  readonly forms: readonly FormTags[]
}

/** What the host's function did with a page. */
export type Outcome =
  | { readonly outcome: 'made'; readonly page: RenderedPage }
  | { readonly outcome: 'left' }
  | { readonly outcome: 'failed'; readonly asked: AskedPage; readonly problem: string }

const service = 'Example Chat'
const base = 'https://chat.example.com/api/v1/oauth'
const texts = createTexts({ ar: { 'language.name': 'العربية' } }, service)

const fullShell: PageShell = {
  texts: texts.get('en') as PageTexts,
  brand: {
    name: service,
    logo: { file: 'logo.svg', alt: '', width: 40, height: 40 },
    accent: '#7a2e8e',
    links: {
      help: 'https://chat.example.com/help',
      privacy: 'https://chat.example.com/privacy',
      terms: 'https://chat.example.com/terms',
    },
  },
  stylesheet: `${base}/assets/page-0123456789abcdef.css`,
  logo: `${base}/assets/logo-0123456789abcdef.svg`,
  icon: `${base}/assets/logo-0123456789abcdef.svg`,
  passwordScript: `${base}/assets/show-password-0123456789abcdef.js`,
  languages: [...texts.values()].map((one) => ({
    tag: one.tag,
    name: one.plain('language.name'),
    href: `${base}/sign-in?client_id=wiki&lang=${one.tag}`,
  })),
  home: 'https://chat.example.com/',
}

/** As around the page of an error, on a host that has set nothing. */
const bareShell: PageShell = {
  ...fullShell,
  texts: texts.get('ar') as PageTexts,
  brand: { name: service },
  logo: null,
  icon: `${base}/assets/icon-0123456789abcdef.svg`,
  languages: [],
  home: null,
}

/** What no address on a page may hold, wherever it comes from. */
export const marker = 'elsewhere.example'
const hostile = `//${marker}/x`
const hostileData: StateData = {
  ...usualData,
  client: { name: hostile, host: marker },
  foreignClient: { name: hostile, host: marker },
  device: { name: hostile, host: null },
  account: { name: hostile, username: hostile },
  typed: hostile,
  refusal: hostile,
  scopes: [hostile],
  apis: [hostile],
  factorLabel: hostile,
  deviceName: hostile,
  codes: [hostile],
  reference: hostile,
}

// One field more than there is now: a page that writes its own one would lose the next.
const hidden = hiddenFields({ csrf: 'Q2'.repeat(21), 'one-more': 'kept' })

/** Every page there is, each as it is with all around it, with nothing, and with hostile texts. */
export function askedPages(): readonly AskedPage[] {
  const usual = statesOf({ ...usualData, hidden })
  const strange = statesOf({ ...hostileData, hidden })
  return Object.entries(usual).flatMap(([name, view]) => [
    { name, view, shell: fullShell, isHostile: false },
    { name: `${name}, in Arabic, without links`, view, shell: bareShell, isHostile: false },
    {
      name: `${name}, with strange names`,
      view: strange[name] as View,
      shell: fullShell,
      isHostile: true,
    },
  ])
}

/** Asks the host's function for a page, as the router does. */
export function ask(render: RenderPage, asked: AskedPage): Outcome {
  try {
    const made: unknown = render(asked.view, { ...asked.shell, html, attributes })
    if (made === null) return { outcome: 'left' }
    if (isSafeHtml(made)) return { outcome: 'made', page: rendered(asked, markupOf(made)) }
    const problem = `render answered ${kindOf(made)}. Answer what html\`…\` makes, or null.`
    return { outcome: 'failed', asked, problem }
  } catch (error) {
    const problem = `render threw ${String(error)}.`
    return { outcome: 'failed', asked, problem }
  }
}

function rendered(asked: AskedPage, markup: string): RenderedPage {
  const tags = tagsOf(markup)
  return { ...asked, markup, tags, forms: formsOf(tags) }
}

function kindOf(value: unknown): string {
  if (value instanceof Promise) return 'a promise, but it cannot wait'
  return `a value of type ${typeof value}`
}

/** The form of a view; null where it has none. */
export function formOfView(view: View): PageForm | null {
  const hasNothingToSend =
    view.page === 'account-factor' &&
    view.app === null &&
    view.email?.enabled !== true &&
    view.email?.verified !== true
  return 'form' in view && !hasNothingToSend ? view.form : null
}

/** What a view has for passkeys; null for nothing. */
export function passkeyOfView(view: View): SafeHtml | null {
  return 'passkey' in view ? view.passkey : null
}

/** Fails with the page's name, and a text for the author of the function. */
export function check(kept: boolean, { name }: AskedPage, broken: string): asserts kept {
  if (!kept)
    throw new AssertionError({
      message: `${name}: ${broken}`,
      actual: false,
      expected: true,
      operator: 'pageContract',
    })
}
