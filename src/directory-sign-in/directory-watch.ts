import { randomInt } from 'node:crypto'
import { findNote, noteOnce } from '../accounts/noted-names.js'
import type { Proofs } from '../accounts/proofs.js'
import { noRequest } from '../audit/events.js'
import type { DirectoryLeaving } from '../audit/refusals.js'
import type { DirectoryEntry } from '../directories/contract.js'
import { UnexpectedAnswer } from '../lib/host-call.js'
import type { IdentityRecord } from '../stores/identity-contract.js'
import type { DirectoryLook } from './directories.js'
import { type DirectorySignInKit, whyOut } from './directory-server.js'
import type { ConnectedDirectory } from './fail-closed-directory.js'

/** The parts that look after those who are signed in. */
export interface DirectoryWatchKit extends DirectorySignInKit {
  /** Undefined if the host has no store of proofs: then only the host asks for a look. */
  readonly proofs: Proofs | undefined
  /** Ends every session of a user who has left. Rejects with 503. */
  readonly endLeft: (userId: string) => Promise<number>
}

/** What a look needs, in a server and from a terminal. */
export type LookKit = Pick<
  DirectoryWatchKit,
  'entries' | 'isAllowed' | 'sessions' | 'endLeft' | 'audit' | 'call'
>

/** People of one search, as many as a directory answers at once. */
const page = 500

/**
 * If all of so many are gone or refused, and nobody stays, the directory hides its people or their
 * groups, as it does from a service account that has lost its rights.
 */
const fewest = 20

/** Somebody who has left, unless the directory turns out to be broken. */
interface Leaver {
  readonly row: IdentityRecord
  readonly reason: Exclude<DirectoryLeaving, 'outage'>
}

/**
 * Looks at every connected user of a directory, and ends the sessions of those who have left.
 * Memory is that of one page, unless nobody stays. Rejects with 503 if it could not see them all.
 */
export async function lookAtAll(
  kit: LookKit,
  directory: ConnectedDirectory,
): Promise<DirectoryLook> {
  const seen = { found: false, stays: false, left: 0 }
  let leavers: Leaver[] = []
  const endThose = async () => {
    for (const { row, reason } of leavers)
      if (await endOne(kit, directory, row, reason)) seen.left += 1
    leavers = []
  }
  const people = await forEachPage(kit, directory, async (rows) => {
    const entries = await entriesOf(directory, rows)
    seen.found ||= entries.size > 0
    for (const row of rows) {
      const reason = await whyOut(kit, entries.get(row.subject))
      if (reason === null) seen.stays = true
      else leavers.push({ row, reason })
    }
    if (seen.stays) await endThose()
  })
  if (isBroken(leavers))
    await kit.call(`directories.${directory.id}.look`, () => {
      throw new UnexpectedAnswer(
        seen.found
          ? `nobody of ${people} is allowed: does the directory hide groups?`
          : 'the directory hides its people',
      )
    })
  await endThose()
  return { directory: directory.id, people, left: seen.left }
}

async function entriesOf(
  directory: ConnectedDirectory,
  rows: readonly IdentityRecord[],
): Promise<ReadonlyMap<string, DirectoryEntry>> {
  const found = await directory.look(rows.map(({ subject }) => subject))
  return new Map(found.map((entry) => [entry.subject, entry]))
}

// Of people of whom nobody stays. What says that somebody is disabled is no gap.
function isBroken(leavers: readonly Leaver[]): boolean {
  return leavers.filter(({ reason }) => reason !== 'disabled').length >= fewest
}

async function forEachPage(
  { entries }: LookKit,
  { provider }: ConnectedDirectory,
  work: (rows: readonly IdentityRecord[]) => Promise<void>,
): Promise<number> {
  let count = 0
  for (let after: string | null = null; ; ) {
    const rows: readonly IdentityRecord[] = await entries.listOfProvider(provider, after, page)
    if (rows.length > 0) await work(rows)
    count += rows.length
    after = rows.at(-1)?.subject ?? null
    if (rows.length < page) return count
  }
}

async function endOne(
  { sessions, endLeft, audit }: LookKit,
  { id: directory }: ConnectedDirectory,
  { userId }: IdentityRecord,
  reason: DirectoryLeaving,
): Promise<boolean> {
  if ((await sessions.listForUser(userId)).length === 0) return false
  const ended = await endLeft(userId)
  audit({ type: 'directory.left', directory, userId, reason, sessions: ended }, noRequest)
  return true
}

/** The looks of one process, at all directories. */
export interface DirectoryWatch {
  /** Looks now, at the host's wish. */
  readonly look: (directory: ConnectedDirectory) => Promise<DirectoryLook>
  readonly close: () => void
}

/**
 * Looks at each directory once in an interval, whichever process is the first: of several with one
 * store of proofs, one claims the interval. A look that fails is repeated in the next one.
 */
export function watchDirectories(kit: DirectoryWatchKit): DirectoryWatch {
  const { directories, directoriesOptions, proofs, clock } = kit
  const { watchInterval } = directoriesOptions
  const timers = new Set<NodeJS.Timeout>()
  let isClosed = false

  function plan(round: Round): void {
    const length = round.interval * 1000
    // At the beginning of the next interval, and not at one moment in all processes.
    const wait = length - (Date.now() % length) + randomInt(2000)
    const timer = setTimeout(async () => {
      timers.delete(timer)
      const at = await lookInTurn(kit, round)
      if (at !== null) round.directory.counts.lookedAt = at
      if (!isClosed) plan(round)
    }, wait)
    timers.add(timer.unref())
  }

  if (watchInterval !== false && proofs !== undefined)
    for (const directory of directories)
      plan({ directory, proofs, interval: watchInterval, failingSince: undefined })
  return {
    async look(directory) {
      const at = clock()
      const look = await lookAtAll(kit, directory)
      directory.counts.lookedAt = at
      return look
    },
    close() {
      isClosed = true
      for (const timer of timers) clearTimeout(timer)
    },
  }
}

/** The looks at one directory. */
interface Round {
  readonly directory: ConnectedDirectory
  readonly proofs: Proofs
  /** Seconds. */
  readonly interval: number
  /** The first round of this process after the last complete look of any; undefined without one. */
  failingSince: Date | undefined
}

/** Resolves with the time of the last complete look that was seen; null if none was. */
async function lookInTurn(kit: DirectoryWatchKit, round: Round): Promise<Date | null> {
  const { directory, proofs, interval } = round
  const now = kit.clock()
  const periodOf = (time: Date) => Math.floor(time.getTime() / (interval * 1000))
  const claim = { name: `look ${directory.provider} ${periodOf(now)}`, lifetime: 2 * interval }
  const done = (period: number) => `done ${directory.provider} ${period}`
  const isDone = async () =>
    (await findNote(proofs, 'directory-watch', done(periodOf(now) - 1), noRequest)) !== null
  try {
    const isOurs = await noteOnce(proofs, 'directory-watch', claim, noRequest)
    if (isOurs) {
      await lookAtAll(kit, directory)
      // A look may take longer than an interval: the others read the note of its end.
      const end = { ...claim, name: done(periodOf(kit.clock())) }
      await noteOnce(proofs, 'directory-watch', end, noRequest)
    }
    if (isOurs || (await isDone())) {
      round.failingSince = undefined
      return now
    }
    round.failingSince ??= now
  } catch {
    // The failed call has reported itself.
    kit.audit({ type: 'directory.not-looked', directory: directory.id }, noRequest)
    await endAfterGrace(kit, round, now, isDone).catch(() => {})
  }
  return null
}

// Another process may have looked in the interval before: then there was no outage until now.
async function endAfterGrace(
  kit: DirectoryWatchKit,
  round: Round,
  now: Date,
  isDone: () => Promise<boolean>,
): Promise<void> {
  const { directory } = round
  const { watchGrace } = kit.directoriesOptions
  if (watchGrace === false) return
  if (round.failingSince === undefined || (await isDone())) round.failingSince = now
  if (now.getTime() - round.failingSince.getTime() < watchGrace * 1000) return
  await forEachPage(kit, directory, async (rows) => {
    for (const row of rows) await endOne(kit, directory, row, 'outage')
  })
}
