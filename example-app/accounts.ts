import type { AccountsOptions, Mail } from 'messaging-auth-router'
import type { Settings } from './settings.js'

/**
 * Lets users set a forgotten password and prove their addresses: see docs/accounts.md. A real
 * server hands the mail to its mail server or queue; this one writes it to the terminal.
 */
export function accountsOptions({ mail }: Pick<Settings, 'mail'>): AccountsOptions | undefined {
  return mail === 'off' ? undefined : { mail: { send: async (one) => print(one) } }
}

function print({ to, subject, text }: Mail): void {
  process.stdout.write(`--- mail to ${to}: ${subject}\n${text}---\n`)
}
