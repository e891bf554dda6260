import { AuthError } from '../errors.js'
import type { ManagementKit } from '../kits/session-kit.js'
import { sha256 } from '../lib/secrets.js'
import type { ProofRecord, ProofStore } from '../stores/one-time-contract.js'
import type { CodeFactor } from '../two-factor/second-factor.js'
import type { AuthUser } from '../users/contract.js'
import { type Channel, provenIn } from './channel.js'
import type { Contacts } from './mails.js'
import type { MailedCode, MarkOf, Proofs } from './proofs.js'

/** Seconds in which a code works, and in which a user gets `maxCodes`. */
const codeLifetime = 10 * 60
const maxCodes = 10

interface FactorCodesKit extends ManagementKit {
  readonly contacts: Contacts
  readonly proofStore: ProofStore
  readonly proofs: Proofs
  readonly channel: Channel
  /** Whether a sign-in asks this user for a stronger factor. */
  readonly isOutranked: (user: AuthUser) => Promise<boolean>
}

/**
 * Sent codes as a second factor: `email` or `sms`. A login carries no request id, so the ids of a
 * user's codes are numbered within periods of ten minutes. They are no secret: nobody can send one.
 */
export function createSentCodes(kit: FactorCodesKit): CodeFactor {
  const { contacts, channel, isOutranked } = kit
  const { messages } = channel
  const inTurn = createInTurn()
  return {
    name: channel.method,
    endsSessions: true,

    // The factor is on without a proven address, too: otherwise a change of the address would lift
    // it.
    async isEnabled(user) {
      const isOn = channel.hasFactor(await contacts.findContact(user.id))
      return isOn && !(await isOutranked(user))
    },

    async sendCode(user, context) {
      const contact = await contacts.findContact(user.id)
      const address = provenIn(channel, contact)
      if (address === null) return false
      const to = { address, user, locale: contact?.locale }
      const refused = await messages.take(to, 'second-factor-code', context)
      const opened = refused ?? (await inTurn(user.id, () => openCode(kit, user, address)))
      if (opened instanceof AuthError) {
        // Without a mail the sign-in still asks for a code: otherwise a thief of the password keeps
        // the owner away from the codes that are in the mailbox.
        if ((await openCodesOf(kit, user)).length > 0) return false
        throw opened
      }
      const { code, expiresAt } = opened
      messages.send(to, { kind: 'second-factor-code', code, expiresAt }, context)
      return true
    },

    async verify(user, typed) {
      const address = provenIn(channel, await contacts.findContact(user.id))
      const isRight = address !== null && (await useCode(kit, user, address, typed))
      if (!isRight) return { outcome: 'refused' }
      // The owner of the mailbox may sign in as often as they like.
      await messages.giveBack({ address, user }, 'second-factor-code')
      return { outcome: 'accepted' }
    },
  }
}

/** Does work for the same user one after the other. */
type InTurn = <Result>(userId: string, work: () => Promise<Result>) => Promise<Result>

// Calls wait in turn, so that a double click is no failure of the store. Two processes may still
// meet at a number.
function createInTurn(): InTurn {
  const last = new Map<string, Promise<unknown>>()
  return async function inTurn(userId, work) {
    const mine = (last.get(userId) ?? Promise.resolve()).then(work, work)
    last.set(userId, mine)
    try {
      return await mine
    } finally {
      if (last.get(userId) === mine) last.delete(userId)
    }
  }
}

async function openCode(
  kit: FactorCodesKit,
  user: AuthUser,
  address: string,
): Promise<MailedCode | AuthError> {
  const { proofs, proofStore, clock } = kit
  const asked = {
    purpose: 'second-factor',
    userId: user.id,
    mark: proofs.markOf(addressParts(user, address)),
    sealed: {},
    lifetime: codeLifetime,
  } as const
  const period = periodAt(clock())
  for (let number = 0; number < maxCodes; number += 1) {
    const requestId = requestIdOf(kit, user, period, number)
    const isTaken = async () => (await proofStore.find(sha256(requestId), purpose)) !== null
    if (await isTaken()) continue
    try {
      return await proofs.openCode(asked, requestId)
    } catch (error) {
      // Another request has taken the number a moment ago.
      if (!(await isTaken())) throw error
    }
  }
  return new AuthError('too-many-requests', { retryAfter: codeLifetime, limit: 'user' })
}

// Each open code loses a try, then the right code is used up: of many logins with this code, one
// gets in.
async function useCode(
  kit: FactorCodesKit,
  user: AuthUser,
  address: string,
  typed: string,
): Promise<boolean> {
  const { proofs, proofStore, clock } = kit
  for (const record of await openCodesOf(kit, user)) {
    const { outcome } = await proofStore.takeTry(record.idHash, purpose, clock())
    if (outcome === 'void') continue
    const proof = { record, sealed: {} }
    const isRight = proofs.isMark(proof, addressParts(user, address)) && proofs.isCode(proof, typed)
    if (isRight) return proofs.consume(proof)
  }
  return false
}

async function openCodesOf(kit: FactorCodesKit, user: AuthUser): Promise<readonly ProofRecord[]> {
  const { proofStore, clock } = kit
  const now = clock()
  const period = periodAt(now)
  // The clock of another process may be ahead.
  const periods = [period + 1, period, period - 1]
  const found = await Promise.all(
    periods.map(async (each) => {
      const records: ProofRecord[] = []
      for (let number = 0; number < maxCodes; number += 1) {
        const record = await proofStore.find(sha256(requestIdOf(kit, user, each, number)), purpose)
        if (record !== null) records.push(record)
        // The store may have deleted expired codes of the period before.
        else if (each >= period) break
      }
      return records
    }),
  )
  return found.flat().filter(({ consumedAt, expiresAt }) => consumedAt === null && now < expiresAt)
}

const purpose = 'second-factor'

function periodAt(now: Date): number {
  return Math.floor(now.getTime() / (codeLifetime * 1000))
}

function requestIdOf(
  { channel: { name } }: FactorCodesKit,
  { id }: AuthUser,
  period: number,
  number: number,
): string {
  return JSON.stringify([purpose, name, id, period, number])
}

/** The mark of an address. A code that went to a former address is worth nothing. */
export function addressParts({ id }: AuthUser, address: string): MarkOf {
  return ['address', id, address]
}
