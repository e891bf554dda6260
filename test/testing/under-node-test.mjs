// The suite as a host runs it that has no test runner but Node's, on the package as it is built.
import { describe, it } from 'node:test'
import { memoryStores } from '../../dist/stores/memory.js'
import { storeContract } from '../../dist/testing.js'

function badStores() {
  const { sessions } = memoryStores()
  return { sessions: { ...sessions, end: (...given) => sessions.end(...given).then(() => true) } }
}

const [stores, contracts] =
  process.argv[2] === 'good'
    ? [memoryStores, ['codes', 'sessions', 'secondFactors', 'tickets']]
    : [badStores, ['sessions']]

storeContract(
  { describe, it },
  { name: `${process.argv[2]} stores`, contracts, stores: () => stores() },
)
