import { createFairQueue } from '../../admission/fair-queue.js'
import type { RpLogoutFault } from '../../audit/rp-logout.js'
import { within } from '../../lib/within.js'

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

export interface LogoutQueueDeps<Message> {
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
}: LogoutQueueDeps<Message>): LogoutQueue<Message> {
  const queue = createFairQueue<Waiting<Message>>()
  const paused = new Map<Waiting<Message>, NodeJS.Timeout>()
  const underWay = new Set<Promise<void>>()
  let sent = 0
  let failed = 0
  let closed = false

  function conclude({ message }: Waiting<Message>, fault: RpLogoutFault | null): void {
    if (fault === null) sent += 1
    else failed += 1
    report(message, fault)
  }

  function takeTurns(): void {
    while (underWay.size < maxAtOnce) {
      const next = queue.take()
      if (next === undefined) return
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
    const goOn = () => {
      paused.delete(waiting)
      queue.add(waiting.clientId, { ...waiting, tries: waiting.tries + 1 })
      takeTurns()
    }
    paused.set(waiting, setTimeout(goOn, pauseMs).unref())
  }

  const stats = () => ({ sent, failed, waiting: queue.size + paused.size + underWay.size })

  return {
    add(clientId, message) {
      const waiting = { clientId, message, tries: 0 }
      if (closed) return conclude(waiting, 'closed')
      // The app with the most messages loses one, so that it takes no place from the others.
      const isFull = stats().waiting >= maxWaiting
      const dropped = isFull ? (queue.makeRoomFor(clientId) ?? waiting) : undefined
      if (dropped !== undefined) conclude(dropped, 'overflow')
      if (dropped === waiting) return
      queue.add(clientId, waiting)
      takeTurns()
    },

    stats,

    async close(milliseconds) {
      closed = true
      for (const [waiting, timer] of paused) {
        clearTimeout(timer)
        conclude(waiting, 'closed')
      }
      paused.clear()
      await within(milliseconds, allOf(underWay))
      for (let rest = queue.take(); rest !== undefined; rest = queue.take())
        conclude(rest, 'closed')
    },
  }
}

async function allOf(underWay: ReadonlySet<Promise<void>>): Promise<void> {
  while (underWay.size > 0) await Promise.all(underWay)
}
