import type { ProofPurpose } from '../stores/proof-contract.js'

/** Purposes whose mail has a link with a token. */
export type LinkPurpose = Extract<ProofPurpose, 'reset' | 'undo-address'>

/** Addresses of the host's own pages, with `{token}` in the fragment. */
export interface AccountLinks {
  /** Where a user sets a new password: `https://chat.example.com/#/reset/{token}`. */
  readonly reset?: string
  /** Where a user undoes a change of the address. */
  readonly undo?: string
}

/** The address of the page that takes the token of a link. */
export type LinkTo = (purpose: LinkPurpose, token: string) => string

const names = { reset: 'reset', 'undo-address': 'undo' } as const

export function createLinkTo(links: AccountLinks): LinkTo {
  return function linkTo(purpose, token) {
    // Checked at the start.
    return (links[names[purpose]] ?? '').replace('{token}', token)
  }
}
