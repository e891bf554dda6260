import type { RequestContext } from '../audit/events.js'
import type { MailKind } from '../audit/mail.js'
import type { ThrottleScope } from '../audit/refusals.js'
import { AuthError } from '../errors.js'
import {
  type Command,
  type Counter,
  consumedOf,
  counted,
  createCounter,
  type Limit,
} from './counter.js'
import { createTakeNetworks, type NetworkLimitsKit, takeAll } from './known-networks.js'
import { day, type LimitsKit, mailLimitOf } from './limits.js'

// Text messages cost money, and their fees reach whoever rents a range of numbers: "SMS pumping".
// So all of them are counted, before they are sent, whoever has asked for them.

/** How many text messages the whole service sends. */
export interface TextBudget {
  /** In an hour. */
  readonly hour: number
  /** In a day. */
  readonly day: number
}

/** The recipient of a text message. */
export interface TextRecipient {
  readonly kind: MailKind
  /** In the form E.164. */
  readonly number: string
  /** The code of the country and the next four digits. */
  readonly prefix: string
  readonly userId: string | null
}

/** Limits on text messages. */
export interface TextLimits {
  /**
   * Throws 503 if the budget of the service is used up. It counts nothing, and tells nothing of a
   * number: only messages to users are counted, so the share of a prefix would tell of them.
   */
  requireRoom(): Promise<void>
  /**
   * Counts a message. Resolves with the 429 or 503 if it must not be sent, otherwise with null.
   * Codes to sign in, in a network that the account knows, count apart for number and account. A
   * second factor there does not count for the network, the share of the prefix and the service:
   * its prefix has a budget of its own for these. Rejects with 503.
   */
  takeText(to: TextRecipient, context: RequestContext): Promise<AuthError | null>
  /** Call it after a right code: whoever waits for messages has typed one. Never rejects. */
  noteTyped(prefix: string): Promise<void>
  /** Clears what a user has got of a kind, after a new password. Rejects with 503. */
  unlockTexts(to: Pick<TextRecipient, 'kind' | 'number' | 'userId'>): Promise<void>
}

const hour = 60 * 60

const perNumber = { points: 3, duration: 15 * 60 }

const perNumberAndDay = { points: 8, duration: day }

/** Codes without which nobody signs in. */
const signInKinds: ReadonlySet<MailKind> = new Set(['sign-in-code', 'second-factor-code'])

/** How many prefixes use up the budget together. */
const share = 10

/** Of so many codes of a prefix a fifth must be typed. */
const judged = 50

const leastTyped = judged / 5

/** Makes the limits for a budget. A dry run lifts none of them. */
export function createTextLimits(kit: NetworkLimitsKit, budget: TextBudget): TextLimits {
  const { ask, knownNetworks } = kit
  const { ofOwner, ofHome, ofPrefix, ofAll, ofNetwork, scopeOf } = createCommands(kit, budget)
  const pauses = createPauses(kit)

  // Where the owner has signed in before, strangers' messages keep nobody from signing in.
  const isAtHome = async ({ kind, userId }: TextRecipient, { ip }: RequestContext) =>
    signInKinds.has(kind) && userId !== null && (await knownNetworks.isKnown(userId, ip))

  return {
    async requireRoom() {
      const all = ofAll()
      const counts = (await ask(all.map((one): Command => ({ ...one, do: 'get' })))).map(counted)
      const at = counts.findIndex(({ consumed }, i) => consumed >= (all[i]?.of.points ?? 0))
      if (at >= 0) throw noRoom(counts[at]?.seconds ?? hour)
    },

    async takeText(to, context) {
      const isHome = await isAtHome(to, context)
      const isFree = isHome && to.kind === 'second-factor-code'
      const closedFor = isFree ? 0 : await pauses.secondsLeft(to.prefix)
      if (closedFor > 0) return noRoom(closedFor)
      const others = isFree
        ? ofHome(to.prefix)
        : [...ofNetwork(context.ip), ...ofPrefix(to.prefix), ...ofAll()]
      const reached = await takeAll(ask, [...ofOwner(to, isHome), ...others])
      if (reached === null) {
        await pauses.noteSent(to.prefix, context)
        return null
      }
      const scope = scopeOf(reached.of)
      const error = kit.reportLimit({ scope, ...reached.told, userId: to.userId }, context)
      return scope === 'text-budget' ? noRoom(reached.told.retryAfter) : error
    },

    noteTyped: pauses.noteTyped,

    async unlockTexts(to) {
      const all = [...ofOwner(to, false), ...ofOwner(to, true)]
      const answers = await ask(all.map((one): Command => ({ ...one, do: 'clear' })))
      for (const answer of answers) counted(answer)
    },
  }
}

function createCommands(kit: LimitsKit, budget: TextBudget) {
  const { options, keyOf } = kit
  const make = (keyPrefix: string, limit: Limit) => createCounter(options, { keyPrefix, ...limit })
  const part = (points: number) => Math.max(1, Math.ceil(points / share))
  const number = make('mar-text-number', perNumber)
  const numberAndDay = make('mar-text-number-day', perNumberAndDay)
  const account = make('mar-text-account', perNumberAndDay)
  const ofBudget = (keyPrefix: string, points: (of: number) => number) => [
    make(keyPrefix, { points: points(budget.hour), duration: hour }),
    make(`${keyPrefix}-day`, { points: points(budget.day), duration: day }),
  ]
  const prefixes = ofBudget('mar-text-prefix', part)
  const atHome = ofBudget('mar-text-home', (points) => points)
  const service = ofBudget('mar-text-service', (points) => points)
  const taking = (of: Counter, ...parts: readonly string[]): Command => ({
    do: 'take',
    of,
    key: keyOf('text', ...parts),
  })
  return {
    // Each kind is counted alone, and once more at home: codes that strangers ask for keep no other
    // code from the owner, and the limit of a new number must not tell that its owner got some.
    ofOwner({ kind, number: to, userId }: Omit<TextRecipient, 'prefix'>, isHome: boolean) {
      const counting = isHome ? `${kind} home` : kind
      return [
        taking(number, counting, to),
        taking(numberAndDay, counting, to),
        taking(account, counting, 'user', userId ?? to),
      ]
    },
    ofPrefix: (prefix: string) => prefixes.map((of) => taking(of, prefix)),
    // A robot's own accounts, at home in its own networks, use up no more than their own prefixes.
    ofHome: (prefix: string) => atHome.map((of) => taking(of, prefix)),
    ofAll: () => service.map((of) => taking(of)),
    ofNetwork: createTakeNetworks(kit, 'mar-text-network', mailLimitOf(options, 'network')),
    scopeOf(of: Counter): ThrottleScope {
      if ([...prefixes, ...atHome, ...service].includes(of)) return 'text-budget'
      return [number, numberAndDay, account].includes(of) ? 'text' : 'text-network'
    },
  }
}

// Whoever earns money by messages does not type their codes.
function createPauses({ options, keyOf, ask, audit }: LimitsKit) {
  const make = (keyPrefix: string, points: number, duration: number) =>
    createCounter(options, { keyPrefix, points, duration })
  const sent = make('mar-text-sent', judged, day)
  const typed = make('mar-text-typed', judged, day)
  const paused = make('mar-text-paused', 1, hour)
  const keyFor = (prefix: string) => keyOf('text', prefix)

  async function judge(prefix: string, context: RequestContext): Promise<void> {
    const key = keyFor(prefix)
    const [cleared, ofTyped] = await ask([
      { do: 'clear', of: sent, key },
      { do: 'get', of: typed, key },
    ])
    // Names the one caller who judges these.
    if (counted(cleared).consumed === 0) return
    await ask([{ do: 'clear', of: typed, key }])
    if (counted(ofTyped).consumed >= leastTyped) return
    await ask([{ do: 'set', of: paused, key, points: 1, seconds: hour }])
    audit({ type: 'phone.prefix-paused', prefix }, context)
  }

  return {
    /** 0: it is open. Rejects with 503. */
    async secondsLeft(prefix: string): Promise<number> {
      const [answer] = await ask([{ do: 'get', of: paused, key: keyFor(prefix) }])
      const { consumed, seconds } = counted(answer)
      return consumed > 0 ? Math.max(1, seconds) : 0
    },
    async noteSent(prefix: string, context: RequestContext): Promise<void> {
      const key = keyFor(prefix)
      // A host's counter does not say how many there are now.
      await ask([{ do: 'add', of: sent, key }])
      const [answer] = await ask([{ do: 'get', of: sent, key }])
      if (consumedOf(answer) >= judged) await judge(prefix, context)
    },
    async noteTyped(prefix: string): Promise<void> {
      await ask([{ do: 'add', of: typed, key: keyFor(prefix) }])
    },
  }
}

function noRoom(seconds: number): AuthError {
  return new AuthError('temporarily-unavailable', {
    retryAfter: Math.max(1, seconds),
    message: 'no more text messages are sent for the time being',
  })
}
