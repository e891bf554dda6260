// The suite as a host runs it that has no test runner but Node's, on the package as it is built.
import { describe, it } from 'node:test'
import { memoryStores } from '../../dist/stores/memory.js'
import { storeContract } from '../../dist/testing.js'

function badStores() {
  const { sessions } = memoryStores()
  return { sessions: { ...sessions, end: (...given) => sessions.end(...given).then(() => true) } }
}

const [, , kind, address] = process.argv
const withProcesses = async () => {
  const { storesOf } = await import(address)
  return storesOf(address)
}
const suites = {
  good: { contracts: ['codes', 'sessions', 'secondFactors', 'tickets'], stores: memoryStores },
  bad: { contracts: ['sessions'], stores: badStores },
  // Over stores that both processes reach at this address.
  processes: {
    contracts: ['tickets'],
    stores: withProcesses,
    processes: address && new URL(address),
    rounds: 1,
  },
}

storeContract({ describe, it }, { name: `${kind} stores`, ...suites[kind] })
