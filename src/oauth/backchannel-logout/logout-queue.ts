import { createFairQueue, type FairQueue } from '../../admission/fair-queue.js'
import type { RpLogoutFault } from '../../audit/refusals.js'
import { within } from '../../lib/async.js'

/** Counts of messages to apps since the start. */
export interface RpLogoutStats {
  /** The app has taken it. */
  readonly sent: number
  /** Not sent; the event `rp-logout.failed` says why. */
  readonly failed: number
  /** Under way, or waiting for its turn or its next try. */
  readonly waiting: number
}

/** Messages to apps, of which nobody waits for any. */
export interface LogoutQueue<Message> {
  /** Returns at once. Apps take turns, by `clientId`. */
  add(clientId: string, message: Message): void
  stats(): RpLogoutStats
  /** Tries each message that waits for its turn once more, for this long at most. */
  close(milliseconds: number): Promise<void>
}

/** How apps are told. */
export interface Telling<Message> {
  /** Never rejects; null once the app has taken the message. */
  readonly send: (message: Message) => Promise<RpLogoutFault | null>
  /** Called once for each message. */
  readonly conclude: (message: Message, fault: RpLogoutFault | null) => void
}

interface Waiting<Message> {
  readonly clientId: string
  readonly message: Message
  /** How often it has been tried. */
  readonly tries: number
}

const maxWaiting = 1000
const maxAtOnce = 8
/** After the first try and after the second; there is no fourth. */
const pausesMs = [5000, 30_000]

/** In memory: what waits is lost with the process. */
export function createLogoutQueue<Message>({
  send,
  conclude: report,
}: Telling<Message>): LogoutQueue<Message> {
  const queue = createFairQueue<Waiting<Message>>()
  const paused = createPauses<Waiting<Message>>(enqueue)
  /** What is in either, for the shares of apps. */
  const all = createFairQueue<Waiting<Message>>()
  const underWay = new Set<Promise<void>>()
  let sent = 0
  let failed = 0
  let closed = false

  function conclude({ message }: Waiting<Message>, fault: RpLogoutFault | null): void {
    if (fault === null) sent += 1
    else failed += 1
    report(message, fault)
  }

  function enqueue(waiting: Waiting<Message>): void {
    queue.add(waiting.clientId, waiting)
    takeTurns()
  }

  function takeTurns(): void {
    while (underWay.size < maxAtOnce) {
      const next = queue.take()
      if (next === undefined) return
      all.remove(next.clientId, next)
      const work = tryOnce(next).then(() => {
        underWay.delete(work)
        takeTurns()
      })
      underWay.add(work)
    }
  }

  async function tryOnce(waiting: Waiting<Message>): Promise<void> {
    const fault = await send(waiting.message)
    const pauseMs = pausesMs[waiting.tries]
    if (fault === null || pauseMs === undefined || closed) return conclude(waiting, fault)
    const again = { ...waiting, tries: waiting.tries + 1 }
    all.add(again.clientId, again)
    paused.add(again, pauseMs)
  }

  const stats = () => ({ sent, failed, waiting: queue.size + paused.size + underWay.size })

  return {
    add(clientId, message) {
      const waiting = { clientId, message, tries: 0 }
      if (closed) return conclude(waiting, 'closed')
      const dropped =
        stats().waiting >= maxWaiting && (makeRoomFor(clientId, all, queue, paused) ?? waiting)
      if (dropped) conclude(dropped, 'overflow')
      if (dropped === waiting) return
      all.add(clientId, waiting)
      enqueue(waiting)
    },

    stats,

    async close(milliseconds) {
      closed = true
      for (let rest = paused.take(); rest !== undefined; rest = paused.take())
        conclude(rest, 'closed')
      await within(milliseconds, allOf(underWay))
      for (let rest = queue.take(); rest !== undefined; rest = queue.take())
        conclude(rest, 'closed')
    },
  }
}

// The app with the most messages loses one, so that it takes no place from the others: first what
// has
// failed before. Undefined if that is the newcomer's own app, and nothing of it has failed.
function makeRoomFor<Entry extends { readonly clientId: string }>(
  newcomer: string,
  all: FairQueue<Entry>,
  queue: FairQueue<Entry>,
  paused: Pauses<Entry>,
): Entry | undefined {
  const newest = all.makeRoomFor(newcomer)
  const clientId = newest?.clientId ?? newcomer
  const failedBefore = paused.take(clientId)
  if (failedBefore === undefined) {
    if (newest !== undefined) queue.remove(clientId, newest)
    return newest
  }
  all.remove(clientId, failedBefore)
  if (newest !== undefined && newest !== failedBefore) all.add(clientId, newest)
  return failedBefore
}

interface Pauses<Entry> {
  add(entry: Entry, milliseconds: number): void
  /** Of this app, or of any. */
  take(clientId?: string): Entry | undefined
  readonly size: number
}

/** Entries that go on after a time, and those that were added first are taken first. */
function createPauses<Entry extends { readonly clientId: string }>(
  goOn: (entry: Entry) => void,
): Pauses<Entry> {
  const timers = new Map<Entry, NodeJS.Timeout>()
  return {
    add(entry: Entry, milliseconds: number): void {
      const end = () => {
        timers.delete(entry)
        goOn(entry)
      }
      timers.set(entry, setTimeout(end, milliseconds).unref())
    },
    take(clientId?: string): Entry | undefined {
      const oldest = [...timers.keys()].find(
        (entry) => clientId === undefined || entry.clientId === clientId,
      )
      if (oldest === undefined) return undefined
      clearTimeout(timers.get(oldest))
      timers.delete(oldest)
      return oldest
    },
    get size(): number {
      return timers.size
    },
  }
}

async function allOf(underWay: ReadonlySet<Promise<void>>): Promise<void> {
  while (underWay.size > 0) await Promise.all(underWay)
}
