import { boundedTable } from './bounded-table.js'
import { copyOf } from './copy-of.js'
import { idsByKey } from './ids-by-key.js'
import type { ProofRecord, ProofStore } from './proof-contract.js'

/** Proofs in the memory of this process, at most `maxProofs`. */
export function memoryProofs(maxProofs: number): ProofStore {
  const ofUsers = idsByKey()
  const ofNobody = idsByKey()
  const purposeOfNobody = ({ userId, purpose }: ProofRecord) =>
    userId === null ? purpose : undefined
  const table = boundedTable<ProofRecord>(
    maxProofs,
    ({ expiresAt }, now) => expiresAt <= now,
    (proof) => {
      ofUsers.delete(proof.userId ?? undefined, proof.idHash)
      ofNobody.delete(purposeOfNobody(proof), proof.idHash)
    },
  )
  const there = (idHash: string, purpose: string) => {
    const proof = table.get(idHash)
    return proof?.purpose === purpose ? proof : undefined
  }
  const good = (idHash: string, purpose: string, now: Date) => {
    const proof = there(idHash, purpose)
    return proof?.consumedAt === null && now < proof.expiresAt ? proof : undefined
  }
  const change = (proof: ProofRecord, changed: Partial<ProofRecord>) => {
    const next = { ...proof, ...changed }
    table.update(proof.idHash, next)
    return copyOf(next)
  }
  return {
    async save(proof) {
      table.insert(proof.idHash, copyOf(proof), proof.createdAt)
      ofUsers.add(proof.userId ?? undefined, proof.idHash)
      ofNobody.add(purposeOfNobody(proof), proof.idHash)
    },
    find: async (idHash, purpose) => copyOf(there(idHash, purpose) ?? null),
    async takeTry(idHash, purpose, now) {
      const proof = good(idHash, purpose, now)
      if (proof === undefined || proof.triesLeft <= 0) return { outcome: 'void' }
      return { outcome: 'taken', proof: change(proof, { triesLeft: proof.triesLeft - 1 }) }
    },
    async consume(idHash, purpose, now) {
      const proof = good(idHash, purpose, now)
      if (proof === undefined) return { outcome: 'void' }
      return { outcome: 'consumed', proof: change(proof, { consumedAt: copyOf(now) }) }
    },
    async voidForUser(userId, purposes, now) {
      const open = ofUsers.of(userId).flatMap((idHash) => {
        const proof = table.get(idHash)
        const isOpen = proof?.consumedAt === null && purposes.includes(proof.purpose)
        return isOpen ? [proof] : []
      })
      for (const proof of open) change(proof, { consumedAt: copyOf(now) })
      return open.length
    },
    async list(purpose, userId, now) {
      const ids = userId === null ? ofNobody.of(purpose) : ofUsers.of(userId)
      return ids.flatMap((idHash) => {
        const proof = good(idHash, purpose, now)
        return proof !== undefined && proof.triesLeft > 0 ? [copyOf(proof)] : []
      })
    },
    purge: async (now, limit) => table.purge(now, limit),
  }
}
