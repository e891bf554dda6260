// How much work something is, counted instead of timed: how often each block of our code and of
// other packages is run, and how many characters and members are handed to what the engine does
// itself. The same on every machine, busy or not.
//
// A function that was compiled before this file was loaded is counted as one block. So a test
// imports this file first, by a line of its own, and runs in a process of its own: the settings of
// vitest know such tests by that line.
import inspector from 'node:inspector'
import { countingNatives } from './native-steps.js'

const session = new inspector.Session()
session.connect()

function tell<Answer>(method: string, parameters: object = {}): Answer {
  let answer: Answer | undefined
  session.post(method, parameters, (error, given) => {
    if (error !== null) throw new Error(`${method}: ${error.message}`)
    answer = given as Answer
  })
  return answer as Answer
}

tell('Profiler.enable')
tell('Profiler.startPreciseCoverage', { callCount: true, detailed: true })

// What tests send with, what runs them, and what reads patterns for a count is no part of the work.
const tools = '\\.?vite|@?vitest|pathe|supertest|superagent|@eslint-community'
const others = new RegExp(`/test/(?!support/with-defects)|^node:|^$|/node_modules/(?:${tools})`)

/** How often blocks were run since it was asked last. */
function blocks(): number {
  const { result } = tell<inspector.Profiler.TakePreciseCoverageReturnType>(
    'Profiler.takePreciseCoverage',
  )
  let sum = 0
  for (const { url, functions } of result) {
    if (others.test(url)) continue
    for (const { ranges } of functions) for (const { count } of ranges) sum += count
  }
  return sum
}

/** Steps that work takes which ends at once. */
export function stepsOf(work: () => unknown): number {
  blocks()
  const natives = countingNatives()
  try {
    work()
  } finally {
    natives.stop()
  }
  return blocks() + natives.count()
}

/** Steps until the promise of this work is settled. */
export async function stepsUntil(work: () => Promise<unknown>): Promise<number> {
  blocks()
  const natives = countingNatives()
  try {
    await work()
  } finally {
    natives.stop()
  }
  return blocks() + natives.count()
}
