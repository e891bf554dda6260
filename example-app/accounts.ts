import type { AccountsOptions, Mail } from 'messaging-auth-router'
import type { Settings } from './settings.js'

/**
 * Lets users set a forgotten password, change it and their address, and have codes by mail as a
 * second factor: see docs/accounts.md. A server of yours hands the mail to its mail server or its
 * queue. This one writes it to the terminal.
 */
export function accountsOptions({ mail }: Pick<Settings, 'mail'>): AccountsOptions | undefined {
  if (mail === 'off') return undefined
  return { mail: { send: async (one) => print(one) }, emailSecondFactor: true }
}

function print({ to, subject, text }: Mail): void {
  const lines = [`Mail to ${to}`, `Subject: ${subject}`, '', ...text.trimEnd().split('\n')]
  process.stdout.write(`\n${lines.map((line) => `  | ${line}`.trimEnd()).join('\n')}\n\n`)
}
