// The pages on which somebody has something to do, and the real way to each.
import type { Page } from 'playwright-core'
import { password } from '../../support/host.js'
import { desktop, type MountedHost, phone, queryOf, tracker, wiki } from './mounted-host.js'
import { arrive, landed, leaving, type Name, press } from './person.js'

/** One of them. */
export interface Stop {
  readonly title: string
  readonly heading: string
  /** Who comes there. */
  readonly name: Name
  /** The heading of the page at the end. */
  readonly end: string
  reach(tab: Page, host: MountedHost): Promise<void>
}

const clients = { wiki, tracker, desktop, phone }
type ClientName = keyof typeof clients

/** Where a client sends browsers to. */
export function authorizeAt(
  { base }: Pick<MountedHost, 'base'>,
  client: ClientName,
  change: Readonly<Record<string, string>> = {},
): string {
  return `${base}/oauth/authorize?${queryOf(clients[client], change)}`
}

/** Types name and password at the sign-in page. */
export async function signIn(tab: Page, name: Name): Promise<void> {
  await tab.getByLabel('E-mail or user name').fill(name)
  await tab.getByLabel('Password').fill(password)
  await press(tab, 'Sign in')
}

async function signInTo(
  tab: Page,
  host: MountedHost,
  name: Name,
  client: ClientName,
): Promise<void> {
  await tab.goto(authorizeAt(host, client))
  await signIn(tab, name)
}

const secondFactor: Stop = {
  title: 'the second factor',
  heading: 'Confirm that it is you',
  name: 'bob',
  end: landed,
  reach: (tab, host) => signInTo(tab, host, 'bob', 'wiki'),
}
const enrolment: Stop = {
  title: 'the enrolment',
  heading: 'Set up a second factor',
  name: 'carol',
  end: landed,
  reach: (tab, host) => signInTo(tab, host, 'carol', 'wiki'),
}

/** All of them. */
export const stops: readonly Stop[] = [
  {
    title: 'the sign-in',
    heading: 'Sign in',
    name: 'alice',
    end: landed,
    reach: async (tab, host) => void (await tab.goto(authorizeAt(host, 'wiki'))),
  },
  secondFactor,
  {
    ...secondFactor,
    title: 'the recovery code',
    async reach(tab, host) {
      await secondFactor.reach(tab, host)
      await leaving(tab, () => tab.getByRole('link', { name: 'Use a recovery code' }).click())
    },
  },
  enrolment,
  {
    title: 'the consent',
    heading: 'Allow access?',
    name: 'alice',
    end: landed,
    reach: (tab, host) => signInTo(tab, host, 'alice', 'tracker'),
  },
  {
    title: 'the question who goes on',
    heading: 'Continue?',
    name: 'alice',
    end: landed,
    async reach(tab, host) {
      await tab.goto(authorizeAt(host, 'wiki'))
      await arrive(tab, 'alice', host)
      await tab.goto(authorizeAt(host, 'wiki', { prompt: 'select_account' }))
    },
  },
  {
    title: 'signing out',
    heading: 'Sign out?',
    name: 'alice',
    end: 'You are signed out',
    async reach(tab, host) {
      await tab.goto(authorizeAt(host, 'wiki'))
      await arrive(tab, 'alice', host)
      await tab.goto(`${host.base}/oauth/sign-out`)
    },
  },
]
