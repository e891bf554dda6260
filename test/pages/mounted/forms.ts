// Every form of the pages by HTTP: how a visitor comes to it, what she sends, and what it may bring
// about.
import { totpCode } from '../../../src/testing/testing.js'
import { password, totpSecret } from '../../support/host.js'
import { type MountedHost, queryOf, recoveryCodes, tracker, wiki } from './mounted-host.js'
import { formOf, type PageAnswer, type Visitor } from './visitor.js'

/** A form. */
export interface Form {
  readonly page: string
  readonly heading: string
  /** Leads a visitor there. */
  reach(visitor: Visitor, host: MountedHost): Promise<PageAnswer>
  /** What sends it so that it does something. */
  typed(page: PageAnswer, host: MountedHost): Readonly<Record<string, string>>
}

/** The address of a page, or of the endpoint that decides. */
export function addressOf(
  { base }: Pick<MountedHost, 'base'>,
  page: string,
  query: string = queryOf(wiki),
): string {
  return `${base}/oauth/${page}?${query}`
}

/** Types name and password, wherever that leads. */
export async function signIn(
  visitor: Visitor,
  host: MountedHost,
  username: string,
  query: string = queryOf(wiki),
): Promise<PageAnswer> {
  return visitor.fill(await openSignIn(visitor, host, query), { username, password })
}

/** The form of the sign-in, as whoever wants another account comes to it. */
export async function openSignIn(
  visitor: Visitor,
  host: MountedHost,
  query: string = queryOf(wiki),
): Promise<PageAnswer> {
  const answer = await visitor.send(addressOf(host, 'sign-in', query), 'choice=other')
  return visitor.open(answer.headers.location as string)
}

export const signInForm: Form = {
  page: 'sign-in',
  heading: 'Sign in',
  reach: (visitor, host) => visitor.open(addressOf(host, 'authorize')),
  typed: () => ({ username: 'alice', password }),
}
export const secondFactorForm: Form = {
  page: 'second-factor',
  heading: 'Confirm that it is you',
  reach: (visitor, host) => signIn(visitor, host, 'bob'),
  typed: (_page, { clock }) => ({ code: totpCode(totpSecret, clock()) }),
}
export const consentForm: Form = {
  page: 'consent',
  heading: 'Allow access?',
  reach: (visitor, host) => signIn(visitor, host, 'alice', queryOf(tracker)),
  typed: () => ({ choice: 'allow' }),
}
export const enrolmentForm: Form = {
  page: 'enrolment',
  heading: 'Set up a second factor',
  reach: (visitor, host) => signIn(visitor, host, 'carol'),
  typed: ({ text }, { clock }) => ({ code: totpCode(secretIn(text), clock()) }),
}

/** All of them. */
export const forms: readonly Form[] = [
  signInForm,
  secondFactorForm,
  {
    page: 'recovery-code',
    heading: 'Confirm that it is you',
    async reach(visitor, host) {
      const { url } = await secondFactorForm.reach(visitor, host)
      return visitor.open(url.replace('/second-factor?', '/recovery-code?'))
    },
    typed: () => ({ code: recoveryCodes[0] as string }),
  },
  enrolmentForm,
  consentForm,
  {
    page: 'continue',
    heading: 'Continue?',
    async reach(visitor, host) {
      await signIn(visitor, host, 'alice')
      const query = queryOf(wiki, { prompt: 'select_account' })
      return visitor.open(addressOf(host, 'authorize', query))
    },
    typed: () => ({ choice: 'continue' }),
  },
  {
    page: 'sign-out',
    heading: 'Sign out?',
    async reach(visitor, host) {
      await signIn(visitor, host, 'alice')
      return visitor.open(`${host.base}/oauth/sign-out`)
    },
    typed: () => ({}),
  },
]

/** The secret that a page shows, for an authenticator app. */
export function secretIn(text: string): string {
  return (/<code class="secret"[^>]*>([A-Z2-7 ]+)</.exec(text)?.[1] ?? '').replaceAll(' ', '')
}

const people = ['alice', 'bob', 'carol', 'dora'].map((name) => `u-${name}`)

/** All that forms can bring about, to be compared: sessions, consents, factors and codes issued. */
export async function effectsIn({ stores, oauthStores, clock, host }: MountedHost) {
  const rows = await Promise.all(
    people.map(async (id) => ({
      id,
      sessions: (await stores.sessions.listForUser(id, clock())).map(({ id: session }) => session),
      consents: await Promise.all(
        ['wiki', 'tracker'].map((client) => oauthStores.consents.find(id, client)),
      ),
      hasFactor: (await stores.secondFactors.find(id)) !== null,
    })),
  )
  const codes = host().events.filter(({ type }) => type === 'code.issued').length
  return { rows, codes }
}

/** The token that a form carries. */
export function csrfOf(page: PageAnswer): string {
  return formOf(page).fields['csrf'] ?? ''
}
