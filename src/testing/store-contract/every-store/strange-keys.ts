import { randomId, sha256 } from '../../../lib/secrets.js'
import {
  moments,
  newClient,
  newCode,
  newConsent,
  newDeviceCode,
  newFactor,
  newIdentity,
  newProof,
  newSession,
  newTicket,
} from '../../../stores/new-records.js'
import {
  type AwkwardPair,
  check,
  codesLeft,
  isNone,
  ownNames,
  type Part,
  type StoreOf,
  sessionsOf,
} from '../harness.js'

// What no id or hash may be: half a surrogate pair, a NUL, more than 1024 bytes, not a string. A
// store refuses such a key or keeps it apart. If it replaces the key, cuts it off or converts it,
// two users become one.

function strangePairs(unique: string): readonly AwkwardPair[] {
  return [
    ['half a character', `a${unique}\ud800`, `a${unique}\ud801`],
    [
      'half a character, and U+FFFD which drivers write for it',
      `b${unique}\udc00`,
      `b${unique}\ufffd`,
    ],
    ['what follows a NUL', `c${unique}\0one`, `c${unique}\0other`],
    ['a NUL at the end', `d${unique}`, `d${unique}\0`],
    ['the last of 1025 bytes', `${unique}${'l'.repeat(1002)}1`, `${unique}${'l'.repeat(1002)}2`],
  ]
}

/** Values that are not strings. The first and the last contain the key in another form. */
function noTexts(digits: string, id: string): readonly (readonly [what: string, value: unknown])[] {
  return [
    ['the same number, but no text', Number(digits)],
    ['an operator of a document store', { $gt: '' }],
    ['another operator', { $ne: null }],
    ['null', null],
    ['undefined', undefined],
    ['true', true],
    ['a list that holds the id', [id]],
  ]
}

interface StrangeKeys<Store> {
  /** Adds a row under the key. */
  add(store: Store, key: string): Promise<unknown>
  /** The key of the row that is found under this one, or null. */
  find(store: Store, key: string): Promise<unknown>
  /**
   * Everything that is done by key, and whether it found and changed nothing; `there` is the key of
   * a row.
   */
  readonly asks: Readonly<
    Record<string, (store: Store, key: string, there: string) => Promise<boolean>>
  >
}

const refuse =
  'Refuse what is no string, no well-formed text or longer than 1024 bytes, before it reaches ' +
  'the driver; or keep it apart.'

function strangeKeys<Store>({ it }: Part<Store>, method: string, rows: StrangeKeys<Store>): void {
  it('ids and hashes that are no well-formed text, or too long, are refused or kept apart', async (kept) => {
    for (const [what, first, second] of strangePairs(randomId())) {
      const taken = [await settled(rows.add(kept, first)), await settled(rows.add(kept, second))]
      const found = [await settled(rows.find(kept, first)), await settled(rows.find(kept, second))]
      const isApart = [first, second].every((key, index) =>
        isKeptOrRefused(key, taken[index]?.ok === true, found[index]),
      )
      const why = `that differs by ${what}: one user would be taken for another. ${refuse}`
      check(isApart, `${method} mistakes one key for another, or changes one, ${why}`)
    }
  })

  it('ids and hashes that are no text are refused, or nothing is there', async (kept) => {
    const digits = ownNames(randomId()).digits
    await rows.add(kept, digits)
    for (const [what, value] of noTexts(digits, digits)) {
      for (const [name, ask] of Object.entries(rows.asks)) {
        const answer = await settled(ask(kept, value as string, digits))
        check(
          !answer.ok || answer.value,
          `${name} took ${what} for a key, and found or changed somebody’s row. ${refuse}`,
        )
      }
    }
    check(
      (await rows.find(kept, digits)) === digits,
      `A row was changed by a call whose key was no text. ${refuse}`,
    )
  })
}

type Settled<T> = { readonly ok: true; readonly value: T } | { readonly ok: false }

function isKeptOrRefused(
  key: string,
  isTaken: boolean,
  found: Settled<unknown> | undefined,
): boolean {
  return found?.ok === true ? (found.value ?? null) === (isTaken ? key : null) : !isTaken
}

async function settled<T>(promise: Promise<T>): Promise<Settled<T>> {
  return promise.then(
    (value) => ({ ok: true, value }),
    () => ({ ok: false }),
  )
}

/** The part, with whose keys they are in its titles. */
function of<Store>(part: Part<Store>, whose: string): Part<Store> {
  return { ...part, it: (name, body) => part.it(`of ${whose}: ${name}`, body) }
}

/** Sessions, and the users they belong to. */
export function strangeSessions(part: Part<StoreOf<'sessions'>>): void {
  const at = moments()
  strangeKeys(part, 'sessions.find', {
    add: (sessions, id) => sessions.create(newSession(at, { id })),
    find: async (sessions, id) => (await sessions.find(id))?.id ?? null,
    asks: {
      'sessions.find': async (sessions, id) => isNone(await sessions.find(id)),
      'sessions.end': async (sessions, id, there) => {
        await sessions.end(id, 'revoked', at(1))
        return isNone((await sessions.find(there))?.endedAt)
      },
      'sessions.liveAmong': async (sessions, id) =>
        (await sessions.liveAmong([id], at(1))).length === 0,
    },
  })
  const ofUser = async (sessions: StoreOf<'sessions'>, userId: string) =>
    (await sessionsOf(sessions, userId, at(1)))[0]?.userId ?? null
  strangeKeys(of(part, 'users'), 'sessions.listForUser', {
    add: (sessions, userId) => sessions.create(newSession(at, { userId })),
    find: ofUser,
    asks: {
      'sessions.listForUser': async (sessions, userId) => (await ofUser(sessions, userId)) === null,
      'sessions.endAllForUser': async (sessions, userId) =>
        (await sessions.endAllForUser(userId, 'revoked', at(1))).length === 0,
    },
  })
}

/** Authorization codes. */
export function strangeCodes(part: Part<StoreOf<'codes'>>): void {
  const at = moments()
  strangeKeys(part, 'codes.find', {
    add: (codes, codeHash) => codes.save(newCode(at, { codeHash })),
    find: async (codes, codeHash) => (await codes.find(codeHash))?.codeHash ?? null,
    asks: {
      'codes.find': async (codes, codeHash) => isNone(await codes.find(codeHash)),
      'codes.consume': async (codes, codeHash) =>
        (await codes.consume(codeHash, at(1))).outcome !== 'consumed',
    },
  })
}

/** Second factors, by user. */
export function strangeFactors(part: Part<StoreOf<'secondFactors'>>): void {
  const at = moments()
  strangeKeys(part, 'secondFactors.find', {
    add: (factors, userId) => factors.activate(newFactor(at, { userId }), ['code']),
    find: async (factors, userId) => (await factors.find(userId))?.userId ?? null,
    asks: {
      'secondFactors.find': async (factors, userId) => isNone(await factors.find(userId)),
      'secondFactors.advanceStep': async (factors, userId, there) => {
        await factors.advanceStep(userId, 5)
        return (await factors.find(there))?.lastStep === -1
      },
      'secondFactors.consumeRecoveryCode': async (factors, userId, there) => {
        await factors.consumeRecoveryCode(userId, 'code')
        return (await codesLeft(factors, there)) === 1
      },
      'secondFactors.deactivate': async (factors, userId, there) => {
        await factors.deactivate(userId)
        return (await factors.find(there)) !== null
      },
    },
  })
}

/** Socket tickets. A ticket is found by using it up. */
export function strangeTickets(part: Part<StoreOf<'tickets'>>): void {
  const at = moments()
  strangeKeys(part, 'tickets.consume', {
    add: (tickets, ticketHash) => tickets.save(newTicket(at, { ticketHash })),
    find: async (tickets, ticketHash) => {
      const answer = await tickets.consume(ticketHash, at(1))
      return answer.outcome === 'consumed' ? answer.ticket.ticketHash : null
    },
    asks: {
      'tickets.consume': async (tickets, ticketHash) =>
        (await tickets.consume(ticketHash, at(1))).outcome === 'unknown',
    },
  })
}

/** Proofs, and the users they belong to. Those of a user are found by using them up. */
export function strangeProofs(part: Part<StoreOf<'proofs'>>): void {
  const at = moments()
  const purpose = 'reset'
  strangeKeys(part, 'proofs.find', {
    add: (proofs, idHash) => proofs.save(newProof(at, { idHash, purpose })),
    find: async (proofs, idHash) => (await proofs.find(idHash, purpose))?.idHash ?? null,
    asks: {
      'proofs.find': async (proofs, idHash) => isNone(await proofs.find(idHash, purpose)),
      'proofs.find of a purpose': async (proofs, text, there) =>
        isNone(await proofs.find(there, text)),
      'proofs.takeTry': async (proofs, idHash) =>
        (await proofs.takeTry(idHash, purpose, at(1))).outcome === 'void',
      'proofs.consume': async (proofs, idHash) =>
        (await proofs.consume(idHash, purpose, at(1))).outcome === 'void',
    },
  })
  const voided = (proofs: StoreOf<'proofs'>, userId: string) =>
    proofs.voidForUser(userId, [purpose], at(1))
  strangeKeys(of(part, 'users'), 'proofs.voidForUser', {
    add: (proofs, userId) => proofs.save(newProof(at, { userId, purpose })),
    find: async (proofs, userId) => ((await voided(proofs, userId)) === 1 ? userId : null),
    asks: {
      'proofs.voidForUser': async (proofs, userId) => (await voided(proofs, userId)) === 0,
    },
  })
}

/** Identities, the users they belong to, and their ids. */
export function strangeIdentities(part: Part<StoreOf<'identities'>>): void {
  const at = moments()
  const own = randomId()
  const pairs = {
    providers: (provider: string) => [provider, own] as const,
    subjects: (subject: string) => [own, subject] as const,
  }
  for (const [whose, pairOf] of Object.entries(pairs))
    strangeKeys(of(part, whose), 'identities.find', {
      add: (identities, key) => {
        const [provider, subject] = pairOf(key)
        return identities.link(newIdentity(at, { provider, subject }))
      },
      find: async (identities, key) => {
        const found = await identities.find(...pairOf(key))
        return (whose === 'providers' ? found?.provider : found?.subject) ?? null
      },
      asks: {
        'identities.find': async (identities, key) => isNone(await identities.find(...pairOf(key))),
        'identities.used': async (identities, key, there) => {
          await identities.used(...pairOf(key), at(77))
          const found = await identities.find(...pairOf(there))
          return found?.lastUsedAt?.getTime() !== at(77).getTime()
        },
      },
    })
  strangeKeys(of(part, 'users'), 'identities.listForUser', {
    add: (identities, userId) => identities.link(newIdentity(at, { userId })),
    find: async (identities, userId) => (await identities.listForUser(userId))[0]?.userId ?? null,
    asks: {
      'identities.listForUser': async (identities, userId) =>
        (await identities.listForUser(userId)).length === 0,
      'identities.unlinkAllForUser': async (identities, userId) =>
        (await identities.unlinkAllForUser(userId)) === 0,
    },
  })
  const listed = async (identities: StoreOf<'identities'>, id: string) =>
    (await identities.listForUser(own)).some((row) => row.id === id) ? id : null
  strangeKeys(of(part, 'ids'), 'identities.listForUser', {
    add: (identities, id) => identities.link(newIdentity(at, { id, userId: own })),
    find: listed,
    asks: {
      'identities.unlink': async (identities, id, there) => {
        await identities.unlink(own, id, { unlessLast: false })
        return (await listed(identities, there)) === there
      },
    },
  })
}

/** Device codes, by what the user types, by the device and by user. */
export function strangeDeviceCodes(part: Part<StoreOf<'deviceCodes'>>): void {
  const at = moments()
  const denied = { state: 'denied' } as const
  strangeKeys(of(part, 'codes'), 'deviceCodes.find', {
    add: (codes, userCodeHash) =>
      codes.save(newDeviceCode(at, { userCodeHash, deviceCodeHash: 'device' })),
    find: async (codes, userCodeHash) => (await codes.find(userCodeHash))?.userCodeHash ?? null,
    asks: {
      'deviceCodes.find': async (codes, hash) => isNone(await codes.find(hash)),
      'deviceCodes.claim': async (codes, hash) =>
        (await codes.claim(hash, 'user', at(1))).outcome === 'unknown',
      'deviceCodes.poll': async (codes, hash) =>
        (await codes.poll(hash, 'device', at(1))).outcome === 'unknown',
    },
  })
  // A code of its own for each key, however strange that is.
  const under = (key: string) => sha256(Buffer.from(key, 'utf16le').toString('base64url'))
  strangeKeys(of(part, 'devices'), 'deviceCodes.poll', {
    add: (codes, key) =>
      codes.save(newDeviceCode(at, { userCodeHash: under(key), deviceCodeHash: key })),
    find: async (codes, key) => {
      const answer = await codes.poll(under(key), key, at(1))
      return answer.outcome === 'unknown' ? null : answer.code.deviceCodeHash
    },
    asks: {
      'deviceCodes.poll': async (codes, key, there) =>
        (await codes.poll(under(there), key, at(1))).outcome === 'unknown',
    },
  })
  strangeKeys(of(part, 'users'), 'deviceCodes.claim', {
    add: async (codes, key) => {
      await codes.save(newDeviceCode(at, { userCodeHash: under(key) }))
      await codes.claim(under(key), key, at(1))
    },
    find: async (codes, key) => (await codes.find(under(key)))?.userId ?? null,
    asks: {
      'deviceCodes.claim': async (codes, key, there) =>
        (await codes.claim(under(there), key, at(1))).outcome === 'foreign',
      'deviceCodes.takeTry': async (codes, key, there) =>
        (await codes.takeTry(under(there), key, at(1))).outcome === 'void',
      'deviceCodes.decide': async (codes, key, there) =>
        (await codes.decide(under(there), key, denied, at(1))).outcome === 'unknown',
    },
  })
}

/** Consents, by user and by client. */
export function strangeConsents(part: Part<StoreOf<'consents'>>): void {
  const at = moments()
  const other = randomId()
  const names = {
    users: (userId: string) => [userId, other] as const,
    clients: (clientId: string) => [other, clientId] as const,
  }
  for (const [whose, namesOf] of Object.entries(names)) {
    strangeKeys(of(part, whose), 'consents.find', {
      add: (consents, key) => {
        const [userId, clientId] = namesOf(key)
        return consents.grant(newConsent(at, { userId, clientId }))
      },
      find: async (consents, key) => {
        const found = await consents.find(...namesOf(key))
        return (whose === 'users' ? found?.userId : found?.clientId) ?? null
      },
      asks: {
        'consents.find': async (consents, key) => isNone(await consents.find(...namesOf(key))),
        'consents.revoke': async (consents, key, there) => {
          await consents.revoke(...namesOf(key))
          return !isNone(await consents.find(...namesOf(there)))
        },
      },
    })
  }
}

/** Names that are used once. One is found by claiming it again. */
export function strangeOnce(part: Part<StoreOf<'once'>>): void {
  const at = moments()
  strangeKeys(part, 'once.claim', {
    add: async (once, key) => {
      if ((await once.claim(key, at(60), at(0))).outcome !== 'claimed') throw new Error('known')
    },
    find: async (once, key) =>
      (await once.claim(key, at(60), at(0))).outcome === 'known' ? key : null,
    asks: {
      'once.claim': async (once, key) =>
        (await once.claim(key, at(60), at(0))).outcome === 'claimed',
    },
  })
}

/** Clients. */
export function strangeClients(part: Part<StoreOf<'clients'>>): void {
  const at = moments()
  strangeKeys(part, 'clients.find', {
    add: (clients, id) => clients.create(newClient({ id }), at(0)),
    find: async (clients, id) => (await clients.find(id))?.id ?? null,
    asks: {
      'clients.find': async (clients, id) => isNone(await clients.find(id)),
      'clients.setDisabled': async (clients, id, there) => {
        await clients.setDisabled(id, true, at(1))
        return (await clients.find(there))?.disabled !== true
      },
    },
  })
}
