import { AuthConfigError } from '../errors.js'
import { UnexpectedAnswer } from '../lib/host-call.js'
import type { KeyRing, StoredSigningKey } from './contract.js'
import { activeAmong, describeKeys } from './key-states.js'
import type { RingReport } from './ring-report.js'
import { type FoundRows, highestGeneration } from './stored-row.js'

export interface RetireKeyDeps {
  readonly reload: () => Promise<FoundRows>
  /** Throws where the key that signs cannot be opened. */
  readonly requireActive: (found: FoundRows) => void
  readonly add: (generation: number, activatesAt: Date) => Promise<void>
  readonly remove: (key: StoredSigningKey) => Promise<void>
  readonly report: Pick<RingReport, 'retired'>
  readonly clock: () => Date
}

/** Makes what takes a key out that has leaked. */
export function createRetireKey(deps: RetireKeyDeps): KeyRing['retire'] {
  const { reload, clock } = deps
  return async function retire(kid) {
    const leaked = (await reload()).rows.find((row) => row.kid === kid)
    if (leaked === undefined) throw noSuchKey()
    // Before it goes: a store without any key is one that has lost them, and keeps what it had.
    await signWithAnother(deps, kid)
    await deps.remove(leaked)
    deps.report.retired(leaked)
    return describeKeys((await reload()).rows, clock())
  }
}

// Again where another process has put a key there meanwhile, which may wait for its time.
async function signWithAnother(deps: RetireKeyDeps, kid: string): Promise<void> {
  const { reload, requireActive, add, clock } = deps
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const found = await reload()
    if (activeAmong(found.rows, clock()).kid !== kid) return
    // With the wrong encryption key it would seal what nobody else can open.
    requireActive(found)
    await add(highestGeneration(found) + 1, clock())
  }
  throw new UnexpectedAnswer('the key store does not show the key that was put into it')
}

function noSuchKey(): AuthConfigError {
  return new AuthConfigError(
    'retire.kid',
    'is no key of this ring.',
    'pass a kid that list() shows; one that is not there any more verifies nothing.',
  )
}
