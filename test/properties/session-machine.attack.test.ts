// The diagrams of sessions, codes, refresh tokens and TOTP as a model, held against the router over
// each store that is shipped. More games: `ROUNDS=60 npm run test:one --
// test/properties/session-machine.attack.test.ts`. A failure prints seed and path, to be
// put into `parameters` for the same game again.
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
  toggleDisabled,
  wait,
} from './machine/actions.js'
import { type Arena, grounds, openArena } from './machine/arena.js'
import { beginTotp, confirmTotp, disableTotp } from './machine/factor-actions.js'
import type { State } from './machine/state.js'

const runs = rounds(30)
const longest = 20 * 60_000

const plans: readonly (readonly [number, string, Plan])[] = [
  [6, 'logIn', logIn],
  [5, 'authorize', authorize],
  [7, 'exchange', exchange],
  [8, 'refresh', refresh],
  [6, 'wait', wait],
  [4, 'guard', guard],
  [2, 'logOut', logOut],
  [2, 'endOne', endOne],
  [1, 'endOthers', endOthers],
  [1, 'revokeAll', revokeAll],
  [1, 'toggleDisabled', toggleDisabled],
  [1, 'purge', purge],
  [2, 'beginTotp', beginTotp],
  [2, 'confirmTotp', confirmTotp],
  [1, 'disableTotp', disableTotp],
]

class Command implements fc.AsyncCommand<State, Arena> {
  private played = ''
  private readonly name: string
  private readonly plan: Plan
  private readonly choice: number

  constructor(name: string, plan: Plan, choice: number) {
    this.name = name
    this.plan = plan
    this.choice = choice
  }

  check(state: Readonly<State>): boolean {
    return this.plan(state, this.choice) !== null
  }

  async run(state: State, arena: Arena): Promise<void> {
    const action = this.plan(state, this.choice) as Action
    this.played = action.name
    await play(action, state, arena)
  }

  toString(): string {
    return this.played === '' ? `${this.name}(${this.choice})` : this.played
  }
}

async function play(action: Action, state: State, arena: Arena): Promise<void> {
  const before = state.ends.length
  const answer = await action.send(arena)
  await arena.settle()
  action.explain(state, answer)
  const told = arena.host.events
    .splice(0)
    .flatMap((event) =>
      event.type === 'session.ended' ? [`${event.sessionId} ${event.reason}`] : [],
    )
  const promised = state.ends.slice(before)
  if (told.sort().join() !== promised.sort().join()) {
    throw new Broken(
      `${action.name}: [${promised}] were promised to end, and [${told}] were told of`,
    )
  }
}

// A session, codes, and refresh tokens that were and that are: something to begin with.
async function furnish(state: State, arena: Arena): Promise<void> {
  for (const plan of [logIn, authorize, exchange, authorize, refresh, refresh])
    await play(plan(state, 0) as Action, state, arena)
}

// Also what the game has left untouched: nothing that was ever handed out is better than its state
// says. Refresh tokens from either end: those that are spent are judged by whether their successors
// are.
async function tryEverything(
  state: State,
  arena: Arena,
  pause: number,
  isOldestFirst: boolean,
): Promise<void> {
  await play(wait(state, pause) as Action, state, arena)
  const places = (list: readonly unknown[]) => list.map((_one, at) => at)
  const [tokens, codes, chain] = [places(state.access), places(state.codes), places(state.refresh)]
  for (const at of tokens) await play(guard(state, at) as Action, state, arena)
  for (const at of codes) await play(exchange(state, at * 4) as Action, state, arena)
  for (const at of isOldestFirst ? chain : chain.reverse())
    await play(refresh(state, at * 2 + 1) as Action, state, arena)
  for (const at of tokens) await play(guard(state, at) as Action, state, arena)
}

const command = fc.oneof(
  ...plans.map(([weight, name, plan]) => ({
    weight,
    arbitrary: fc.nat({ max: 255 }).map((choice) => new Command(name, plan, choice)),
  })),
)

const games = fc.commands([command], { maxCommands: 30, size: 'max' })
const endings = fc.record({
  isFurnished: fc.boolean(),
  pause: fc.nat({ max: 9 }),
  isOldestFirst: fc.boolean(),
})

describe('the machine of sessions, codes, refresh tokens and second factors', () => {
  for (const ground of grounds) {
    it.skipIf(!ground.isReachable)(
      `over ${ground.name} is what its diagrams say, whatever is done in whatever order`,
      async () => {
        const arena = await openArena(ground)
        await fc.assert(
          fc.asyncProperty(
            games,
            endings,
            async (commands, { isFurnished, pause, isOldestFirst }) => {
              const state = await arena.newcomer()
              if (isFurnished) await furnish(state, arena)
              await fc.asyncModelRun(() => ({ model: state, real: arena }), commands)
              await tryEverything(state, arena, pause, isOldestFirst)
            },
          ),
          { numRuns: Math.max(1, Math.round(runs * ground.share)) },
        )
        expect(arena.host.unforeseen).toEqual([])
      },
      longest,
    )
  }
})
