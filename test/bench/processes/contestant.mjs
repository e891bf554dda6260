// Contestants and load makers, as the suites use them.
import { fileURLToPath } from 'node:url'
import { startProcess } from './calls.mjs'

const pathOf = (file) => fileURLToPath(new URL(file, import.meta.url))

/** Starts a contestant in a process of its own. */
async function startContestant({ label, file, settings = {} }, { nodeOptions = [] } = {}) {
  const argv = [file, JSON.stringify(settings)]
  const { call, stop } = startProcess(pathOf('./contestant-process.mjs'), {
    argv,
    nodeOptions,
    label,
  })
  return { label, port: await call('port'), call, stop }
}

/** Starts a process that makes load. */
export function startLoad() {
  return startProcess(pathOf('./load-process.mjs'), { label: 'the load generator' })
}

/** Starts all of them, lets `work` use them, and stops them whatever happens. */
export async function withContestants(definitions, options, work) {
  const started = []
  const load = startLoad()
  try {
    for (const definition of definitions) started.push(await startContestant(definition, options))
    return await work(started, load)
  } finally {
    await Promise.all([load, ...started].map(({ stop }) => stop()))
  }
}

/** Everybody once in every round, and in every round somebody else begins. */
export async function inTurns(contestants, rounds, measure) {
  const results = new Map(contestants.map(({ label }) => [label, []]))
  for (let round = 0; round < rounds; round += 1) {
    const first = round % contestants.length
    for (const contestant of [...contestants.slice(first), ...contestants.slice(0, first)]) {
      results.get(contestant.label).push(await measure(contestant, round))
    }
  }
  return results
}
