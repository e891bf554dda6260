import { AuthError } from '../../errors.js'
import { typedDigits } from '../../lib/typed-code.js'
import type { BrowserUser } from '../../oauth/browser-sign-in.js'
import { linkScript } from '../assets/scripts.js'
import { type ServedFile, scriptFile } from '../assets.endpoint.js'
import { accountOf } from '../consent-page.js'
import type { FormFields } from '../form-page.js'
import { assetAddress, type PageSite } from '../page-site.js'
import type { View } from '../view.js'
import type { Note } from '../view-parts.js'
import type { AccountFormPage, Asking, Changed } from './account-form.js'
import type { AskingUser, LinksOnPages } from './parts.js'

export interface LinkPageDeps {
  readonly linksOnPages: LinksOnPages
  readonly pageSite: Pick<PageSite, 'baseUrl'>
}

/** The script of the page. */
export const linkScriptFile: ServedFile = scriptFile('link', linkScript)

/**
 * `/account/link`: a user opens the link that a new device shows, reads which device it is, and
 * types its check code.
 */
export function createLinkPage({ linksOnPages: links, pageSite }: LinkPageDeps): AccountFormPage {
  const shown = { linkScript: assetAddress(pageSite, linkScriptFile) }
  return {
    page: 'account/link',
    needsFresh: true,
    maxAge: links.maxSignInAge,
    // The id of a link that is open. It opens nothing, and is no secret.
    ownQuery: (query) => (linkIdIn(query) === '' ? '' : query),
    // Not to the sign-in at once: on the way there the fragment would be lost.
    beforeSignIn: (signIn) => ({ page: 'link-sign-in', signIn, ...shown }),

    async view(found, form, { query, request }) {
      const linkId = linkIdIn(query)
      const account = accountOf(found)
      const device = linkId === '' ? null : await links.look(askingOf(found), linkId, request)
      if (device !== null) return () => ({ page: 'link-device', account, form, device })
      // The link is over, which has to be said.
      const fault = linkId === '' ? form.fault : wrong.fault
      return () => ({ page: 'link', account, form: { ...form, fault }, ...shown })
    },

    async submit(found, fields, asking) {
      if (fields.text('choice') === 'deny') return deny(links, found, asking)
      if (fields.has('link')) return open(links, found, fields, asking)
      return approve(links, found, fields, asking)
    },
  }
}

const wrong = { next: 'again', status: 422, fault: { kind: 'wrong' } } as const

function linkIdIn(query: string): string {
  return /^link=([A-Za-z0-9_-]{43})$/.exec(query)?.[1] ?? ''
}

function askingOf({ session, approved: { user } }: BrowserUser): AskingUser {
  return { session, user }
}

/** Characters of a link. */
const maxLinkChars = 64

async function open(
  links: LinksOnPages,
  found: BrowserUser,
  fields: FormFields,
  { request, signInAgain }: Asking,
): Promise<Changed> {
  const typed = fields.text('link')
  // A whole address may be pasted.
  const link = typed.slice(typed.lastIndexOf('#') + 1).trim()
  if (link.length > maxLinkChars) return wrong
  return orRefused(async () => {
    const { linkId, mustSignIn } = await links.open(askingOf(found), link, request)
    const query = `link=${linkId}`
    return mustSignIn ? { next: 'answer', answer: signInAgain(query) } : { next: 'open', query }
  })
}

async function approve(
  links: LinksOnPages,
  found: BrowserUser,
  fields: FormFields,
  asking: Asking,
): Promise<Changed> {
  const { request, query, signInAgain } = asking
  const linkId = linkIdIn(query)
  const checkCode = typedDigits(fields.text('check_code'))
  // What cannot be a code costs no try.
  if (linkId === '' || !/^\d{4}$/.test(checkCode)) return wrong
  return orRefused(async () => {
    const approval = await links.approve(askingOf(found), { linkId, checkCode }, request)
    if (approval === 'approved') return note('device-approved', asking)
    return { next: 'answer', answer: signInAgain(query) }
  })
}

async function deny(links: LinksOnPages, found: BrowserUser, asking: Asking): Promise<Changed> {
  return orRefused(async () => {
    await links.deny(askingOf(found), linkIdIn(asking.query), asking.request)
    return note('device-denied', asking)
  })
}

// One answer for every reason: a stranger must not learn which links there are.
async function orRefused(work: () => Promise<Changed>): Promise<Changed> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    const { code, clientMessage: message } = error
    if (code === 'proof-refused') return wrong
    if (code !== 'forbidden') throw error
    return { next: 'again', status: 403, fault: { kind: 'refused', message } }
  }
}

async function note(which: Note, { show }: Pick<Asking, 'show'>): Promise<Changed> {
  const view: View = { page: 'note', note: which, onward: null }
  return { next: 'answer', answer: await show(() => () => view) }
}
