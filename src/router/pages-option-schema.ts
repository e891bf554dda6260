import type { z } from 'zod'
import { isPagesOrigin } from '../http/page-origin.js'
import { callable, fitting, optionsOf, text } from '../lib/check-options.js'
import { isWellFormed } from '../lib/well-formed.js'
import type { BrandOptions } from '../pages/brand.js'
import type { PagesOptions, RenderPage } from '../pages/pages-options.js'
import type { TextOptions } from '../pages/texts.js'

type Shape = { readonly [Name in keyof Required<PagesOptions>]: z.ZodType<PagesOptions[Name]> }

/** Characters of the host's own CSS. */
const maxCssChars = 64 * 1024

const isObject = (value: unknown) => typeof value === 'object' && value !== null
const isCss = (value: unknown) =>
  typeof value === 'string' && value.length <= maxCssChars && isWellFormed(value)

const shape: Shape = {
  // Judged one by one where they are read.
  brand: fitting<BrandOptions>(isObject, 'is not an object with a name.').optional(),
  texts: fitting<TextOptions>(isObject, 'is not a table of languages.').optional(),
  css: fitting<string>(isCss, `is not a text of at most ${maxCssChars} characters.`).optional(),
  language: text().optional(),
  qrCode: callable<NonNullable<PagesOptions['qrCode']>>().optional(),
  home: fitting<string>(isHome, 'is neither https nor http on the machine itself.').optional(),
  render: callable<RenderPage>().optional(),
}

/** How the option `pages` is checked. */
export const pagesOptions: z.ZodType<PagesOptions> = optionsOf(shape) as z.ZodType<PagesOptions>

function isHome(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > 2000 || !URL.canParse(value)) return false
  return isPagesOrigin(new URL(value).origin)
}
