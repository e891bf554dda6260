// A server with the pages, whose option `accounts` mails into a list.
import type { AccountsOptions, Mail, MailKind, PagesOptions } from '../../../src/index.js'
import { type MountedHost, type MountedSettings, startMounted } from '../mounted/mounted-host.js'
import { openVisitor, type PageAnswer, type Visitor } from '../mounted/visitor.js'

/** A password that the rules accept. */
export const newPassword = 'a longer phrase that nobody else types'

export interface MailHost extends MountedHost {
  readonly mails: Mail[]
  /** The mails of a kind, once the router has sent what it is still working on. */
  mailed(kind: MailKind): Promise<readonly Mail[]>
  /** The link of the last mail of a kind. */
  link(kind: MailKind): Promise<string>
  /** The code of the last mail of a kind. */
  code(kind: MailKind): Promise<string>
}

export interface MailSettings extends MountedSettings {
  readonly accounts?: Partial<AccountsOptions>
  readonly pages?: PagesOptions
}

/** Starts it with alice and bob, whose addresses are proven. */
export async function startMailPages(settings: MailSettings = {}): Promise<MailHost> {
  const mails: Mail[] = []
  const { accounts, pages, options, ...rest } = settings
  const mail = { send: async (one: Mail) => void mails.push(one) }
  const host = await startMounted({
    ...rest,
    options: {
      accounts: { mail, ...accounts },
      ...(pages === undefined ? {} : { pages }),
      ...options,
    },
  })
  for (const name of ['alice', 'bob'])
    host.users.change(`u-${name}`, { email: `${name}@example.com`, emailVerified: true })
  async function mailed(kind: MailKind) {
    while (host.host().auth.stats().mail.waiting > 0)
      await new Promise((resolve) => setTimeout(resolve, 2))
    return mails.filter((one) => one.kind === kind)
  }
  return {
    ...host,
    mails,
    mailed,
    async link(kind) {
      const url = (await mailed(kind)).at(-1)?.url ?? 'no link'
      host.host().issued.add(tokenOf(url))
      return url
    },
    async code(kind) {
      const code = (await mailed(kind)).at(-1)?.code ?? 'no code'
      host.host().issued.add(code)
      return code
    },
  }
}

export function tokenOf(url: string): string {
  return new URL(url).searchParams.get('token') ?? 'no token'
}

/** Asks for a link by the page, and returns it. */
export async function askForLink(
  host: MailHost,
  username = 'alice',
  visitor: Visitor = openVisitor(host),
): Promise<string> {
  await visitor.fill(await visitor.open(`${host.base}/account/forgot`), { username })
  return host.link('reset-password')
}

/** The link of a page, by its text. */
export function linkOn({ text, url }: PageAnswer, name: string): string {
  const href = new RegExp(`<a href="([^"]*)">${name}`).exec(text)?.[1]
  if (href === undefined) throw new Error(`no link ${name} on ${url}: ${text}`)
  return href.replaceAll('&amp;', '&')
}
