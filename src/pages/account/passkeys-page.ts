import { AuthError } from '../../errors.js'
import type { BrowserUser } from '../../oauth/browser-sign-in.js'
import type { OwnPasskeys } from '../../passkeys/own-passkeys.js'
import { accountOf } from '../consent-page.js'
import { refusalOfCode } from '../enrolment-page.js'
import type { NewPasskey } from '../page-passkeys.js'
import { pageAddress } from '../page-request.js'
import type { RenewCookie } from '../renew-cookie.js'
import { type AccountFormPage, type Asking, type Changed, changedBy } from './account-form.js'

export interface PasskeysPageDeps {
  readonly ownPasskeys: OwnPasskeys
  readonly newPasskey: NewPasskey
  readonly renewCookie: RenewCookie
  /** The address of the router for browsers. */
  readonly baseUrl: URL
}

/** `/account/passkeys`: adds, renames and removes passkeys. */
export function createPasskeysPage(deps: PasskeysPageDeps): AccountFormPage {
  const { ownPasskeys, newPasskey, baseUrl } = deps
  const place = { raw: '', flow: null, language: null }
  const back = pageAddress(baseUrl, 'account', place)
  return {
    page: 'account/passkeys',
    needsFresh: true,

    async view(found, form) {
      const listed = await ownPasskeys.list(found.session.userId)
      const passkeys = listed.map(({ id, name, createdAt, lastUsedAt }) => ({
        id,
        name,
        createdAt: new Date(createdAt),
        lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt),
      }))
      const account = accountOf(found)
      return () => ({ page: 'account-passkeys', account, form, passkeys, back })
    },

    async submit(found, fields, asking) {
      const { session, approved } = found
      const { context } = asking.request
      if (fields.has('passkey')) {
        const onward = pageAddress(baseUrl, 'account/passkeys', place)
        const adding = { found, onward, showCodes: (codes: Codes) => showCodes(asking, codes) }
        return changedBy(await newPasskey.add(adding, fields, asking.request), asking)
      }
      const [choice = '', id = ''] = fields.text('choice').split(' ', 2)
      if (choice === 'add') {
        // Null only for a sign-in that has become too old in this moment.
        const part = await newPasskey.part(found, true)
        const shown = { page: 'add-passkey', account: accountOf(found) } as const
        const answer = await asking.show((form) => (texts) => ({
          ...shown,
          form,
          passkey: part?.(texts) ?? null,
        }))
        return { next: 'answer', answer }
      }
      if (choice === 'remove') {
        const asked = { session, user: approved.user }
        return remove(deps, found, asking, () => ownPasskeys.remove(asked, id, context))
      }
      if (!fields.has('id')) return { next: 'open', page: 'account/passkeys' }
      const named = { name: fields.text('name') }
      return rename(() => ownPasskeys.rename(session.userId, fields.text('id'), named))
    },
  }
}

type Codes = readonly string[]

function showCodes(asking: Asking, codes: Codes) {
  return asking.show((form) => () => ({ page: 'recovery-codes', form, codes }))
}

// Every copy of the cookie from before the change dies within seconds.
async function remove(
  { renewCookie }: PasskeysPageDeps,
  found: BrowserUser,
  asking: Asking,
  change: () => Promise<void>,
): Promise<Changed> {
  const { incoming } = asking.request
  const submitted = await renewCookie({ incoming, found }, async (beforehand) => {
    try {
      await beforehand()
      await change().catch(unlessGone)
      return { next: 'answer', answer: await asking.open('account/passkeys') }
    } catch (error) {
      return hasCode(error, 'last-sign-in-method') ? wrong : refusalOfCode(error)
    }
  })
  return changedBy(submitted, asking)
}

async function rename(change: () => Promise<unknown>): Promise<Changed> {
  try {
    await change().catch(unlessGone)
    return { next: 'open' }
  } catch (error) {
    if (hasCode(error, 'invalid-request')) return wrong
    throw error
  }
}

const wrong = { next: 'again', status: 422, fault: { kind: 'wrong' } } as const

// Removed in another tab since the page was shown.
function unlessGone(error: unknown): void {
  if (!hasCode(error, 'not-found')) throw error
}

function hasCode(error: unknown, code: AuthError['code']): boolean {
  return error instanceof AuthError && error.code === code
}
