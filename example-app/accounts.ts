import type { AccountsOptions, Mail } from 'messaging-auth-router'
import type { Settings } from './settings.js'

/**
 * Lets users set a forgotten password, change it and their address, sign in by mailed codes or have
 * them as a second factor, and delete their account; with `REGISTRATION`, also make one. See
 * docs/accounts.md. A server of yours hands the mail to its mail server or its queue. This one
 * writes it to the terminal.
 */
export function accountsOptions({
  mail,
  registration,
}: Pick<Settings, 'mail' | 'registration'>): AccountsOptions | undefined {
  if (mail === 'off') return undefined
  return {
    mail: { send: async (one) => print(one) },
    emailSecondFactor: true,
    emailSignIn: true,
    deletion: true,
    ...(registration && { registration }),
  }
}

function print({ to, subject, text }: Mail): void {
  const lines = [`Mail to ${to}`, `Subject: ${subject}`, '', ...text.trimEnd().split('\n')]
  process.stdout.write(`\n${lines.map((line) => `  | ${line}`.trimEnd()).join('\n')}\n\n`)
}
