// One browser with three tabs, in which two people come and go in any order: pages are opened,
// sent, sent once more hours later, and left behind. Nothing that comes of it is in the name of
// another than stood on the page that was sent. `ROUNDS=3` plays more of it; a failure prints
// seed and path.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { password } from '../../support/host.js'
import { rounds } from '../../support/rounds.js'
import { addressOf } from './forms.js'
import { desktop, type MountedHost, queryOf, startMounted, tracker, wiki } from './mounted-host.js'
import { openVisitor, type PageAnswer, type Visitor } from './visitor.js'

const runs = rounds(30)
const asked = [
  queryOf(tracker, { prompt: 'consent' }),
  queryOf(tracker, { scope: 'openid' }),
  queryOf(wiki, { prompt: 'login' }),
  queryOf(wiki, { prompt: 'select_account' }),
  queryOf(desktop),
  queryOf(wiki, { max_age: '60' }),
]
const people = ['alice', 'dora']

/** What somebody does: with which tab or page, and which of several. */
type Step = readonly [what: string, where: number, which: number]
const step = (weight: number, what: string) => ({
  weight,
  arbitrary: fc.tuple(fc.constant(what), fc.nat(), fc.nat(5)),
})
const walk: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    step(4, 'open'),
    step(6, 'type'),
    step(6, 'press'),
    step(4, 'press an old one'),
    step(2, 'type into an old one'),
    step(1, 'sign out'),
    step(2, 'wait'),
    step(1, 'lose a cookie'),
  ),
  { minLength: 15, maxLength: 30 },
)

/** What a form was sent with. */
interface Sent {
  readonly page: PageAnswer
  readonly typed?: string
  readonly choice?: string
}

// Mostly the one in front.
const tabOf = (where: number) => Math.max(0, (where % 6) - 3)

const nameShown = ({ text }: PageAnswer) => /<bdi>(?:<b>)?(\w+) example/.exec(text)?.[1] ?? null
const clientOf = ({ url }: PageAnswer) => new URL(url).searchParams.get('client_id')

// Who is typed, or shown where a button is pressed, and nobody else.
function expectInTheNameShown(sent: Sent, told: MountedEvents): void {
  const { page, typed, choice } = sent
  const named = typed ?? nameShown(page)
  for (const { type, userId, clientId } of told) {
    if (type === 'session.started') expect([type, userId]).toEqual([type, `u-${typed}`])
    if (type === 'code.issued') expect([type, userId]).toEqual([type, `u-${named}`])
    if (type !== 'consent.granted') continue
    const shown = [`u-${nameShown(page)}`, clientOf(page), 'allow']
    expect([userId, clientId, choice]).toEqual(shown)
    expect(new URL(page.url).pathname).toMatch(/\/oauth\/\w/)
    expect(page.text).toContain('value="allow"')
  }
}

type MountedEvents = readonly { type: string; userId?: unknown; clientId?: unknown }[]

interface Desk {
  readonly host: MountedHost
  readonly visitor: Visitor
  readonly tabs: Map<number, PageAnswer>
  /** All pages with a form that were ever shown. */
  readonly old: PageAnswer[]
  readonly counts: Record<'code.issued' | 'consent.granted' | 'session.started', number>
}

function keep({ tabs, old }: Desk, tab: number, page: PageAnswer): void {
  expect(page.status).toBeLessThan(500)
  tabs.set(tab, page)
  if (page.text.includes('<form method="post"')) old.push(page)
}

async function send(desk: Desk, tab: number, sent: Sent): Promise<void> {
  const { events } = desk.host.host()
  const before = events.length
  const { page, typed, choice } = sent
  const fields = typed === undefined ? { choice: choice ?? '' } : { username: typed, password }
  keep(desk, tab, await desk.visitor.fill(page, fields))
  const told = events.slice(before) as unknown as MountedEvents
  expectInTheNameShown(sent, told)
  for (const { type } of told)
    if (type in desk.counts) desk.counts[type as keyof Desk['counts']] += 1
}

const type = async (desk: Desk, tab: number, which: number, page = desk.tabs.get(tab)) => {
  if (page?.text.includes('name="password"') !== true) return
  await send(desk, tab, { page, typed: people[which % 2] as string })
}

const press = async (desk: Desk, tab: number, which: number, page = desk.tabs.get(tab)) => {
  const buttons = [...(page?.text ?? '').matchAll(/name="choice" value="(\w+)"/g)]
  const choice = buttons[which < 3 ? 0 : which % Math.max(1, buttons.length)]?.[1]
  if (page !== undefined && choice !== undefined) await send(desk, tab, { page, choice })
}

const doings: Record<string, (desk: Desk, where: number, which: number) => Promise<void>> = {
  async open(desk, where, which) {
    const { host, visitor } = desk
    keep(desk, tabOf(where), await visitor.open(addressOf(host, 'authorize', asked[which])))
  },
  type: (desk, where, which) => type(desk, tabOf(where), which),
  press: (desk, where, which) => press(desk, tabOf(where), which),
  'type into an old one': (desk, where, which) =>
    type(desk, tabOf(where), which, desk.old[where % desk.old.length]),
  'press an old one': (desk, where, which) =>
    press(desk, tabOf(where), which, desk.old[where % desk.old.length]),
  async 'sign out'({ host, visitor }) {
    const page = await visitor.open(`${host.base}/oauth/sign-out`)
    if (page.text.includes('<form')) await visitor.fill(page, {})
  },
  async wait({ host }, _where, which) {
    host.clock.advance([1, 61, 400, 2000, 4000, 30_000][which] ?? 1)
  },
  async 'lose a cookie'({ visitor: { cookies } }, _where, which) {
    cookies.delete([...cookies.keys()][which] ?? '')
  },
}

describe('Two people at one browser, in any order', () => {
  it('give nothing but in the name that stood on the page', async () => {
    const counts = { 'code.issued': 0, 'consent.granted': 0, 'session.started': 0 }
    const property = fc.asyncProperty(walk, async (steps) => {
      const host = await startMounted()
      const desk = { host, visitor: openVisitor(host), tabs: new Map(), old: [], counts }
      for (const [what, where, which] of steps) await doings[what]?.(desk, where, which)
    })
    await fc.assert(property, { numRuns: runs })
    // It has not been idle.
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(0)
  })
})
