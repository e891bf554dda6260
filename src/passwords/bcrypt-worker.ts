import bcrypt from 'bcryptjs'

/** Work for one thread: compare, then work on up to the time of `workCost`. */
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

/** Hashes a password. Only this file imports bcryptjs. */
export function hash({ password, cost }: HashTask): string {
  return bcrypt.hashSync(password, cost)
}

/**
 * Compares a password with a hash of any cost, in the time of `workCost`. After a change of the
 * setting, a database has hashes of several costs; faster answers would reveal which names have an
 * (old) account.
 */
export function compare({ password, hash: stored, workCost }: CompareTask): boolean {
  const storedCost = bcrypt.getRounds(stored)
  const started = performance.now()
  const matches = bcrypt.compareSync(password, stored)
  const round = (performance.now() - started) / (2 ** storedCost + callInRounds)
  // 2^c + (2^c + 2^(c+1) + … + 2^(w-1)) = 2^w
  for (let cost = storedCost; cost < workCost; cost += 1) bcrypt.hashSync(password, idleSalt(cost))
  // A hash of the full cost needs fewer calls. Their sum is under a hundredth of the whole, but
  // measurable over the network.
  keepBusy((storedCost - lowestCost) * callInRounds * round)
  return matches
}

/**
 * Cost of a call of bcrypt besides its rounds, in rounds of the lowest cost: 1.1 to 1.4 in an idle
 * thread, whose tables are not in the processor's cache; 0.8 for calls in succession.
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
