import { z } from 'zod'
import { randomId } from '../../lib/random.js'
import type { ProofRecord, ProofStore } from '../proof-contract.js'
import { without } from '../rows/members.js'
import { proofRow } from '../rows/proof-row.js'
import { inChunks } from './in-chunks.js'
import { jsonShape, toJson } from './json-rows.js'
import { indexedIds, indexProof } from './owner-scripts.js'
import { consumeProof, findProof, saveProof, takeTryOfProof, voidProof } from './proof-scripts.js'
import { integerDigits, json, momentDigits, readReply, rowText } from './replies.js'
import { gcGraceMs, identifier, keyOf, lifetime, type RunScript, type Script } from './scripts.js'

const recordRow = without(proofRow, 'triesLeft', 'expiresAt', 'consumedAt')
const recordShape = json(jsonShape(recordRow))
const wholeShape = json(jsonShape(proofRow))
const columns = [recordShape, momentDigits, integerDigits, momentDigits.nullable()] as const
const rowShape = z.tuple([...columns]).nullable()
const idsShape = z.array(z.string())
const isVoided = z.enum(['0', '1'])
const what = 'proof'

/** Proofs, each in one hash, and sets of ids: those of a user, and nobody's of a purpose. */
export function redisProofs(run: RunScript, prefix: string): ProofStore {
  const key = (idHash: string) => keyOf(prefix, 'v', idHash)
  const indexOf = (userId: string) => keyOf(prefix, 'w', userId)
  const indexOfNobody = (purpose: string) => keyOf(prefix, 'n', purpose)
  const read = (reply: unknown) => proofOf(readReply(rowShape, reply, what))
  const change = async (how: Script, idHash: string, purpose: string, now: Date) =>
    read(await run(how, key(idHash), identifier(purpose), randomId(), now.getTime()))
  return {
    async save(proof) {
      const { idHash, purpose, userId, triesLeft, createdAt, expiresAt, consumedAt } = proof
      // All of it, before anything is written.
      rowText(wholeShape, toJson(proofRow, proof), what)
      const text = rowText(recordShape, toJson(recordRow, proof), what)
      const [begin, end] = [createdAt.getTime(), expiresAt.getTime()]
      // First: a proof that is in no index would outlive what is to void it.
      const index = userId === null ? indexOfNobody(purpose) : indexOf(userId)
      await run(indexProof, index, identifier(idHash), end, begin)
      const saved = await run(
        saveProof,
        key(idHash),
        randomId(),
        lifetime(end - begin + gcGraceMs),
        text,
        identifier(purpose),
        end,
        triesLeft,
        consumedAt?.getTime() ?? '',
        ...(userId === null ? [] : [userId]),
      )
      if (saved !== '1') throw new Error('redisStores: duplicate proof')
    },
    find: async (idHash, purpose) => read(await run(findProof, key(idHash), identifier(purpose))),
    async takeTry(...named) {
      const proof = await change(takeTryOfProof, ...named)
      return proof === null ? { outcome: 'void' } : { outcome: 'taken', proof }
    },
    async consume(...named) {
      const proof = await change(consumeProof, ...named)
      return proof === null ? { outcome: 'void' } : { outcome: 'consumed', proof }
    },
    async voidForUser(userId, purposes, now) {
      const given = [userId, randomId(), now.getTime(), ...purposes.map(identifier)] as const
      const ids = await idsIn(run, indexOf(userId))
      const voided = await inChunks(ids, async (idHash) =>
        readReply(isVoided, await run(voidProof, key(idHash), ...given), what),
      )
      return voided.filter((answer) => answer === '1').length
    },
    async list(purpose, userId, now) {
      const ids = await idsIn(run, userId === null ? indexOfNobody(purpose) : indexOf(userId))
      const found = await inChunks(ids, async (idHash) =>
        read(await run(findProof, key(idHash), identifier(purpose))),
      )
      return found.flatMap((proof) =>
        proof?.userId === userId && isUsable(proof, now) ? [proof] : [],
      )
    },
    // Redis deletes what is over by itself.
    purge: async () => 0,
  }
}

async function idsIn(run: RunScript, index: string): Promise<string[]> {
  return readReply(idsShape, await run(indexedIds, index), 'list of proofs')
}

// What is used stays in the index, and a duplicate that was refused is in that of another owner.
function isUsable({ consumedAt, expiresAt, triesLeft }: ProofRecord, now: Date): boolean {
  return consumedAt === null && now < expiresAt && triesLeft > 0
}

function proofOf(row: z.output<typeof rowShape>): ProofRecord | null {
  if (row === null) return null
  const [record, expiresAt, triesLeft, consumedAt] = row
  return { ...record, triesLeft, expiresAt, consumedAt }
}
