// The page of linked devices, a new device, and somebody in a browser without a window.
import { expect } from 'vitest'
import { totpCode } from '../../../src/testing/testing.js'
import { begin, type NewDevice, tv } from '../../device-links/link-host.js'
import { password, totpSecret } from '../../support/host.js'
import { type MountedHost, type MountedSettings, startMounted } from '../mounted/mounted-host.js'
import { openVisitor, type PageAnswer, type Visitor } from '../mounted/visitor.js'

/** Where a request seems to come from: devices send `X-Forwarded-For`, and visitors do not. */
const clientAddress = ({ headers }: { headers: Record<string, unknown> }) =>
  String(headers['x-forwarded-for'] ?? '192.0.2.1')

export function startLinkPages(settings: MountedSettings = {}): Promise<MountedHost> {
  const { options, ...others } = settings
  return startMounted({ ...others, options: { deviceLinks: {}, clientAddress, ...options } })
}

/** A new device shows a link. */
export function showLink(host: MountedHost, headers = tv): Promise<NewDevice> {
  // It asks by the clock that both share.
  return begin({ ...host.host(), clock: host.clock }, { name: 'Living room TV' }, headers)
}

/** Somebody signs in, and comes to the page. */
export async function openLinkPage(
  host: MountedHost,
  username = 'alice',
): Promise<{ visitor: Visitor; page: PageAnswer }> {
  const visitor = openVisitor(host)
  const first = await visitor.open(`${host.base}/account/link`)
  expect(first.heading).toBe('Sign in a device')
  return { visitor, page: await signInAt(host, visitor, first, username) }
}

/** Goes on from the page that asks to sign in first. */
async function signInAt(
  host: MountedHost,
  visitor: Visitor,
  first: PageAnswer,
  username: string,
): Promise<PageAnswer> {
  const way = /href="([^"]+)" data-link-goes/.exec(first.text)?.[1] ?? 'no way to sign in'
  return typePassword(host, visitor, await visitor.open(way.replaceAll('&amp;', '&')), username)
}

/** Fills in the sign-in, and a code where one is asked for. */
export async function typePassword(
  { clock }: MountedHost,
  visitor: Visitor,
  asked: PageAnswer,
  username: string,
): Promise<PageAnswer> {
  expect(asked.heading).toBe('Sign in')
  const next = await visitor.fill(asked, { username, password })
  if (next.heading !== 'Confirm that it is you') return next
  // The code before has been used.
  clock.advance(30)
  return visitor.fill(next, { code: totpCode(totpSecret, clock()) })
}
