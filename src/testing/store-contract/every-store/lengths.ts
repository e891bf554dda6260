import { randomId, randomSecret } from '../../../lib/secrets.js'
import type { AuthorizationCodeStore } from '../../../stores/code-contract.js'
import type {
  AuthenticationMethod,
  EndReason,
  SessionKind,
  SessionStore,
} from '../../../stores/contract.js'
import type { DeviceCodeStore } from '../../../stores/device-code-contract.js'
import type { IdentityStore } from '../../../stores/identity-contract.js'
import {
  confirmed,
  enrolling,
  moments,
  newCode,
  newDeviceCode,
  newFactor,
  newIdentity,
  newPending,
  newProof,
  newRefresh,
  newSession,
  newTicket,
} from '../../../stores/new-records.js'
import type { ProofStore } from '../../../stores/proof-contract.js'
import type { SecondFactorStore } from '../../../stores/second-factor-contract.js'
import type { SocketTicketStore } from '../../../stores/ticket-contract.js'
import { check, inheritedNames, isNone, type Part, resolves, same, sessionsOf } from '../harness.js'

// As long as the contract lets them be. Two and three bytes for a character: a column of so many
// bytes would be found out.

const maxKey = () => `${randomSecret()}l${'\u00e9'.repeat(490)}`
const longestText = '\u20ac'.repeat(16_000)
const whole =
  'Ids and hashes have up to 1024 bytes, other texts up to 16,000 characters. One that is cut ' +
  'off may equal another.'

// Whether the rest comes back is asked by other tests.
function texts(record: object | null): unknown {
  const strings = Object.entries(record ?? {}).filter(([, value]) => typeof value === 'string')
  return Object.fromEntries(strings)
}

/** Codes as long as they get. */
export function codeLengths({ it }: Part<AuthorizationCodeStore>): void {
  it('the longest ids, hashes and texts come back whole', async (codes, at) => {
    const code = newCode(at, {
      codeHash: maxKey(),
      userId: maxKey(),
      issuedBySessionId: maxKey(),
      opensSessionId: maxKey(),
      scope: longestText,
    })
    await codes.save(code)
    same(texts(await codes.find(code.codeHash)), texts(code), `codes.find: ${whole}`)
  })
}

/** Sessions as long as they get. */
export function sessionLengths({ it }: Part<SessionStore>): void {
  it('the longest ids, hashes and texts come back whole', async (sessions, at) => {
    const refresh = newRefresh(at, maxKey())
    const session = newSession(at, {
      id: maxKey(),
      userId: maxKey(),
      scope: longestText,
      userAgent: longestText,
      refresh,
    })
    await sessions.create(session)
    same(texts(await sessions.find(session.id)), texts(session), `sessions.find: ${whole}`)
    const listed = await sessionsOf(sessions, session.userId, at(1))
    same(listed.map(texts), [texts(session)], `sessions.listForUser: ${whole}`)
  })
}

/** Factors, enrolments and recovery codes as long as they get. */
export function factorLengths({ it }: Part<SecondFactorStore>): void {
  it('the longest ids, hashes and sealed seeds come back whole', async (factors, at) => {
    const pending = newPending(at, { userId: maxKey(), sealedSeed: maxKey() })
    const hash = maxKey()
    await factors.savePending(pending)
    same(
      texts(await factors.findPending(pending.userId, enrolling)),
      texts(pending),
      `secondFactors.findPending: ${whole}`,
    )
    await factors.confirm(confirmed(pending, at), [hash], at(1))
    same(
      texts(await factors.find(pending.userId)),
      texts(confirmed(pending, at)),
      `secondFactors.find: ${whole}`,
    )
    const resealed = newFactor(at, { ...confirmed(pending, at), sealedSeed: maxKey() })
    await factors.reseal(pending.userId, pending.sealedSeed, resealed.sealedSeed)
    same(
      texts(await factors.find(pending.userId)),
      texts(resealed),
      `secondFactors.find after reseal: ${whole}`,
    )
    const { outcome } = await factors.consumeRecoveryCode(pending.userId, hash)
    check(
      outcome === 'consumed',
      `secondFactors.consumeRecoveryCode does not know a hash of 1024 bytes. ${whole}`,
    )
  })
}

/** Tickets as long as they get. */
export function ticketLengths({ it }: Part<SocketTicketStore>): void {
  it('the longest ids, hashes and texts come back whole', async (tickets, at) => {
    const ticket = newTicket(at, {
      ticketHash: maxKey(),
      sessionId: maxKey(),
      userId: maxKey(),
      scope: longestText,
    })
    await tickets.save(ticket)
    const answer = await tickets.consume(ticket.ticketHash, at(1))
    same(
      texts('ticket' in answer ? answer.ticket : null),
      texts(ticket),
      `tickets.consume: ${whole}`,
    )
  })
}

/** Proofs as long as they get. */
export function proofLengths({ it }: Part<ProofStore>): void {
  it('the longest ids, hashes, purposes and texts come back whole', async (proofs, at) => {
    const [idHash, purpose, userId] = [maxKey(), maxKey(), maxKey()]
    const long = { codeTag: longestText, mark: longestText, sealed: longestText }
    const proof = newProof(at, { ...long, idHash, purpose, userId })
    await proofs.save(proof)
    same(texts(await proofs.find(idHash, purpose)), texts(proof), `proofs.find: ${whole}`)
    const voided = await proofs.voidForUser(userId, [purpose], at(1))
    same(voided, 1, `proofs.voidForUser of a user and a purpose of 1024 bytes. ${whole}`)
  })
}

/** Device codes as long as they get. */
export function deviceCodeLengths({ it }: Part<DeviceCodeStore>): void {
  it('the longest ids, hashes and texts come back whole', async (codes, at) => {
    const code = newDeviceCode(at, {
      userCodeHash: maxKey(),
      deviceCodeHash: maxKey(),
      purpose: maxKey(),
      clientId: maxKey(),
      scope: longestText,
      name: longestText,
      requestedIp: longestText,
      requestedAgent: longestText,
    })
    const { userCodeHash, deviceCodeHash } = code
    const userId = maxKey()
    const verdict = { state: 'approved', authorizationCodeHash: maxKey() } as const
    await codes.save(code)
    await codes.claim(userCodeHash, userId, at(1))
    await codes.decide(userCodeHash, userId, verdict, at(2))
    const decided = texts({ ...code, userId, ...verdict })
    same(texts(await codes.find(userCodeHash)), decided, `deviceCodes.find: ${whole}`)
    const polled = await codes.poll(userCodeHash, deviceCodeHash, at(3))
    same(
      texts('code' in polled ? polled.code : null),
      decided,
      `deviceCodes.poll with a hash of 1024 bytes. ${whole}`,
    )
  })
}

/** Identities as long as they get. */
export function identityLengths({ it }: Part<IdentityStore>): void {
  it('the longest providers, subjects, ids and texts come back whole', async (identities, at) => {
    const identity = newIdentity(at, {
      provider: within255('p'),
      subject: within255('s'),
      userId: maxKey(),
      id: maxKey(),
      label: longestText,
    })
    const { provider, subject, userId, id } = identity
    await identities.link(identity)
    const why = `A provider and a subject have up to 255 bytes. ${whole}`
    same(
      texts(await identities.find(provider, subject)),
      texts(identity),
      `identities.find: ${why}`,
    )
    same(
      await identities.unlink(userId, id, { unlessLast: false }),
      { outcome: 'unlinked' },
      `identities.unlink of a user and an id of 1024 bytes. ${whole}`,
    )
  })
}

// As many bytes as a provider or a subject may have.
function within255(start: string): string {
  const name = `${start}${randomSecret()}`
  const left = 255 - name.length
  return `${name}${'\u00e9'.repeat(left / 2)}${'l'.repeat(left % 2)}`
}

// Texts that a driver, an ORM or a JSON reviver converts into something else.
const lookAlikes = [
  '',
  ' ',
  'null',
  'undefined',
  'true',
  'NaN',
  '17',
  '007',
  '1e3',
  '2024-02-29T12:00:00.000Z',
  '/Date(1709208000000)/',
  '{"a":1}',
  '[]',
  '"quoted"',
  '\\x41',
  '__proto__',
]

/** Texts stay texts. */
export function sessionLookAlikes(part: Part<SessionStore>): void {
  sessionTexts(part)
  noSessionById(part)
}

function sessionTexts({ it }: Part<SessionStore>): void {
  it('texts that look like something else come back as the same texts', async (sessions, at) => {
    for (const text of lookAlikes) {
      const session = newSession(at, { scope: text, ip: text, userAgent: text })
      await sessions.create(session)
      const found = await sessions.find(session.id)
      same(
        [found?.scope, found?.ip, found?.userAgent],
        [text, text, text],
        `sessions.find does not answer the text ${JSON.stringify(text)} as it was created. A ` +
          `text is a text, whatever it looks like, and \`''\` is not \`null\`.`,
      )
    }
  })

  it('a kind, methods and a reason of a later release come back as the same texts', async (sessions, at) => {
    const later: string = 'of-a-later-release'
    const session = newSession(at, {
      kind: later as SessionKind,
      methods: ['pwd', later as AuthenticationMethod],
    })
    const why =
      'Two releases write to one store while a deployment rolls: `kind`, `methods` and reasons ' +
      'are texts, and no list is complete.'
    await resolves(
      sessions.create(session),
      `sessions.create refused a word that it does not know. ${why}`,
    )
    await resolves(
      sessions.end(session.id, later as EndReason, at(1)),
      `sessions.end refused a word that it does not know. ${why}`,
    )
    const found = await resolves(
      sessions.find(session.id),
      `sessions.find failed at a word that it does not know. ${why}`,
    )
    same(
      [found?.kind, found?.methods, found?.endReason],
      [later, ['pwd', later], later],
      `sessions.find of other words. ${why}`,
    )
  })
}

function noSessionById({ it }: Part<SessionStore>): void {
  it('an id that every object has as a property is no session', async (sessions) => {
    for (const name of inheritedNames) {
      check(
        isNone(await sessions.find(name)),
        `sessions.find of '${name}'. Keep rows in a Map, not in a plain object.`,
      )
      const { userId } = newSession(moments(), { userId: name })
      same(
        await sessionsOf(sessions, userId, new Date()),
        [],
        `sessions.listForUser of '${name}'. Use a Map, not a plain object.`,
      )
    }
  })
}

/** The same for codes. */
export function codeLookAlikes({ it }: Part<AuthorizationCodeStore>): void {
  it('a hash that every object has as a property is no code', async (codes) => {
    for (const name of inheritedNames) {
      check(
        isNone(await codes.find(name)),
        `codes.find of '${name}'. Keep rows in a Map, not in a plain object.`,
      )
    }
  })
}

/** The same for second factors. */
export function factorLookAlikes({ it }: Part<SecondFactorStore>): void {
  it('a user whose id every object has as a property has a factor like any other', async (factors, at) => {
    for (const userId of inheritedNames) {
      // An aborted run may have left it.
      await factors.deactivate(userId)
      const plain = `of a user called '${userId}'. Keep rows in a Map, not in a plain object.`
      check(isNone(await factors.find(userId)), `secondFactors.find ${plain}`)
      const hash = randomId()
      const { outcome } = await factors.activate(newFactor(at, { userId }), [hash])
      const used = await factors.consumeRecoveryCode(userId, hash)
      const gone = await factors.deactivate(userId)
      const said = [outcome, used.outcome, gone.outcome].join()
      check(
        said === 'activated,consumed,deactivated',
        `activate, consumeRecoveryCode and deactivate answered ${said} ${plain}`,
      )
    }
  })
}
