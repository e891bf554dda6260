import type { AccountsOptions, Mail, TextMessage } from 'messaging-auth-router'
import type { Settings } from './settings.js'

/**
 * Lets users set a forgotten password, change it and their address, sign in by mailed codes or have
 * them as a second factor, and delete their account; with `REGISTRATION`, also make one. See
 * docs/accounts.md; and with `PHONES`, by text message: see docs/phones.md. A server of yours hands
 * mails and messages to its services. This one writes them to the terminal.
 */
export function accountsOptions({
  mail,
  registration,
  phoneCountries: countries,
}: Pick<Settings, 'mail' | 'registration' | 'phoneCountries'>): AccountsOptions | undefined {
  if (mail === 'off') return undefined
  return {
    mail: { send: async (one) => print(one) },
    emailSecondFactor: true,
    emailSignIn: true,
    deletion: true,
    ...(registration && { registration }),
    ...(countries.length > 0 && {
      phones: { send: async (one) => printText(one), countries, signIn: true, secondFactor: true },
    }),
  }
}

function printText({ to, text }: TextMessage): void {
  show([`Text message to ${to}`, '', ...text.split('\n')])
}

function print({ to, subject, text }: Mail): void {
  show([`Mail to ${to}`, `Subject: ${subject}`, '', ...text.trimEnd().split('\n')])
}

function show(lines: readonly string[]): void {
  process.stdout.write(`\n${lines.map((line) => `  | ${line}`.trimEnd()).join('\n')}\n\n`)
}
