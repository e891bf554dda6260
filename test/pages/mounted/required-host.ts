// A host whose users must do something before a session opens anything, and what they do there.
import { totpCode } from '../../../src/testing/testing.js'
import { password } from '../../support/host.js'
import type { TestUser } from '../../support/users.js'
import {
  type MailHost,
  type MailSettings,
  newPassword,
  startMailPages,
} from '../account/mail-host.js'
import { secretIn } from './forms.js'
import { type PageAnswer, type Visitor, wayTo } from './visitor.js'

/** The headings of the pages. */
export const headings = {
  password: 'Set a new password',
  address: 'E-mail address',
  code: 'Type the code',
  enrolment: 'Set up a second factor',
  acceptance: 'Before you go on',
} as const

const privacy = { id: 'privacy', version: '1', name: 'Privacy', url: 'https://example.com/privacy' }
const terms = { ...privacy, id: 'terms', name: 'Terms of use', url: 'https://example.com/terms' }

/** A running host. */
export interface RequiredHost extends MailHost {
  /** Another process takes over, whose terms have this version. */
  publish(version: string): Promise<void>
  alice(): TestUser
}

export interface RequiredSettings extends MailSettings {
  /** Whether the host has documents. Default: it has none. */
  readonly documents?: boolean
  /** Whether addresses must be proven. Default: they need not. */
  readonly provenAddress?: boolean
  /** Changes alice, who has a proven address. */
  readonly alice?: Partial<TestUser>
}

/** Starts it. */
export async function startRequired(settings: RequiredSettings = {}): Promise<RequiredHost> {
  const { documents = false, provenAddress = false, alice = {}, accounts, ...rest } = settings
  let version = '1'
  const host = await startMailPages({
    ...rest,
    accounts: { provenAddress, ...accounts },
    optionsAt: (_origin, { users }) => {
      if (!documents) return {}
      const current = ({ id }: { readonly id: string }) => users.rows.get(id)?.accepted ?? []
      return { acceptance: { documents: [{ ...terms, version }, privacy], current } }
    },
  })
  host.users.change('u-alice', alice)
  return {
    ...host,
    async publish(next) {
      version = next
      await host.restart()
    },
    alice: () => host.users.rows.get('u-alice') as TestUser,
  }
}

/** What sets another password. */
export const anotherPassword = { present: password, password: newPassword }

/** The code that has come by mail. */
export async function typeMailedCode(
  visitor: Visitor,
  host: RequiredHost,
  page: PageAnswer,
  kind: 'verify-address' | 'change-address' = 'verify-address',
): Promise<PageAnswer> {
  return visitor.fill(page, { code: await host.code(kind) })
}

/** Sets up a second factor, and keeps the recovery codes. */
export async function enrol(
  visitor: Visitor,
  { clock }: RequiredHost,
  page: PageAnswer,
): Promise<PageAnswer> {
  const codes = await visitor.fill(page, { code: totpCode(secretIn(page.text), clock()) })
  return visitor.fill(codes, {})
}

/** What the client is told at the end. */
export function toldBy(page: PageAnswer): Record<string, string> {
  return Object.fromEntries(wayTo(page)?.searchParams ?? [])
}

/** Whether the client has its code. */
export function hasCode(page: PageAnswer): boolean {
  return toldBy(page)['code']?.startsWith('mar_oc_') === true
}
