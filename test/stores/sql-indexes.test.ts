import { CompiledQuery } from 'kysely'
import { describe, expect, it } from 'vitest'
import { newClient, newConsent } from '../../src/stores/new-records.js'
import type { SqlEngineName, SqlOAuthStores, SqlStores } from '../../src/stores/sql/sql-stores.js'
import { databaseKinds, openDatabase, type TestDatabase } from '../support/databases.js'
import {
  at,
  codeRecord,
  deviceCodeRecord,
  factorRecord,
  identityRecord,
  pendingRecord,
  proofRecord,
  randomKey,
  sessionRecord,
  start,
  ticketRecord,
} from '../support/records.js'

interface Statement {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

const rows = 4000

describe.each(databaseKinds)('on $name', (kind) => {
  it.skipIf(kind.open === null)(
    'every statement of every method finds its rows by an index',
    async () => {
      const seen = new Map<string, Statement>()
      const database = await openDatabase(kind, {
        onQuery: (sql, parameters) => void seen.set(sql, { sql, parameters }),
      })
      await fill(database)
      seen.clear()
      await callEveryMethod(database.stores)
      await askTogether(database.stores)
      await callEveryMethodOfOAuth(database.oauthStores)
      const statements = [...seen.values()].filter(({ sql }) => /^(select|update|delete)/.test(sql))
      // So that a method which is not called here is missed.
      expect(statements.length).toBeGreaterThanOrEqual(50)
      for (const statement of statements) {
        const plan = await explain(database, kind.engine, statement)
        expect(
          findsByIndex(kind.engine, plan),
          `${statement.sql}\n${JSON.stringify(plan, null, 1)}`,
        ).toBe(true)
      }
      // And the check itself: a look-up by a column that has no index is found out.
      const unindexed = {
        sql: `select * from ${database.prefix}sessions where created_at = 1`,
        parameters: [],
      }
      expect(findsByIndex(kind.engine, await explain(database, kind.engine, unindexed))).toBe(false)
      await database.close()
    },
  )
})

// Enough rows that reading all of them would be the worse plan, and statistics that say so.
async function fill({ kysely, prefix, stores, oauthStores }: TestDatabase): Promise<void> {
  const tables = kysely.withTables<Record<string, Record<string, unknown>>>()
  await stores.sessions.create(sessionRecord({ clientId: 'busy', parentId: 'page' }))
  await stores.codes.save(codeRecord())
  await stores.tickets.save(ticketRecord())
  await stores.proofs.save(proofRecord())
  await stores.identities.link(identityRecord())
  await stores.deviceCodes.save(deviceCodeRecord())
  await stores.secondFactors.activate(factorRecord(), [randomKey()])
  await stores.secondFactors.savePending(pendingRecord())
  await oauthStores.consents.grant(newConsent(at))
  await oauthStores.once.claim(randomKey(), at(60), start)
  await oauthStores.clients.create(newClient(), start)
  const keys: Readonly<Record<string, readonly string[]>> = {
    sessions: ['id', 'user_id', 'parent_id', 'client_id'],
    authorization_codes: ['code_hash'],
    socket_tickets: ['ticket_hash'],
    proofs: ['id_hash', 'user_id'],
    identities: ['provider', 'subject', 'user_id', 'id'],
    device_codes: ['user_code_hash', 'device_code_hash'],
    second_factors: ['user_id'],
    enrolments: ['user_id', 'session_id'],
    recovery_codes: ['user_id', 'code_hash'],
    consents: ['user_id', 'client_id'],
    once: ['key_hash'],
    clients: ['id'],
  }
  for (const [table, columns] of Object.entries(keys)) {
    const [template] = await tables.selectFrom(`${prefix}${table}`).selectAll().execute()
    for (let from = 0; from < rows; from += 500) {
      const copies = Array.from({ length: 500 }, () => ({
        ...template,
        ...Object.fromEntries(
          columns.map((column) => [
            column,
            Buffer.isBuffer(template?.[column]) ? Buffer.from(randomKey()) : randomKey(),
          ]),
        ),
      }))
      await tables.insertInto(`${prefix}${table}`).values(copies).execute()
    }
    const analyze = kysely.getExecutor().adapter.supportsReturning ? 'analyze' : 'analyze table'
    await kysely.executeQuery(CompiledQuery.raw(`${analyze} ${prefix}${table}`))
  }
}

async function callEveryMethod({
  codes,
  sessions,
  secondFactors,
  tickets,
  proofs,
  identities,
  deviceCodes,
}: SqlStores): Promise<void> {
  const code = codeRecord()
  await codes.save(code)
  await codes.find(code.codeHash)
  await codes.consume(code.codeHash, at(1))
  await codes.redemption?.redeem(code.codeHash, sessionRecord(), at(1))
  await codes.purge(start, 100)
  const session = sessionRecord({ userId: 'u-bob' })
  await sessions.create(session)
  await sessions.find(session.id)
  const seen = { lastSeenAt: at(1), idleExpiresAt: at(601), ip: null }
  await sessions.rotateRefresh(
    session.id,
    'another',
    { ...seen, refresh: { hash: 'h', familyKey: 'f', spent: [] } },
    at(1),
  )
  await sessions.touch(session.id, seen)
  await sessions.setMethods(session.id, ['pwd'])
  await sessions.setAuthenticated?.(session.id, { methods: ['pwd'], authenticatedAt: at(1) })
  const secrets = { from: 'a', to: 'b', formerUntil: at(10) }
  await sessions.replaceSecret?.(session.id, secrets)
  await sessions.addPasswordMark?.('u-bob', 'from', 'to')
  await sessions.listForUser('u-bob', at(1))
  await sessions.countForUser?.('u-bob', at(1))
  await sessions.liveAmong([session.id, 'another'], at(1))
  await sessions.endAllForUser('u-bob', 'revoked', at(2), 'another')
  await sessions.end(session.id, 'logout', at(2))
  await callEndings(sessions)
  await sessions.purge(start, 100)
  const ticket = ticketRecord()
  await tickets.save(ticket)
  await tickets.consume(ticket.ticketHash, at(1))
  await tickets.purge(start, 100)
  const proof = proofRecord()
  await proofs.save(proof)
  await proofs.find(proof.idHash, proof.purpose)
  await proofs.takeTry(proof.idHash, proof.purpose, at(1))
  await proofs.consume(proof.idHash, proof.purpose, at(1))
  await proofs.voidForUser('u-alice', [proof.purpose, 'reset'], at(1))
  await proofs.list(proof.purpose, null, at(1))
  await proofs.list(proof.purpose, 'u-alice', at(1))
  await proofs.purge(start, 100)
  await callEveryMethodOfIdentities(identities)
  await callEveryMethodOfDeviceCodes(deviceCodes)
  await callEveryMethodOfFactors(secondFactors)
}

// Reads that are asked for in one turn may be one statement.
async function askTogether({ sessions, secondFactors }: SqlStores): Promise<void> {
  const find = () => sessions.find(randomKey())
  const count = () => sessions.countForUser?.('u-bob', at(1))
  const factor = () => secondFactors.find('u-bob')
  for (const reads of [
    [find, count],
    [find, factor],
    [count, factor],
    [find, count, factor],
  ])
    await Promise.all(reads.map((read) => read()))
}

async function callEndings(sessions: SqlStores['sessions']): Promise<void> {
  const owners = { clientId: 'client', parentId: 'parent' }
  await sessions.create(sessionRecord(owners))
  await sessions.endChildren?.('parent', 'revoked', at(2))
  await sessions.create(sessionRecord({ ...owners, userId: 'u-bob' }))
  await sessions.endAllForClient?.('client', { userId: 'u-bob' }, 'revoked', at(2))
  await sessions.create(sessionRecord(owners))
  await sessions.endAllForClient?.('client', {}, 'revoked', at(2))
}

async function callEveryMethodOfIdentities(identities: SqlStores['identities']): Promise<void> {
  const identity = identityRecord()
  const { provider, subject, userId, id } = identity
  await identities.link(identity)
  await identities.link(identity)
  await identities.find(provider, subject)
  await identities.wasUnlinked(provider, subject)
  await identities.listForUser(userId)
  await identities.listOfProvider(provider, null, 500)
  await identities.listOfProvider(provider, subject, 500)
  await identities.used(provider, subject, at(1))
  await identities.unlink(userId, 'another', { unlessLast: true })
  await identities.unlink(userId, id, { unlessLast: false })
  await identities.unlinkAllForUser(userId)
}

async function callEveryMethodOfDeviceCodes(codes: SqlStores['deviceCodes']): Promise<void> {
  const code = deviceCodeRecord()
  const { userCodeHash, deviceCodeHash } = code
  await codes.save(code)
  await codes.find(userCodeHash)
  await codes.claim(userCodeHash, 'u-alice', at(1))
  await codes.claim(userCodeHash, 'u-alice', at(1))
  await codes.takeTry(userCodeHash, 'u-alice', at(1))
  await codes.poll(userCodeHash, deviceCodeHash, at(1))
  await codes.decide(userCodeHash, 'u-alice', { state: 'denied' }, at(1))
  await codes.purge(start, 100)
}

async function callEveryMethodOfFactors(secondFactors: SqlStores['secondFactors']): Promise<void> {
  const factor = factorRecord()
  const pending = pendingRecord({ userId: factor.userId })
  await secondFactors.activate(factor, ['code'])
  await secondFactors.find(factor.userId)
  await secondFactors.advanceStep(factor.userId, 7)
  await secondFactors.reseal(factor.userId, factor.sealedSeed, 'another')
  await secondFactors.consumeRecoveryCode(factor.userId, 'code')
  await secondFactors.replaceRecoveryCodes(factor.userId, ['another', 'third'])
  await secondFactors.countRecoveryCodes(factor.userId)
  await secondFactors.savePending(pending)
  await secondFactors.findPending(pending.userId, pending.sessionId)
  await secondFactors.deactivate(factor.userId)
  await secondFactors.savePending(pending)
  await secondFactors.confirm({ ...factor, sealedSeed: pending.sealedSeed }, ['code'], at(1))
  await secondFactors.purge(start, 100)
}

// `list` of the clients, as that of the keys, is meant to read them all.
async function callEveryMethodOfOAuth({ consents, once, clients }: SqlOAuthStores): Promise<void> {
  const consent = newConsent(at)
  const { userId, clientId } = consent
  await consents.grant(consent)
  await consents.grant(consent)
  await consents.find(userId, clientId)
  await consents.listForUser(userId)
  await consents.revoke(userId, clientId)
  const key = randomKey()
  await once.claim(key, at(60), start)
  await once.claim(key, at(120), at(60))
  await once.purge(start, 100)
  const client = newClient()
  await clients.create(client, start)
  await clients.find(client.id)
  await clients.update(client, at(1))
  await clients.replaceSecrets(client.id, client.secretHashes ?? [], [], at(1))
  await clients.setDisabled(client.id, true, at(1))
  await clients.register(newClient(), { most: 10, unusedUntil: at(60) }, start)
  await clients.use(client.id, at(1))
  await clients.purge(start, 100)
}

async function explain(
  { kysely }: TestDatabase,
  engine: SqlEngineName,
  { sql, parameters }: Statement,
): Promise<unknown[]> {
  const command = engine === 'sqlite' ? 'explain query plan' : 'explain'
  return (await kysely.executeQuery(CompiledQuery.raw(`${command} ${sql}`, [...parameters]))).rows
}

function findsByIndex(engine: SqlEngineName, plan: readonly unknown[]): boolean {
  if (engine === 'mysql') {
    // `type: ALL` reads the whole table, `index` the whole index. `null`: a row that is not there,
    // found by its key.
    return (plan as { type: string | null; key: string | null }[]).every(
      ({ type }) => type !== 'ALL' && type !== 'index',
    )
  }
  const text = plan.map((row) => Object.values(row as object).join(' ')).join('\n')
  // `one` is no table, but the one row that reads are joined to.
  const scans = /\bSCAN (?!CONSTANT|one$)/m
  return engine === 'postgres' ? !text.includes('Seq Scan') : !scans.test(text)
}
