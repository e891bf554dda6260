import { randomId, randomSecret } from '../../../lib/secrets.js'
import type { AuthenticationMethod, EndReason, SessionKind } from '../../../stores/contract.js'
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
import {
  check,
  inheritedNames,
  isNone,
  type Part,
  resolves,
  type StoreOf,
  same,
  sessionsOf,
  told,
} from '../harness.js'

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

/** What a method answers of a record whose texts are as long as they get, and the record. */
type Longest = readonly [method: string, answer: object | null, record: object]

function checkWhole(rows: readonly Longest[]): void {
  for (const [method, answer, record] of rows)
    same(texts(answer), texts(record), `${method}: ${whole}`)
}

const title = 'the longest ids, hashes and texts come back whole'

/** Codes as long as they get. */
export function codeLengths({ it }: Part<StoreOf<'codes'>>): void {
  it(title, async (codes, at) => {
    const code = newCode(at, {
      codeHash: maxKey(),
      userId: maxKey(),
      issuedBySessionId: maxKey(),
      opensSessionId: maxKey(),
      scope: longestText,
    })
    await codes.save(code)
    checkWhole([['codes.find', await codes.find(code.codeHash), code]])
  })
}

/** Sessions as long as they get. */
export function sessionLengths({ it }: Part<StoreOf<'sessions'>>): void {
  it(title, async (sessions, at) => {
    const refresh = newRefresh(at, maxKey())
    const [id, userId, text] = [maxKey(), maxKey(), longestText]
    const session = newSession(at, { id, userId, scope: text, userAgent: text, refresh })
    await sessions.create(session)
    const listed = await sessionsOf(sessions, userId, at(1))
    checkWhole([
      ['sessions.find', await sessions.find(id), session],
      ...listed.map((row): Longest => ['sessions.listForUser', row, session]),
    ])
    same(listed.length, 1, `sessions.listForUser: ${whole}`)
  })
}

/** Factors, enrolments and recovery codes as long as they get. */
export function factorLengths({ it }: Part<StoreOf<'secondFactors'>>): void {
  it('the longest ids, hashes and sealed seeds come back whole', async (factors, at) => {
    const pending = newPending(at, { userId: maxKey(), sealedSeed: maxKey() })
    const { userId, sealedSeed } = pending
    const hash = maxKey()
    await factors.savePending(pending)
    const waiting = await factors.findPending(userId, enrolling)
    const factor = confirmed(pending, at)
    await factors.confirm(factor, [hash], at(1))
    const active = await factors.find(userId)
    const resealed = { ...factor, sealedSeed: maxKey() }
    await factors.reseal(userId, sealedSeed, resealed.sealedSeed)
    checkWhole([
      ['secondFactors.findPending', waiting, pending],
      ['secondFactors.find', active, factor],
      ['secondFactors.find after reseal', await factors.find(userId), resealed],
      ['consumeRecoveryCode', await factors.consumeRecoveryCode(userId, hash), told('consumed')],
    ])
  })
}

/** Tickets as long as they get. */
export function ticketLengths({ it }: Part<StoreOf<'tickets'>>): void {
  it(title, async (tickets, at) => {
    const [ticketHash, sessionId, userId] = [maxKey(), maxKey(), maxKey()]
    const ticket = newTicket(at, { ticketHash, sessionId, userId, scope: longestText })
    await tickets.save(ticket)
    const answer = await tickets.consume(ticketHash, at(1))
    checkWhole([['tickets.consume', 'ticket' in answer ? answer.ticket : null, ticket]])
  })
}

/** Proofs as long as they get. */
export function proofLengths({ it }: Part<StoreOf<'proofs'>>): void {
  it('the longest ids, hashes, purposes and texts come back whole', async (proofs, at) => {
    const [idHash, purpose, userId] = [maxKey(), maxKey(), maxKey()]
    const long = { codeTag: longestText, mark: longestText, sealed: longestText }
    const proof = newProof(at, { ...long, idHash, purpose, userId })
    await proofs.save(proof)
    checkWhole([['proofs.find', await proofs.find(idHash, purpose), proof]])
    const voided = await proofs.voidForUser(userId, [purpose], at(1))
    same(voided, 1, `proofs.voidForUser of a user and a purpose of 1024 bytes. ${whole}`)
  })
}

/** Device codes as long as they get. */
export function deviceCodeLengths({ it }: Part<StoreOf<'deviceCodes'>>): void {
  it(title, async (codes, at) => {
    const [userCodeHash, deviceCodeHash, userId] = [maxKey(), maxKey(), maxKey()]
    const keys = { userCodeHash, deviceCodeHash, purpose: maxKey(), clientId: maxKey() }
    const requested = { requestedIp: longestText, requestedAgent: longestText }
    const code = newDeviceCode(at, { ...keys, scope: longestText, name: longestText, ...requested })
    const verdict = { state: 'approved', authorizationCodeHash: maxKey() } as const
    await codes.save(code)
    await codes.claim(userCodeHash, userId, at(1))
    await codes.decide(userCodeHash, userId, verdict, at(2))
    const decided = { ...code, userId, ...verdict }
    const found = await codes.find(userCodeHash)
    const polled = await codes.poll(userCodeHash, deviceCodeHash, at(3))
    checkWhole([
      ['deviceCodes.find', found, decided],
      ['deviceCodes.poll', 'code' in polled ? polled.code : null, decided],
    ])
  })
}

/** Identities as long as they get. A provider and a subject have up to 255 bytes. */
export function identityLengths({ it }: Part<StoreOf<'identities'>>): void {
  it('the longest providers, subjects, ids and texts come back whole', async (identities, at) => {
    const [provider, subject, userId, id] = [within255('p'), within255('s'), maxKey(), maxKey()]
    const identity = newIdentity(at, { provider, subject, userId, id, label: longestText })
    await identities.link(identity)
    const found = await identities.find(provider, subject)
    const unlinked = await identities.unlink(userId, id, { unlessLast: false })
    checkWhole([
      ['identities.find', found, identity],
      ['identities.unlink', unlinked, told('unlinked')],
    ])
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
export function sessionLookAlikes(part: Part<StoreOf<'sessions'>>): void {
  sessionTexts(part)
  noSessionById(part)
}

function sessionTexts({ it }: Part<StoreOf<'sessions'>>): void {
  it('texts that look like something else come back as the same texts', async (sessions, at) => {
    for (const text of lookAlikes) {
      const session = newSession(at, { scope: text, ip: text, userAgent: text })
      await sessions.create(session)
      const found = await sessions.find(session.id)
      const kept = [found?.scope, found?.ip, found?.userAgent]
      const what = `sessions.find does not answer the text ${JSON.stringify(text)} as created.`
      same(kept, [text, text, text], `${what} A text is a text, and \`''\` is not \`null\`.`)
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

function noSessionById({ it }: Part<StoreOf<'sessions'>>): void {
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
export function codeLookAlikes({ it }: Part<StoreOf<'codes'>>): void {
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
export function factorLookAlikes({ it }: Part<StoreOf<'secondFactors'>>): void {
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
