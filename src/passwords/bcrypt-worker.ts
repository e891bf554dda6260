import bcrypt from 'bcryptjs'

/** Work for one thread: compare, then top the time up to `workCost`. */
export interface CompareTask {
  readonly password: string
  readonly hash: string
  readonly workCost: number
}

/** Work for one thread: hash at this cost. */
export interface HashTask {
  readonly password: string
  readonly cost: number
}

/** Hashes a password. bcryptjs stays inside this file. */
export function hash({ password, cost }: HashTask): string {
  return bcrypt.hashSync(password, cost)
}

/**
 * Compares a password with a hash of any cost, in the time that `workCost` takes. A database holds
 * hashes of several costs once the setting was raised; without topping up, the faster answers would
 * tell which names have an (old) account.
 */
export function compare({ password, hash: stored, workCost }: CompareTask): boolean {
  const storedCost = bcrypt.getRounds(stored)
  const started = performance.now()
  const matches = bcrypt.compareSync(password, stored)
  const round = (performance.now() - started) / (2 ** storedCost + callInRounds)
  // 2^c + (2^c + 2^(c+1) + … + 2^(w-1)) = 2^w
  for (let cost = storedCost; cost < workCost; cost += 1) bcrypt.hashSync(password, idleSalt(cost))
  // A hash of the full cost has needed fewer calls. Their sum is under a hundredth of the whole,
  // and over the wire it still shows.
  keepBusy((storedCost - lowestCost) * callInRounds * round)
  return matches
}

/**
 * What a call of bcrypt costs besides its rounds, in a thread that was idle before: 1.1 to 1.4 of
 * one, for its tables are out of the processor's cache. One call after the other: 0.8.
 */
const callInRounds = 1.2
const lowestCost = 4

function keepBusy(milliseconds: number): void {
  const until = performance.now() + milliseconds
  while (performance.now() < until);
}

function idleSalt(cost: number): string {
  return `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(22)}`
}
