// Two actions of the machine at the same moment: what both were answered, and what then works, must
// be as if one had come after the other.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rounds } from '../support/rounds.js'
import {
  type Action,
  authorize,
  Broken,
  endOne,
  endOthers,
  exchange,
  guard,
  logIn,
  logOut,
  type Plan,
  purge,
  refresh,
  revokeAll,
  wait,
} from './machine/actions.js'
import { type Answer, type Arena, grounds, openArena } from './machine/arena.js'
import type { State } from './machine/state.js'

const runs = rounds(16)
const longest = 20 * 60_000

const quiet: readonly Plan[] = [logIn, authorize, exchange, refresh, refresh, wait]
// The plans whose actions change one-time state stand twice: their races matter most.
const racing: readonly Plan[] = [
  exchange,
  exchange,
  refresh,
  refresh,
  logOut,
  endOne,
  endOthers,
  revokeAll,
  authorize,
  guard,
  purge,
  logIn,
]

const step = (plans: readonly Plan[]) =>
  fc.record({ plan: fc.constantFrom(...plans), choice: fc.nat({ max: 255 }) })
// Those that thieves and lost answers make, over the same code or token.
const classic: readonly (readonly [Plan, Plan])[] = [
  [refresh, refresh],
  [exchange, exchange],
  [logOut, refresh],
  [exchange, logOut],
  [revokeAll, refresh],
]
const pair = fc.oneof(
  fc.tuple(step(racing), step(racing)),
  fc.tuple(fc.constantFrom(...classic), fc.nat({ max: 255 })).map(([[one, other], choice]) => [
    { plan: one, choice },
    { plan: other, choice },
  ]),
) as fc.Arbitrary<readonly [Step, Step]>
const games = fc.record({ before: fc.array(step(quiet), { maxLength: 6 }), pair })

interface Step {
  readonly plan: Plan
  readonly choice: number
}

async function play(action: Action | null, state: State, arena: Arena): Promise<void> {
  if (action === null) return
  const answer = await action.send(arena)
  await arena.settle()
  action.explain(state, answer)
}

// A session, a code in use and one that is not, and a refresh token with a parent: something for
// every race to be about.
async function furnish(state: State, arena: Arena): Promise<void> {
  for (const plan of [logIn, authorize, exchange, authorize, refresh, logIn])
    await play(plan(state, 0), state, arena)
}

interface Played {
  readonly action: Action
  readonly answer: Answer
}

function inThisOrder(state: State, first: Played, second: Played): State | string {
  const after = structuredClone(state)
  try {
    first.action.explain(after, first.answer, structuredClone(state))
    const between = structuredClone(after)
    try {
      second.action.explain(after, second.answer)
      return after
    } catch (error) {
      if (!(error instanceof Broken)) throw error
      // Let in before the first had done its work.
      second.action.explain(between, second.answer, structuredClone(state))
      return between
    }
  } catch (error) {
    if (error instanceof Broken)
      return `${first.action.name}, then ${second.action.name}: ${error.message}`
    throw error
  }
}

async function race(
  state: State,
  arena: Arena,
  one: Action,
  other: Action,
): Promise<readonly State[]> {
  arena.host.events.length = 0
  const answers = await Promise.all([one.send(arena), other.send(arena)])
  await arena.settle()
  const [left, right] = [
    { action: one, answer: answers[0] },
    { action: other, answer: answers[1] },
  ]
  const orders = [inThisOrder(state, left, right), inThisOrder(state, right, left)]
  const possible = orders.filter((order) => typeof order !== 'string')
  if (possible.length === 0) throw new Broken(`no order explains it: ${orders.join(' / ')}`)
  const ended = arena.host.events.flatMap((event) =>
    event.type === 'session.ended' ? [event.sessionId] : [],
  )
  expect(new Set(ended).size, 'a session ends once').toBe(ended.length)
  return possible
}

// Which order it was may show only later, by what works. One of them must explain everything.
async function tryEverything(possible: readonly State[], arena: Arena): Promise<void> {
  let left = [...possible]
  const widest = left[0] as State
  const plans = [
    ...widest.access.map((_access, at) => guard(widest, at)),
    ...widest.codes.map((_code, at) => exchange(widest, at * 4)),
    ...widest.refresh.map((_token, at) => refresh(widest, at * 2 + 1)).reverse(),
    ...widest.access.map((_access, at) => guard(widest, at)),
  ]
  for (const action of plans.filter((plan) => plan !== null)) {
    const answer = await action.send(arena)
    await arena.settle()
    const complaints: string[] = []
    left = left.filter((state) => {
      try {
        action.explain(state, answer)
        return true
      } catch (error) {
        if (!(error instanceof Broken)) throw error
        complaints.push(error.message)
        return false
      }
    })
    if (left.length === 0)
      throw new Broken(`after the race, ${action.name}: ${complaints.join(' / ')}`)
  }
}

describe('two at the same moment', () => {
  for (const ground of grounds) {
    it.skipIf(!ground.isReachable)(
      `over ${ground.name} are answered as if one had come after the other, and leave behind ` +
        'what they then would',
      async () => {
        const arena = await openArena(ground)
        await fc.assert(
          fc.asyncProperty(games, async ({ before, pair: [one, other] }) => {
            const state = await arena.newcomer()
            await furnish(state, arena)
            for (const { plan, choice } of before) await play(plan(state, choice), state, arena)
            const [left, right] = [one.plan(state, one.choice), other.plan(state, other.choice)]
            if (left === null || right === null) return
            await tryEverything(await race(state, arena, left, right), arena)
          }),
          { numRuns: Math.max(1, Math.round(runs * ground.share)) },
        )
        expect(arena.host.unforeseen).toEqual([])
      },
      longest,
    )
  }
})
