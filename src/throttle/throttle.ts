import type { BaseKit } from '../kits/ground-kit.js'
import type { Logger } from '../lib/logger.js'
import { type Ask, type Command, counted, createAsk } from './counter.js'
import {
  accountKeys,
  attemptKeys,
  type CounterKey,
  createCounterKey,
  type IdentifierDigests,
  networkKey,
} from './counter-keys.js'
import { createDeviceLimits, type DeviceLimits } from './device-limits.js'
import { createTakeGuess, type TakeGuess } from './directory-limit.js'
import { createIssueLimits, type TakeIssue } from './issue-limits.js'
import { createKnownNetworks, createRememberNetwork, type KnownNetworks } from './known-networks.js'
import { type Counters, createCounters, createReportLimit, type GivenLimits } from './limits.js'
import { createLookupLimit, type LimitLookups } from './lookup-limit.js'
import { createMailLimits, type MailLimits } from './mail-limits.js'
import { createPasswordLimits, type TakePasswordSlot } from './password-limits.js'
import { createRefusalLimits, type RefusalLimits } from './refusal-limits.js'
import { createSecondFactorLimits, type SecondFactorLimits } from './second-factor-limits.js'
import type { TextBudget, TextLimits } from './text-limits.js'

// The counters. An identifier is canonical: the same for every case of letters and every field. The
// user is the owner of its account. A network is an IPv4 address or an IPv6 /64. "Right" is a right
// password; "complete" is a sign-in with all factors whose session is stored.
//
// counter                  key                  +1                  -1                    life
// perIdentifierAndNetwork  identifier, network  before judging      right; outage;        900 s
//                                                                   complete: failedHere
// perNetwork               /64 (or IPv4)        before judging      right; outage         900 s
// perNetwork56, 48         /56, /48             before judging      right; outage         900 s
// perIdentifier            identifier           before judging      right; outage; wrong  24 h
//                                                                   where known; complete:
//                                                                   failedHere
// perUser                  user                 user found, before  right; outage; wrong  24 h
//                                               judging             where known; complete:
//                                                                   emptied
// perUserAndKnownNetwork   user, network        wrong, where the    complete: failedHere  24 h
//                                               network is known
// failedHere               identifier as typed, wrong               complete: collected   900 s
//                          network, known or not
// networkEpochs            user, network        set at complete and by a session's use    known
//                          user; with the       the same: the account knows some network  known
//                          notice new-network
// mar-new-network          user, network        told of a new network  -                   24 h
// userEpochs               user                 drawn by revokeAllForUser and another     10 years
//                                               factor
// codesPerUser             user; for enrolment  before judging a    right; outage;        1 h
//                          another key          code                complete: emptied
// codesUntilSignIn         user                 before judging a    right; outage;        10 years
//                                               code                complete: emptied
// codesCleared             user                 a new password       outage               24 h
//                                               clears wrong codes
// refusedTokens            endpoint, network    a refused token     -                     900 s
//                          network              a client was not    -                     900 s
//                                               authenticated
// mar-client               client, network      a client was not     -                     900 s
//                                               authenticated
// mar-passkey              network              a passkey was refused  -                   900 s
// mar-passkey-id           passkey              a passkey was refused  -                   1 h
// mar-issue-…              session (and app);   a code or ticket    refused               60 s
//                          user
// mar-mail-name            what was typed,      a mail is requested  refused              900 s
//                          network
// mar-mail-network…        /64 (or IPv4), /56,  a mail is requested  refused              1 h
//                          /48
// mar-name-network…        /64 (or IPv4), /56,  a user name is       free; outage          1 h
// mar-register-network…    /48                  looked up            (the second: never)   1 h
// mar-provider-network…    /64 (or IPv4), /56,  led to a provider    -                     1 h
//                          /48
// mar-mail-address         address              before a mail        refused; its code    900 s
//                                                                   signs in
// mar-mail-account         user, or an address  before a mail        the same             24 h
// mar-mail-stranger        user                 before a link for a  refused              24 h
//                                               new password, from
//                                               an unknown network
// mar-mail-code            user; for sign-in,   before judging a     right; outage        24 h
//                          what was typed       mailed code
// mar-mail-change          user                 the address was      undone               72 h
//                                               changed
// mar-device-link…         /64 (or IPv4), /56,  a device asks        -                     900 s
//                          /48
// mar-user-code…           /64 (or IPv4), /56,  before looking up    found; outage         900 s
//                          /48; session         a typed code
// mar-client-registration… /64 (or IPv4), /56,  a client registers   -                     1 h
//                          /48                  itself
// mar-text-number(-day)    kind and number      before a message     refused               900 s
//                                                                                          24 h
// mar-text-account         kind and user        before a message     refused               24 h
// mar-text-network…        /64 (or IPv4), /56,  before a message     refused               1 h
//                          /48                  (1)
// mar-text-prefix(-day)    prefix               before one (1)       refused               1 h
//                                                                                          24 h
// mar-text-home(-day)      prefix               before one (2)       refused               1 h
//                                                                                          24 h
// mar-text-service(-day)   (the service)        before one (1)       refused               1 h
//                                                                                          24 h
// mar-text-sent            prefix               a message            judged                24 h
// mar-text-typed           prefix               a code was right     judged                24 h
// mar-text-paused          prefix               too few were typed   -                     1 h
//                          (2) a second factor in a network that its account knows; (1) others
// (in this process)        network              a client is looked  found; outage         900 s
//                                               up
//
// Purposes: `perIdentifierAndNetwork` stops one connection that guesses one name; `perNetwork` one
// that tries many names; the wider prefixes one with many /64. `perIdentifier` stops a botnet that
// guesses one name. It may answer 429, because an unknown name behaves the same. `perUser` stops a
// botnet that tries many names of one account. It is silent, because an unknown name leads to no
// account. `perUserAndKnownNetwork` and the epochs admit the owner from known networks while
// unknown networks have exhausted the limits. `failedHere` prevents an account with a victim's name
// from refunding guesses at the victim. The counters of codes bound guesses at six digits, per hour
// and in all.
//
// Round trips of a login, besides the lookup of the user: first networks and identifier; then the
// user, with all reads. After the hash: a code, if any; then all refunds, once the session is
// stored. One more if this identifier has failed here before, or if only a directory knew whose it
// is. Two more if a limit is reached, or a code is near its limit.

/** Counts attempts before the expensive work, so that parallel guesses cannot evade the check. */
export interface Throttle extends SecondFactorLimits, RefusalLimits, MailLimits, DeviceLimits {
  readonly takePasswordSlot: TakePasswordSlot
  readonly knownNetworks: KnownNetworks
  /**
   * Clears the failures of an identifier and a user over all networks; with `ip` also in that
   * network. Rejects with 503.
   */
  unlockLogin(identifier: IdentifierDigests, userId: string | null, ip?: string): Promise<void>
  /** Limits by network the lookups of unknown names in the host's store. */
  readonly limitLookups: LimitLookups
  /** Limits the codes, tickets and tokens of a session and a user. */
  readonly takeIssue: TakeIssue
  /** Limits the passwords that reach a directory, to so many wrong ones of an entry. */
  readonly limitDirectories: (points: number) => TakeGuess
  /** Limits text messages, to a budget of the whole service. Loads what few hosts need. */
  readonly limitTexts: (budget: TextBudget) => Promise<TextLimits>
}

/** The settings that limits are made of. */
export interface ThrottleSettings extends Pick<BaseKit, 'encryptionKeys' | 'call' | 'audit'> {
  readonly options: GivenLimits
  /** Seconds for which a network stays known after its last use: the lifetime of a session. */
  readonly knownFor: number
  /** Whether anybody wants to know of sign-ins from new networks. */
  readonly reportsNetworks: boolean
  readonly logger: Logger
}

/** Makes the limits, with counters of the host's limiter, or in the memory of this process. */
export function createThrottle(settings: ThrottleSettings): Throttle {
  const { options, encryptionKeys, knownFor, reportsNetworks, logger, call, audit } = settings
  if (options.dryRun === true)
    logger.warn(
      'throttle.dryRun is on: wrong passwords are counted and reported, and nobody is refused ' +
        'for them',
    )
  const counters = createCounters(options, knownFor)
  const ask = createAsk(call)
  const keyOf = createCounterKey(encryptionKeys)
  const limits = { options, counters, keyOf, ask, audit, reportLimit: createReportLimit(audit) }
  const rememberNetwork = createRememberNetwork(limits, reportsNetworks)
  const knownNetworks = createKnownNetworks(counters, keyOf, ask, rememberNetwork)
  const kit = { ...limits, rememberNetwork, knownNetworks }
  return {
    takePasswordSlot: createPasswordLimits(kit),
    knownNetworks,
    unlockLogin: (identifier, userId, ip) => unlock(counters, keyOf, ask, identifier, userId, ip),
    limitLookups: createLookupLimit(kit),
    takeIssue: createIssueLimits(kit),
    limitDirectories: (points) => createTakeGuess(kit, points),
    async limitTexts(budget) {
      const { createTextLimits } = await import('./text-limits.js')
      return createTextLimits(kit, budget)
    },
    ...createRefusalLimits(kit),
    ...createMailLimits(kit),
    ...createDeviceLimits(kit),
    ...createSecondFactorLimits(kit),
  }
}

async function unlock(
  counters: Counters,
  keyOf: CounterKey,
  ask: Ask,
  identifier: IdentifierDigests,
  userId: string | null,
  ip: string | undefined,
) {
  const { perIdentifier, perUser, perIdentifierAndNetwork, failedHere } = counters
  const network = networkKey(keyOf, ip ?? null)
  const account = accountKeys(keyOf, userId, { identifier, network })
  const keys = attemptKeys(identifier, network)
  const everywhere: readonly Command[] = [
    { do: 'clear', of: perIdentifier, key: identifier.name },
    { do: 'clear', of: perUser, key: account.total },
  ]
  const here: readonly Command[] = [
    { do: 'clear', of: perIdentifierAndNetwork, key: keys.here },
    // Otherwise the next sign-in would refund these failures again, at the cost of later ones.
    { do: 'clear', of: failedHere, key: keys.failedHere },
    { do: 'clear', of: failedHere, key: keys.failedWhereKnown },
    { do: 'clear', of: counters.perUserAndKnownNetwork, key: account.known },
  ]
  const answers = await ask(ip === undefined ? everywhere : [...everywhere, ...here])
  for (const answer of answers) counted(answer)
}
