import { randomSecret } from '../../lib/random.js'
import type { AuthorizationCodeStore, SecondFactorStore, SessionStore, SocketTicketStore } from '../../stores/contract.js'
import { check, same } from './checks.js'
import { confirmed, moments, newCode, newFactor, newPending, newRefresh, newSession, newTicket } from './records.js'
import type { Part } from './suite.js'

// As long as the contract lets them be. Two and three bytes for a character: a column of so many bytes would be found out.

const longestKey = () => `${randomSecret()}l${'\u00e9'.repeat(490)}`
const longestText = '\u20ac'.repeat(16_000)
const whole = 'Ids and hashes have up to 1024 bytes, other texts up to 16,000 characters. One that is cut off may equal another.'

/** Codes as long as they get. */
export function codeLengths({ it, store }: Part<AuthorizationCodeStore>): void {
  it('the longest ids, hashes and texts come back whole', async () => {
    const at = moments()
    const codes = await store()
    const code = newCode(at, {
      codeHash: longestKey(),
      userId: longestKey(),
      issuedBySessionId: longestKey(),
      opensSessionId: longestKey(),
      scope: longestText,
    })
    await codes.save(code)
    same(await codes.find(code.codeHash), code, `codes.find: ${whole}`)
  })
}

/** Sessions as long as they get. */
export function sessionLengths({ it, store }: Part<SessionStore>): void {
  it('the longest ids, hashes and texts come back whole', async () => {
    const at = moments()
    const sessions = await store()
    const refresh = newRefresh(at, longestKey())
    const session = newSession(at, { id: longestKey(), userId: longestKey(), scope: longestText, userAgent: longestText, refresh })
    await sessions.create(session)
    same(await sessions.find(session.id), session, `sessions.find: ${whole}`)
    same(await sessions.listForUser(session.userId, at(1)), [session], `sessions.listForUser: ${whole}`)
  })
}

/** Factors, enrolments and recovery codes as long as they get. */
export function factorLengths({ it, store }: Part<SecondFactorStore>): void {
  it('the longest ids, hashes and sealed seeds come back whole', async () => {
    const at = moments()
    const factors = await store()
    const pending = newPending(at, { userId: longestKey(), sealedSeed: longestKey() })
    const hash = longestKey()
    await factors.savePending(pending)
    same(await factors.findPending(pending.userId), pending, `secondFactors.findPending: ${whole}`)
    await factors.confirm(confirmed(pending, at), [hash], at(1))
    same(await factors.find(pending.userId), confirmed(pending, at), `secondFactors.find: ${whole}`)
    const resealed = newFactor(at, { ...confirmed(pending, at), sealedSeed: longestKey() })
    await factors.reseal(pending.userId, pending.sealedSeed, resealed.sealedSeed)
    same(await factors.find(pending.userId), resealed, `secondFactors.find after reseal: ${whole}`)
    const { outcome } = await factors.consumeRecoveryCode(pending.userId, hash)
    check(outcome === 'consumed', `secondFactors.consumeRecoveryCode does not know a hash of 1024 bytes. ${whole}`)
  })
}

/** Tickets as long as they get. */
export function ticketLengths({ it, store }: Part<SocketTicketStore>): void {
  it('the longest ids, hashes and texts come back whole', async () => {
    const at = moments()
    const tickets = await store()
    const ticket = newTicket(at, { ticketHash: longestKey(), sessionId: longestKey(), userId: longestKey(), scope: longestText })
    await tickets.save(ticket)
    same(await tickets.consume(ticket.ticketHash, at(1)), { outcome: 'consumed', ticket }, `tickets.consume: ${whole}`)
  })
}
