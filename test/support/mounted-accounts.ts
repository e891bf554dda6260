// The option `accounts` for hosts of tests: a router whose endpoints of accounts are mounted.
import type { AccountsOptions, AuthRouterOptions, Mail } from '../../src/index.js'

/** Options of a router with `accounts`, which puts its mails into the list. */
export function accountsOptions(
  mails: Mail[] = [],
  more: Partial<AccountsOptions> = {},
): Pick<AuthRouterOptions, 'accounts'> {
  return {
    accounts: {
      mail: { send: async (mail) => void mails.push(mail) },
      links: {
        reset: 'https://chat.example.com/#/reset/{token}',
        undo: 'https://chat.example.com/#/undo/{token}',
        invitation: 'https://chat.example.com/#/invitation/{token}',
      },
      emailSecondFactor: true,
      emailSignIn: true,
      registration: 'open',
      deletion: true,
      phones: {
        // Among the mails: what tests read of one stands in the other, too.
        send: async (message) => void mails.push(message as unknown as Mail),
        countries: ['DE'],
        signIn: true,
        secondFactor: true,
      },
      ...more,
    },
  }
}

/** The token in the link of a mail. */
export function tokenIn(url: string | undefined): string {
  return url?.split('/').at(-1) ?? 'no link'
}
