// Whatever a database or a file gives back: a whole record or an error, never half a one.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keyRing } from '../../src/index.js'
import { fileKeyStore } from '../../src/signers/file-key-store.js'
import { redisStores } from '../../src/stores/redis/redis-stores.js'
import { temporaryFolder } from '../support/databases.js'
import { encryptionKey } from '../support/host.js'
import { keptLog } from '../support/key-stores.js'
import { rounds } from '../support/rounds.js'

const numRuns = rounds(200)
const now = new Date('2030-01-01T00:00:00Z')
const isDate = (value: unknown) => value instanceof Date && !Number.isNaN(value.getTime())
const isText = (value: unknown) => typeof value === 'string'

/** A client of the shape of node-redis that answers the same to everything. */
const answering = (reply: unknown) =>
  redisStores({
    evalSha: async () => reply,
    eval: async () => reply,
    publish: async () => 0,
    duplicate: () => undefined,
  } as never)

async function settled<T>(work: () => Promise<T>): Promise<T | 'refused'> {
  try {
    return await work()
  } catch (error) {
    expect(error).toBeInstanceOf(Error)
    return 'refused'
  }
}

const moment = now.getTime()
const session = {
  id: 's',
  kind: 'pkce',
  scope: '*',
  methods: ['pwd'],
  authenticatedAt: moment,
  createdAt: moment,
  userAgent: null,
}
const seen = { lastSeenAt: moment, idleExpiresAt: moment, ip: null }
const refresh = { hash: 'h', familyKey: 'k', spent: [{ hash: 'h', salt: 's', spentAt: moment }] }
const code = {
  codeHash: 'h',
  userId: 'u',
  issuedBySessionId: 'by',
  opensSessionId: 's',
  codeChallenge: 'c',
  scope: '*',
  methods: [],
}
const codeText = JSON.stringify({ ...code, authenticatedAt: moment, createdAt: moment })
const digits = String(moment)

const junk = fc.oneof(
  fc.anything({ withBigInt: true }),
  fc.jsonValue().map((value) => JSON.stringify(value)),
  fc.constantFrom<unknown>('', '{}', '-1', '1e3', '99999999999999999', null, undefined),
)
// A right row, with some of its columns replaced.
const damaged = (row: readonly unknown[]) =>
  fc.array(fc.tuple(fc.nat({ max: row.length }), junk), { maxLength: 2 }).map((changes) => {
    const copy = [...row]
    for (const [at, value] of changes) copy[at] = value
    return copy
  })
const broken = (record: object) =>
  fc
    .tuple(fc.constantFrom(...Object.keys(record)), fc.jsonValue())
    .map(([field, value]) => JSON.stringify({ ...record, [field]: value }))

const [sessionText, seenText, refreshText] = [session, seen, refresh].map((part) =>
  JSON.stringify(part),
)
const sessionRows = fc.oneof(
  junk,
  damaged(['u', sessionText, digits, seenText, refreshText, null, null]),
  broken(session).map((text) => ['u', text, digits, seenText, refreshText, null, null]),
  broken(seen).map((text) => ['u', sessionText, digits, text, refreshText, null, null]),
  broken(refresh).map((text) => ['u', sessionText, digits, seenText, text, null, null]),
)
const codeRows = fc.oneof(
  junk,
  damaged([codeText, digits, digits, null]),
  broken(code).map((text) => [text, digits, digits, null]),
)

describe('a row of Redis', () => {
  it('of a session is a whole session, none, or an error', async () => {
    await fc.assert(
      fc.asyncProperty(sessionRows, async (reply) => {
        const found = await settled(() => answering(reply).sessions.find('s'))
        if (found === 'refused' || found === null) return
        const {
          authenticatedAt,
          createdAt,
          lastSeenAt,
          idleExpiresAt,
          expiresAt,
          endedAt,
          endReason,
        } = found
        expect(
          [authenticatedAt, createdAt, lastSeenAt, idleExpiresAt, expiresAt].every(isDate),
        ).toBe(true)
        expect([found.id, found.userId, found.scope].every(isText)).toBe(true)
        expect(['login', 'pkce']).toContain(found.kind)
        expect(
          found.methods.every((method) => ['pwd', 'otp', 'recovery', 'host'].includes(method)),
        ).toBe(true)
        expect(endedAt === null ? endReason === null : isDate(endedAt) && isText(endReason)).toBe(
          true,
        )
        const { refresh } = found
        if (refresh !== null)
          expect(
            refresh.spent.every(
              ({ hash, salt, spentAt }) => isText(hash) && isText(salt) && isDate(spentAt),
            ),
          ).toBe(true)
      }),
      { numRuns },
    )
  })

  it('of a code is a whole code, none, or an error; and no answer but its own consumes one', async () => {
    await fc.assert(
      fc.asyncProperty(codeRows, async (reply) => {
        const { codes, sessions } = answering(reply)
        const found = await settled(() => codes.find('h'))
        if (found !== 'refused' && found !== null) {
          expect(
            [found.authenticatedAt, found.createdAt, found.expiresAt, found.retainUntil].every(
              isDate,
            ),
          ).toBe(true)
          expect(
            [found.codeHash, found.userId, found.codeChallenge, found.scope].every(isText),
          ).toBe(true)
        }
        const consumed = await settled(() => codes.consume('h', now))
        if (consumed !== 'refused') expect(consumed).toEqual({ outcome: 'unknown' })
        const rotated = await settled(() =>
          sessions.rotateRefresh(
            's',
            'h',
            { ...seenOf(), refresh: { hash: 'n', familyKey: 'k', spent: [] } },
            now,
          ),
        )
        expect(
          rotated === 'refused' || ['rotated', 'superseded', 'ended'].includes(rotated.outcome),
        ).toBe(true)
      }),
      { numRuns },
    )
  })
})

const seenOf = () => ({ lastSeenAt: now, idleExpiresAt: now, ip: null })

describe('a file of a key ring', () => {
  const row = {
    generation: 1,
    kid: 'k',
    sealedKey: 'sealed',
    createdAt: now.toISOString(),
    activatesAt: now.toISOString(),
  }
  const contents = fc.oneof(
    fc.string(),
    fc.jsonValue().map((value) => JSON.stringify(value)),
    { weight: 4, arbitrary: broken(row) },
  )

  it(
    'with anything in it is a whole generation, a number that is taken, or an error; and signs ' +
      'nothing',
    async () => {
      await fc.assert(
        fc.asyncProperty(contents, async (text) => {
          const folder = join(temporaryFolder(), 'keys')
          mkdirSync(folder)
          writeFileSync(join(folder, 'key-000001.json'), text)
          const listed = await settled(() => fileKeyStore(folder).list())
          if (listed !== 'refused') {
            expect(listed.map(({ generation }) => generation)).toEqual([1])
            for (const { generation: _generation, ...members } of listed) {
              const { kid, sealedKey, createdAt, activatesAt } = members
              const isWhole =
                [kid, sealedKey].every(isText) && [createdAt, activatesAt].every(isDate)
              expect(isWhole || Object.keys(members).length === 0).toBe(true)
            }
          }
          const ring = keyRing({
            files: folder,
            encryptionKeys: [encryptionKey],
            clock: () => now,
            logger: keptLog(),
          })
          expect(await settled(() => ring.snapshot())).toBe('refused')
        }),
        { numRuns: Math.ceil(numRuns / 2) },
      )
    },
  )
})
