import { raceWinners } from '../../../lib/async.js'
import type { StoresUnderTest } from '../harness.js'
import { oneTimeOperations } from './one-time.js'

/** What the suite tells a child process to do. */
export type Order =
  | { readonly kind: 'open'; readonly module: string }
  | {
      readonly kind: 'race'
      readonly contract: string
      readonly name: string
      readonly subject: string
      /** The number of this process's first caller, and how many callers it has. */
      readonly first: number
      readonly callers: number
      /** When all processes start, in milliseconds since the epoch. */
      readonly startAt: number
    }
  | {
      readonly kind: 'call'
      readonly contract: string
      readonly method: string
      readonly args: readonly unknown[]
    }

/** What a child process answers. */
export type Report =
  | { readonly kind: 'open' }
  | { readonly kind: 'raced'; readonly winners: readonly number[] }
  | { readonly kind: 'called'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly stack: string }

/** Carries out orders in the child process. The first order opens the stores for the others. */
export function createProcessSide(): (order: Order) => Promise<Report> {
  let stores: StoresUnderTest = {}
  const carryOut = async (order: Order): Promise<Report> => {
    if (order.kind === 'call') return { kind: 'called', value: await call(order, stores) }
    if (order.kind === 'race') return { kind: 'raced', winners: await race(order, stores) }
    const { default: open }: { default?: unknown } = await import(order.module)
    if (typeof open !== 'function')
      throw new TypeError(`${order.module} has no default export that is a function`)
    stores = await open()
    return { kind: 'open' }
  }
  return (order) =>
    carryOut(order).catch((error: unknown) => ({ kind: 'failed', stack: stackOf(error) }))
}

async function race(
  order: Order & { kind: 'race' },
  stores: StoresUnderTest,
): Promise<readonly number[]> {
  const operation = oneTimeOperations.find(
    ({ contract, name }) => contract === order.contract && name === order.name,
  )
  if (operation === undefined)
    throw new TypeError(`there is no operation ${order.contract}.${order.name}`)
  await new Promise((resolve) => setTimeout(resolve, order.startAt - Date.now()))
  const winners = await raceWinners(order.callers, (caller) =>
    operation.attempt(stores, order.subject, order.first + caller),
  )
  return winners.map((caller) => order.first + caller)
}

async function call(
  { contract, method, args }: Order & { kind: 'call' },
  stores: StoresUnderTest,
): Promise<unknown> {
  const store = stores[contract as keyof StoresUnderTest] as unknown as Record<
    string,
    (...given: readonly unknown[]) => unknown
  >
  return store?.[method]?.(...args)
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
