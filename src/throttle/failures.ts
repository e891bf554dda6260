import type { Counters } from './counters.js'
import { day } from './limits.js'
import type { LoginKeys } from './login-keys.js'

/** The limit that an attempt was counted against, besides those of its network and of identifier and network. */
export type ReachScope = 'known-network' | 'unknown-networks'

/**
 * Counts a wrong password that was tried on an account, or, with null, on nobody's. The last of those that are allowed begins a pause,
 * whose seconds are answered; else 0.
 *
 * Several accounts can be reached by one name: one by its id, another by its user name. So what is counted is also noted by account; a
 * sign-in then gives back what stood against its own account, and whoever has an account with a victim's name cannot wipe out with their
 * own password what they have guessed of the other's.
 */
export async function countWrong(counters: Counters, keys: LoginKeys, scope: ReachScope, userId: string | null): Promise<number> {
  const { against } = counters
  const [pause] = await Promise.all([
    pauseAfterLast(counters, keys, userId),
    against.add(keys.against('account', userId)),
    against.add(keys.against(scope, userId)),
  ])
  return pause
}

// Each wrong password is told its own number by one atomic increment, so of any that come together exactly one is told that it is the
// last, and none is missed: the counter holds proven wrong passwords only, so no refund takes its number away or gives it out twice.
// (The count of slots will not do: attempts still being judged are in it, and it goes down when they turn out right.) A limit of n slots
// lets n be judged in a window, and the window of this counter holds all of them: see createCounters.
async function pauseAfterLast(
  { account, wrong, paused, pauses }: Counters,
  keys: LoginKeys,
  userId: string | null,
): Promise<number> {
  const { consumed } = await wrong.add(keys.account)
  if (consumed !== account.points) return 0
  const pause = keys.against('pauses', userId)
  const { consumed: nth } = await pauses.add(pause)
  const longest = Math.max(day, account.duration)
  const seconds = Math.min(account.duration * 2 ** (nth - 1), longest)
  // In a counter of its own: in that of the slots, those that come back while it begins would take points off it and open it again.
  await paused.set(keys.account, 1, seconds)
  // After the pause they are counted from one again.
  await wrong.forget(keys.account)
  // A day that begins with the end of the pause: one that began with the first pause would be over before they have become a day long.
  await pauses.set(pause, nth, seconds + day)
  return seconds
}

/** A complete sign-in: what stood against its account is given back. */
export async function giveBackFailures(counters: Counters, keys: LoginKeys, userId: string): Promise<void> {
  const { account, wrong, paused, pauses, knownNetwork, unknownNetworks, against } = counters
  const collect = (what: 'account' | ReachScope) => against.collect(keys.against(what, userId))
  const [here, known, unknown] = await Promise.all([collect('account'), collect('known-network'), collect('unknown-networks')])
  await Promise.all([
    pauses.forget(keys.against('pauses', userId)),
    here > 0 && Promise.all([account, wrong].map((counter) => counter.giveBack(keys.account, here))),
    // One that began while the right password was being judged, if it is all of this account's making.
    here >= account.points && paused.forget(keys.account),
    known > 0 && knownNetwork.giveBack(keys.account, known),
    unknown > 0 && unknownNetworks.giveBack(keys.identifier, unknown),
  ])
}

/** Forgets all that stands against an identifier over all networks; with `here` also what the keys' network has failed. */
export async function forgetFailures(counters: Counters, keys: LoginKeys, userId: string | null, here: boolean): Promise<void> {
  const { account, wrong, paused, pauses, knownNetwork, unknownNetworks, against } = counters
  // With what is noted by account: it would be given back once more by the next sign-in, and take off what others were guessed since.
  const forgetNote = (what: 'account' | ReachScope) => against.forget(keys.against(what, userId))
  await Promise.all([
    unknownNetworks.forget(keys.identifier),
    forgetNote('unknown-networks'),
    ...(here ? [account, knownNetwork, wrong, paused].map((counter) => counter.forget(keys.account)) : []),
    here && Promise.all([pauses.forget(keys.against('pauses', userId)), forgetNote('account'), forgetNote('known-network')]),
  ])
}
