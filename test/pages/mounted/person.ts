// Somebody in a browser who does what each page asks for, until she is where she wanted to be.
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { totpCode } from '../../../src/testing/testing.js'
import { password, totpSecret } from '../../support/host.js'
import { type MountedHost, recoveryCodes } from './mounted-host.js'

/** A user, by the name that she types. */
export type Name = 'alice' | 'bob' | 'carol' | 'dora'

/** The heading of a client's own page. */
export const landed = 'Landed'
/** More than any way has; who needs more goes in circles. */
const maxPages = 9

/** Where somebody went, by the headings. */
export type Way = readonly string[]

/** What she does on a page, by its heading. */
type Act = (tab: Page, name: Name, host: Pick<MountedHost, 'clock'>) => Promise<void>

const acts: Readonly<Record<string, Act>> = {
  'Sign in': async (tab, name) => {
    const username = tab.getByLabel('E-mail or user name')
    if ((await username.inputValue()) !== name) await username.fill(name)
    await tab.getByLabel('Password').fill(password)
    await press(tab, 'Sign in')
  },
  'Confirm that it is you': async (tab, _name, { clock }) => {
    if ((await tab.locator('#recovery-code').count()) > 0)
      await tab.fill('#recovery-code', await unusedRecoveryCode(tab))
    else await tab.fill('#one-time-code', nextCode(totpSecret, clock))
    await press(tab, 'Confirm')
  },
  'Set up a second factor': async (tab, _name, { clock }) => {
    const secret = (await tab.locator('code.secret').innerText()).replaceAll(' ', '')
    await tab.fill('#one-time-code', nextCode(secret, clock))
    await press(tab, 'Switch on')
  },
  'Keep your recovery codes': (tab) => press(tab, 'I have kept them'),
  'Add a passkey?': (tab) => press(tab, 'Not now'),
  'Allow access?': (tab, _name, { clock }) => choose(tab, 'Allow', clock),
  'Continue?': (tab, _name, { clock }) => choose(tab, 'Continue', clock),
  'Sign out?': (tab) => press(tab, 'Sign out'),
}

/** Chooses what a page asks for, once it has been read. */
async function choose(tab: Page, name: string, clock: MountedHost['clock']): Promise<void> {
  clock.advance(1)
  await press(tab, name)
}

/** Presses a button, and waits for the page that comes. */
export async function press(tab: Page, name: string): Promise<void> {
  await leaving(tab, () => tab.getByRole('button', { name, exact: true }).click())
}

/** Does what leads to another document, and waits for that, by whatever redirects. */
export async function leaving(tab: Page, act: () => Promise<unknown>): Promise<void> {
  await tab.evaluate("document.documentElement.dataset.left = ''")
  await act()
  await until(tab, 'document.documentElement.dataset.left === undefined')
  await settled(tab)
}

// Asked from here again and again: what waits within a page is stopped by its policy.
async function until(tab: Page, condition: string): Promise<void> {
  // While one document follows another there is nobody to ask.
  const holds = () => tab.evaluate(condition).catch(() => false)
  await expect.poll(holds, { interval: 40 }).toBe(true)
}

/** Where a tab is once nothing leads it on any more, by the heading. Never a blank page. */
export async function settled(tab: Page): Promise<string> {
  await until(
    tab,
    "document.readyState === 'complete' && !document.querySelector('meta[http-equiv=refresh]')",
  )
  const heading = await tab.locator('h1').first().innerText()
  expect(heading, `a blank page at ${tab.url()}`).not.toBe('')
  return heading
}

/**
 * Goes on from whatever page there is until the client, or until somebody is signed out. What was
 * typed as the name must be there still where the sign-in is shown again.
 */
export function arrive(tab: Page, name: Name, host: Pick<MountedHost, 'clock'>): Promise<Way> {
  return arriveAt(landed, tab, name, host)
}

/** The same until a page with this heading. */
export async function arriveAt(
  goal: string,
  tab: Page,
  name: Name,
  host: Pick<MountedHost, 'clock'>,
): Promise<Way> {
  const way = [await settled(tab)]
  while (way.at(-1) !== goal && way.at(-1) !== 'You are signed out') {
    const act = acts[way.at(-1) as string]
    if (act === undefined || way.length > maxPages)
      throw new Error(`${way.join(', ')} at ${tab.url()}: ${await tab.innerText('main')}`)
    await act(tab, name, host)
    way.push(await settled(tab))
    await expectNameKept(tab, way, name)
  }
  return way
}

const typing = ['Sign in', 'Confirm that it is you']

async function expectNameKept(tab: Page, way: Way, name: Name): Promise<void> {
  if (way.at(-1) !== 'Sign in' || !typing.includes(way.at(-2) as string)) return
  expect(await tab.getByLabel('E-mail or user name').inputValue(), way.join(', ')).toBe(name)
  expect(await tab.locator('#fault').innerText(), 'why it is shown again').not.toBe('')
}

// A code opens one session: it is always the one after the last.
function nextCode(secret: string, clock: MountedHost['clock']): string {
  clock.advance(30)
  return totpCode(secret, clock())
}

const usedBy = new WeakMap<object, number>()

async function unusedRecoveryCode(tab: Page): Promise<string> {
  const used = usedBy.get(tab) ?? 0
  usedBy.set(tab, used + 1)
  return recoveryCodes[used] as string
}
