import type { RequestContext } from '../audit/events.js'
import type { MailKind } from '../audit/mail.js'
import type { AuthError } from '../errors.js'
import { networkOf } from '../http/client-address.js'
import { lazily } from '../lib/async.js'
import { type Command, type Counter, counted, createCounter } from './counter.js'
import { accountKey } from './counter-keys.js'
import { createTakeNetworks, type NetworkLimitsKit, takeAll } from './known-networks.js'
import { type LimitsKit, type MailLimitOptions, mailLimitOf } from './limits.js'

/** The recipient of a mail: a digest of the address, and the account. */
export interface Recipient {
  /**
   * Each kind is counted alone: links that a stranger asks for must keep no other mail from the
   * owner, and the limit of a new address must not tell that it has been mailed before.
   */
  readonly kind: MailKind
  readonly addressDigest: string
  readonly userId: string | null
}

/** Limits on mails, and on guesses at the codes in them. */
export interface MailLimits {
  /**
   * Counts a request for a mail, by network and by the text that was typed there, before anything
   * is looked up: strangers elsewhere keep nobody from asking. Throws 429 or 503.
   */
  takeMailRequest(typed: string, context: RequestContext): Promise<void>
  /**
   * Counts a user name that is looked up, by network. A free name, for which the answer is true,
   * counts a fifth of a taken name. Throws 429 or 503, and the errors of the lookup.
   */
  limitNames(isFree: () => Promise<boolean>, context: RequestContext): Promise<boolean>
  /** Counts a browser that is led to a provider, by network. Throws 429 or 503. */
  takeProviderFlow(context: RequestContext): Promise<void>
  /**
   * Counts a mail. Resolves with the 429 if its address or its account has had enough of its kind;
   * otherwise with null. Of links for a new password, some are kept for networks that the account
   * knows. Rejects with 503.
   */
  takeMail(recipient: Recipient, context: RequestContext): Promise<AuthError | null>
  /** Call it after the code of a mail was right: the mail does not count. Never rejects. */
  giveBackMail(recipient: Recipient): Promise<void>
  /** Clears the mails of these kinds of an account, whatever their address. Rejects with 503. */
  unlockMails(kinds: readonly MailKind[], userId: string): Promise<void>
  /**
   * Counts a code before it is compared, for the account. With `name`, for the typed name instead:
   * codes of strangers must neither tell whose account it is nor use up the guesses of its owner.
   * Throws 429 or 503.
   */
  takeMailedCode(userId: string | null, context: RequestContext, name?: string): Promise<void>
  /** Call it after a right code, and after an outage. Never rejects. */
  giveBackMailedCode(userId: string | null, name?: string): Promise<void>
}

/** Links for a new password that strangers cannot use up. */
const keptForKnown = 3

/** A dry run lifts none of them: each mail goes to a person, and each code is short. */
export function createMailLimits(kit: NetworkLimitsKit): MailLimits {
  const { keyOf, ask, reportLimit } = kit
  const counting = createCounting(kit)
  const ofNetwork = mailLimitOf(kit.options, 'network')
  const perName = counting('mar-mail-name', 'address')
  const perAddress = counting('mar-mail-address', 'address')
  const perAccount = counting('mar-mail-account', 'account')
  const takeNetworks = createTakeNetworks(kit, 'mar-mail-network', ofNetwork)
  // A company signs in behind one address, in the morning.
  const takeFlows = createTakeNetworks(kit, 'mar-provider-network', ofNetwork, 50)

  // An address without an account gets as many mails as one account.
  function ofAccount(kind: MailKind, userId: string) {
    return { of: perAccount(), key: keyOf('mail', kind, userId) }
  }

  const { ofStrangers, strangersOf } = createOfStrangers(kit, perAccount)

  function countsOf({ kind, addressDigest, userId }: Recipient) {
    const ofAddress = { of: perAddress(), key: keyOf('mail', kind, addressDigest) }
    return [ofAddress, ofAccount(kind, userId ?? addressDigest)]
  }

  return {
    limitNames: createLimitNames(kit),
    ...createCodeLimit(kit, counting('mar-mail-code', 'codes')),

    async takeProviderFlow(context) {
      const reached = await takeAll(ask, takeFlows(context.ip))
      if (reached !== null) throw reportLimit({ scope: 'provider-flow', ...reached.told }, context)
    },

    async takeMailRequest(typed, context) {
      const ofName: Command = {
        do: 'take',
        of: perName(),
        key: keyOf('mail', typed, networkOf(context.ip)),
      }
      const reached = await takeAll(ask, [...takeNetworks(context.ip), ofName])
      if (reached === null) return
      const scope = reached.of === ofName.of ? 'mail' : 'mail-network'
      throw reportLimit({ scope, ...reached.told }, context)
    },

    async takeMail(recipient, context) {
      const { kind, userId } = recipient
      const counts = [...countsOf(recipient), ...(await ofStrangers(kind, userId, context))]
      const taking = counts.map((one): Command => ({ ...one, do: 'take' }))
      const reached = await takeAll(ask, taking)
      return reached && reportLimit({ scope: 'mail', ...reached.told, userId }, context)
    },

    async giveBackMail(recipient) {
      await ask(countsOf(recipient).map((one): Command => ({ ...one, do: 'giveBack' })))
    },

    async unlockMails(kinds, userId) {
      const all = kinds.map((kind) => ofAccount(kind, userId))
      if (kinds.includes('reset-password')) all.push(strangersOf(userId))
      const answers = await ask(all.map((one): Command => ({ ...one, do: 'clear' })))
      // Throws 503 for one that failed.
      for (const answer of answers) counted(answer)
    },
  }
}

function createCodeLimit(
  { keyOf, ask, reportLimit }: NetworkLimitsKit,
  codes: () => Counter,
): Pick<MailLimits, 'takeMailedCode' | 'giveBackMailedCode'> {
  function codesOf(userId: string | null, name: string | undefined) {
    const key = name === undefined ? accountKey(keyOf, userId) : keyOf('mail', name)
    return { of: codes(), key }
  }

  return {
    async takeMailedCode(userId, context, name) {
      const reached = await takeAll(ask, [{ do: 'take', ...codesOf(userId, name) }])
      if (reached !== null)
        throw reportLimit({ scope: 'mailed-code', ...reached.told, userId }, context)
    },

    async giveBackMailedCode(userId, name) {
      await ask([{ do: 'giveBack', ...codesOf(userId, name) }])
    },
  }
}

// Limits the links for a new password to one account that networks unknown to it may ask for.
function createOfStrangers(
  { options, keyOf, knownNetworks }: NetworkLimitsKit,
  perAccount: () => Counter,
) {
  const counter = lazily(() => {
    const { points, duration } = perAccount()
    const others = Math.max(1, points - keptForKnown)
    return createCounter(options, { keyPrefix: 'mar-mail-stranger', points: others, duration })
  })
  const strangersOf = (userId: string) => ({
    of: counter(),
    key: keyOf('mail', 'reset-password', userId),
  })
  return {
    strangersOf,
    async ofStrangers(kind: MailKind, userId: string | null, { ip }: RequestContext) {
      if (kind !== 'reset-password' || userId === null) return []
      return (await knownNetworks.isKnown(userId, ip)) ? [] : [strangersOf(userId)]
    },
  }
}

type Counting = (keyPrefix: string, name: keyof MailLimitOptions) => () => Counter

function createCounting({ options }: LimitsKit): Counting {
  return (keyPrefix, name) =>
    // Made on demand: a host without mails needs no such counters.
    lazily(() => createCounter(options, { keyPrefix, ...mailLimitOf(options, name) }))
}

function createLimitNames(kit: NetworkLimitsKit): MailLimits['limitNames'] {
  const { ask, reportLimit } = kit
  const ofNetwork = mailLimitOf(kit.options, 'network')
  const takeNames = createTakeNetworks(kit, 'mar-name-network', ofNetwork)
  // The work that follows for a free name, such as a look among leaked passwords, is bounded as
  // well.
  const takeTries = createTakeNetworks(kit, 'mar-register-network', ofNetwork, 5)
  return async function limitNames(isFree, context) {
    const taken = takeNames(context.ip)
    const reached = await takeAll(ask, [...taken, ...takeTries(context.ip)])
    if (reached !== null) throw reportLimit({ scope: 'mail-network', ...reached.told }, context)
    let counts = false
    try {
      const free = await isFree()
      counts = !free
      return free
    } finally {
      if (!counts) await ask(taken.map((one): Command => ({ ...one, do: 'giveBack' })))
    }
  }
}
