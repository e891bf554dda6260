// Every state that a page can be in, by a name that can stand in a path: those of the contract, and
// names that are as long as they may be.

import { encode } from 'uqr'
import type { PageShell } from '../../../src/pages/layout.js'
import { createTexts } from '../../../src/pages/texts.js'
import { otpauthUri, statesOf, usualData } from './states-of.js'
import type { View } from './views.js'

export const service = 'Example Chat'
const passkeyScript = '/oauth/assets/passkeys-0123456789abcdef.js'
const texts = createTexts(undefined, service)

/** What is around a page, as an endpoint would make it. */
export function shellIn(tag: string, given: Partial<PageShell> = {}): PageShell {
  const pageTexts = texts.get(tag)
  if (pageTexts === undefined) throw new Error(`no texts in ${tag}`)
  return {
    texts: pageTexts,
    brand: {
      name: service,
      links: {
        help: 'https://chat.example.com/help',
        privacy: 'https://chat.example.com/privacy',
        terms: 'https://chat.example.com/terms',
      },
    },
    stylesheet: '/page.css',
    logo: null,
    icon: '/icon.svg',
    passwordScript: '/oauth/assets/show-password-0123456789abcdef.js',
    passkeyScript,
    languages: [...texts.values()].map((one) => ({
      tag: one.tag,
      name: one.plain('language.name'),
      href: `?lang=${one.tag}`,
    })),
    home: 'https://chat.example.com/',
    ...given,
  }
}

const data = {
  ...usualData,
  redirect: '/landed?code=mar_oc_1&state=2',
  qr: encode(otpauthUri, { ecc: 'M', border: 0 }).data,
}

/** All of them. */
export const states: Readonly<Record<string, View>> = {
  ...statesOf(data),
  'consent-long-names': statesOf({
    ...data,
    foreignClient: { name: `Ab${'c'.repeat(58)}`, host: `${'a'.repeat(60)}.example.net` },
    account: { name: 'ا'.repeat(60), username: `${'x'.repeat(48)}@example.com` },
    scopes: ['W'.repeat(120)],
  })['consent'] as View,
}
