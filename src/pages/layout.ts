import { attributes, html, type SafeHtml } from './html.js'
import { type BrandOptions, initialOf } from './pages-options.js'
import type { TextKey } from './texts/en.js'
import type { PageTexts } from './texts.js'

/** A link to this page in another language. */
export interface LanguageLink {
  readonly tag: string
  /** The name of the language in that language. */
  readonly name: string
  readonly href: string
}

/** The common frame of all pages of one request. */
export interface PageShell {
  readonly texts: PageTexts
  readonly brand: BrandOptions
  /** The URL of the style sheet. */
  readonly stylesheet: string
  /** The URL of the brand's logo; null without. */
  readonly logo: string | null
  /** The URL of the tab's icon: the logo, or the first letter of the name. */
  readonly icon: string
  /**
   * The URL of the script that reveals a typed password, for pages with such a field. It finds its
   * button by `data-reveals`, the id of the field.
   */
  readonly passwordScript: string
  /** The URL of the script of passkeys; null without the option `passkeys`. */
  readonly passkeyScript: string | null
  /** All languages, including the current one. */
  readonly languages: readonly LanguageLink[]
  /** The host's own first page; null without. */
  readonly home: string | null
}

/** The content of a page. */
export interface PageContent {
  readonly title: TextKey
  /** Whether a form is shown again: then the title says so first, for screen readers. */
  readonly isFaulty?: boolean
  readonly head?: SafeHtml
  readonly body: SafeHtml
  /** The URLs of its scripts; null for none. Default: none. */
  readonly scripts?: readonly (string | null)[]
  /** The target of its forms, as a source of the policy. Default: this origin. */
  readonly formAction?: string
  /** The items that it lists by id, for the question before one of them ends. Default: nothing. */
  readonly listed?: readonly { readonly id: string; readonly name: string | null }[]
}

/** Makes the content of a page in its frame, and so in the language of its reader. */
export type Content = (shell: PageShell) => PageContent

/** The document of every page: one heading, and landmarks around the content. */
export function layout(
  shell: PageShell,
  { title, isFaulty = false, head, body }: PageContent,
): SafeHtml {
  const { texts, brand, stylesheet, icon } = shell
  const heading = texts.plain(title)
  const shown = isFaulty ? texts.plain('page.error-title', { title: heading }) : heading
  return html`<!doctype html>
<html lang="${texts.tag}" dir="${texts.direction}">
<head>
<meta charset="utf-8">
<title>${`${shown} · ${brand.name}`}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<link rel="stylesheet" href="${stylesheet}">
<link rel="icon" href="${icon}">
${head ?? null}</head>
<body>
${header(shell)}
<main>
<h1>${texts.html(title)}</h1>
${body}
</main>
${footer(shell)}
</body>
</html>
`
}

function header({ brand, logo }: PageShell): SafeHtml {
  return html`<header>${logoOf(brand, logo)}<bdi>${brand.name}</bdi></header>`
}

// Without a logo, the first letter of the name.
function logoOf({ name, logo }: BrandOptions, src: string | null): SafeHtml {
  if (logo === undefined || src === null) {
    return html`<span class="mark" aria-hidden="true">${initialOf(name)}</span>`
  }
  const { alt, width, height } = logo
  return html`<img${attributes({ src, alt, width, height })}>`
}

function footer({ texts, brand, languages }: PageShell): SafeHtml {
  const { privacy, terms, help } = brand.links ?? {}
  const links = [
    [help, 'page.help'],
    [privacy, 'page.privacy'],
    [terms, 'page.terms'],
  ] as const
  const shown = links.flatMap(([href, key]) =>
    href === undefined ? [] : [html`<a href="${href}">${texts.html(key)}</a>`],
  )
  const choice =
    languages.length < 2
      ? null
      : html`<nav aria-label="${texts.plain('page.languages')}">${languages.map((one) =>
          languageLink(one, texts.tag),
        )}</nav>`
  if (shown.length === 0 && choice === null) return html``
  return html`<footer>${choice}${shown.length > 0 ? html`<div>${shown}</div>` : null}</footer>`
}

function languageLink({ tag, name, href }: LanguageLink, current: string): SafeHtml {
  const isCurrent = tag === current ? 'true' : null
  const given = attributes({ href, lang: tag, hreflang: tag, 'aria-current': isCurrent })
  return html`<a${given}>${name}</a>`
}
