import { AuthConfigError } from '../errors.js'
import { addressAt } from '../oauth/base-url.js'
import type { SessionRecord } from '../stores/contract.js'
import type { ProofPurpose } from '../stores/proof-contract.js'

/** Purposes whose mail has a link with a token. */
export type LinkPurpose = Extract<ProofPurpose, 'reset' | 'undo-address' | 'invitation'>

/**
 * Addresses of the host's own pages, with `{token}` once in the fragment, the path or the query.
 * With the option `oauth`, a missing one leads to the router's page below `/account`.
 */
export interface AccountLinks {
  /** Where a user sets a new password: `https://chat.example.com/#/reset/{token}`. */
  readonly reset?: string
  /** Where a user undoes a change of the address. */
  readonly undo?: string
  /** Where somebody who is invited registers. Required for `registration: 'invited'`. */
  readonly invitation?: string
  /**
   * Where a mailed code is filled in, in the browser that has asked for it. `{token}` becomes the
   * request id, a dot and the code. Default: with `oauth`, the router's page, for codes that a
   * browser's session has asked for; without, a mail with a code has no link.
   */
  readonly confirm?: string
}

/** The address of the page that takes the token of a link. */
export type LinkTo = (purpose: LinkPurpose, token: string) => string

const names = { reset: 'reset', 'undo-address': 'undo', invitation: 'invitation' } as const

/** `pagesUrl`: the address of the router for browsers; undefined: it has no pages. */
export function createLinkTo(links: AccountLinks, pagesUrl: URL | undefined): LinkTo {
  return function linkTo(purpose, token) {
    const name = names[purpose]
    const link = links[name]
    if (link !== undefined) return link.replace('{token}', token)
    // Checked at the start, where it is certain that mails need it.
    if (pagesUrl === undefined) throw noLink(name)
    // In the query: a page without JavaScript cannot read a fragment.
    return addressAt(pagesUrl, `/account/${name}?token=${token}`)
  }
}

/** A link that the host's options lack. */
export function noLink(name: keyof AccountLinks): AuthConfigError {
  return new AuthConfigError(
    `accounts.links.${name}`,
    'is missing, and mails have nowhere to lead.',
    `pass your page: https://chat.example.com/#/${name}/{token}.`,
  )
}

/** The address of the page that fills a mailed code in; undefined without such a page. */
export type LinkToCode = (
  session: Pick<SessionRecord, 'kind'> | null,
  mailed: { readonly requestId: string; readonly code: string },
) => string | undefined

/** `pagesUrl`: the address of the router for browsers; undefined: it has no account pages. */
export function createLinkToCode(
  { confirm }: Pick<AccountLinks, 'confirm'>,
  pagesUrl: URL | undefined,
): LinkToCode {
  return function linkToCode(session, { requestId, code }) {
    if (confirm !== undefined) return confirm.replace('{token}', `${requestId}.${code}`)
    // Only a browser's cookie shows who is signed in there.
    if (pagesUrl === undefined || session?.kind !== 'browser') return undefined
    return addressAt(pagesUrl, `/account/confirm?request=${requestId}&code=${code}`)
  }
}
