import type { ProofRecord, ProofStore } from '../../../src/index.js'
import { memoryStores } from '../../../src/stores/memory-stores.js'
import { awaited, collation, withProofs } from './helpers.js'

const taken = (proof: ProofRecord) => ({ outcome: 'taken', proof }) as const
const consumed = (proof: ProofRecord) => ({ outcome: 'consumed', proof }) as const

/** The proofs of a user that are open, by a list that the process keeps. */
function remembering(good: ProofStore) {
  const saved = new Map<string, ProofRecord[]>()
  return {
    async save(proof: ProofRecord) {
      await good.save(proof)
      saved.set(String(proof.userId), [...(saved.get(String(proof.userId)) ?? []), proof])
    },
    async openOf(userId: string, purposes: readonly string[]) {
      const rows = (saved.get(userId) ?? []).filter(({ purpose }) => purposes.includes(purpose))
      const found = await Promise.all(rows.map(({ idHash, purpose }) => good.find(idHash, purpose)))
      return found.filter((row) => row?.consumedAt === null).length
    },
  }
}

/** Stores of proofs that are wrong in one respect each. */
export const badProofs = {
  'proofs: takeTry reads, then writes': withProofs((good) => ({
    async takeTry(idHash, purpose, now) {
      const proof = await good.find(idHash, purpose)
      await awaited()
      if (proof === null || proof.consumedAt !== null || now >= proof.expiresAt)
        return { outcome: 'void' }
      if (proof.triesLeft <= 0) return { outcome: 'void' }
      const answer = await good.takeTry(idHash, purpose, now)
      return answer.outcome === 'taken' ? answer : taken({ ...proof, triesLeft: 0 })
    },
  })),
  'proofs: takeTry gives up where another was first': withProofs((good) => {
    let turn: string | null = null
    return {
      async takeTry(idHash, purpose, now) {
        if (turn === idHash) return { outcome: 'void' }
        turn = idHash
        await awaited()
        turn = null
        return good.takeTry(idHash, purpose, now)
      },
    }
  }),
  'proofs: takeTry counts below zero': withProofs((good) => {
    const over = new Map<string, number>()
    return {
      async takeTry(idHash, purpose, now) {
        const answer = await good.takeTry(idHash, purpose, now)
        if (answer.outcome === 'void') over.set(idHash, (over.get(idHash) ?? 0) + 1)
        return answer
      },
      async find(idHash, purpose) {
        const proof = await good.find(idHash, purpose)
        const below = over.get(idHash) ?? 0
        return proof === null ? null : { ...proof, triesLeft: proof.triesLeft - below }
      },
    }
  }),
  'proofs: takeTry ignores expiry': withProofs((good) => ({
    takeTry: (idHash, purpose, now) =>
      good.takeTry(idHash, purpose, new Date(Math.min(now.getTime(), Date.now() + 5000))),
  })),
  'proofs: consume reads, then writes': withProofs((good) => ({
    async consume(idHash, purpose, now) {
      const proof = await good.find(idHash, purpose)
      await awaited()
      if (proof === null || proof.consumedAt !== null || now >= proof.expiresAt)
        return { outcome: 'void' }
      const answer = await good.consume(idHash, purpose, now)
      return answer.outcome === 'consumed' ? answer : consumed({ ...proof, consumedAt: now })
    },
  })),
  'proofs: consume ignores expiry': withProofs((good) => ({
    consume: (idHash, purpose, now) =>
      good.consume(idHash, purpose, new Date(Math.min(now.getTime(), Date.now() + 5000))),
  })),
  'proofs: good at the moment of expiry': withProofs((good) => ({
    consume: (idHash, purpose, now) => good.consume(idHash, purpose, new Date(now.getTime() - 1)),
  })),
  'proofs: consume plays triesLeft': withProofs((good) => ({
    async consume(idHash, purpose, now) {
      const proof = await good.find(idHash, purpose)
      return (proof?.triesLeft ?? 0) > 0 ? good.consume(idHash, purpose, now) : { outcome: 'void' }
    },
  })),
  'proofs: consume asks for no purpose': withProofs((good) => {
    const purposes = new Map<string, string>()
    return {
      async save(proof) {
        await good.save(proof)
        purposes.set(proof.idHash, proof.purpose)
      },
      consume: (idHash, purpose, now) => good.consume(idHash, purposes.get(idHash) ?? purpose, now),
    }
  }),
  'proofs: voidForUser voids other purposes': withProofs((good) => {
    const all = new Set<string>()
    return {
      async save(proof) {
        await good.save(proof)
        all.add(proof.purpose)
      },
      voidForUser: (userId, purposes, now) =>
        good.voidForUser(userId, purposes.length > 1 ? [...all] : purposes, now),
    }
  }),
  'proofs: voidForUser is late, and resolves before': withProofs((good) => {
    const { save, openOf } = remembering(good)
    return {
      save,
      async voidForUser(userId, purposes, now) {
        void awaited().then(() => good.voidForUser(userId, purposes, now))
        return openOf(userId, purposes)
      },
    }
  }),
  'proofs: voidForUser leaves what has expired': withProofs((good) => {
    const ends = new Map<string, number>()
    return {
      async save(proof) {
        await good.save(proof)
        ends.set(`${proof.userId} ${proof.purpose}`, proof.expiresAt.getTime())
      },
      voidForUser: async (userId, purposes, now) =>
        (ends.get(`${userId} ${purposes[0]}`) ?? Number.POSITIVE_INFINITY) > now.getTime()
          ? good.voidForUser(userId, purposes, now)
          : 0,
    }
  }),
  'proofs: voidForUser counts what it has read': withProofs((good) => {
    const { save, openOf } = remembering(good)
    return {
      save,
      async voidForUser(userId, purposes, now) {
        const open = await openOf(userId, purposes)
        await awaited()
        await good.voidForUser(userId, purposes, now)
        return open
      },
    }
  }),
  'proofs: voidForUser does the first page only': withProofs((good) => {
    const first = new Map<string, Set<string>>()
    const kept = new Set<string>()
    return {
      async save(proof) {
        const page = first.get(`${proof.userId}`) ?? new Set()
        first.set(`${proof.userId}`, page)
        if (page.size < 1000) page.add(proof.idHash)
        else kept.add(proof.idHash)
        await good.save(kept.has(proof.idHash) ? { ...proof, userId: null } : proof)
      },
      async find(idHash, purpose) {
        const proof = await good.find(idHash, purpose)
        const owner = [...first.keys()].at(-1) ?? null
        return proof !== null && kept.has(idHash) ? { ...proof, userId: owner } : proof
      },
    }
  }),
  'proofs: save as an upsert': withProofs(() => {
    // One store for each hash, which the next of that hash replaces.
    const stores = new Map<string, ProofStore>()
    const of = (idHash: string) => stores.get(idHash) ?? memoryStores().proofs
    const inAll = async (ask: (one: ProofStore) => Promise<number>) => {
      let sum = 0
      for (const one of stores.values()) sum += await ask(one)
      return sum
    }
    return {
      async save(proof) {
        const { proofs } = memoryStores()
        await proofs.save(proof)
        stores.set(proof.idHash, proofs)
      },
      find: (idHash, purpose) => of(idHash).find(idHash, purpose),
      takeTry: (idHash, purpose, now) => of(idHash).takeTry(idHash, purpose, now),
      consume: (idHash, purpose, now) => of(idHash).consume(idHash, purpose, now),
      voidForUser: (userId, purposes, now) =>
        inAll((one) => one.voidForUser(userId, purposes, now)),
      async purge(now, limit = Number.POSITIVE_INFINITY) {
        let left = limit
        return inAll(async (one) => {
          const purged = await one.purge(now, left)
          left -= purged
          return purged
        })
      },
    }
  }),
  'proofs: a user has one proof of each purpose': withProofs((good) => {
    const there = new Set<string>()
    return {
      async save(proof) {
        const name = JSON.stringify([proof.userId, proof.purpose])
        if (proof.userId !== null && proof.userId !== '' && there.has(name))
          throw new Error('duplicate')
        there.add(name)
        await good.save(proof)
      },
    }
  }),
  'proofs: what is sealed is cut': withProofs((good) => ({
    save: (proof) => good.save({ ...proof, sealed: proof.sealed?.slice(0, 4000) ?? null }),
  })),
  'proofs: save drops the mark': withProofs((good) => ({
    save: (proof) => good.save({ ...proof, mark: null }),
  })),
  'proofs: nobody is a user called null': withProofs((good) => ({
    async find(idHash, purpose) {
      const proof = await good.find(idHash, purpose)
      return proof === null ? null : { ...proof, userId: String(proof.userId) }
    },
  })),
  'proofs: find takes a try': withProofs((good) => ({
    async find(idHash, purpose) {
      const proof = await good.find(idHash, purpose)
      if (proof !== null) await good.takeTry(idHash, purpose, proof.createdAt)
      return proof
    },
  })),
  'proofs: find knows no used ones': withProofs((good) => ({
    async find(idHash, purpose) {
      const proof = await good.find(idHash, purpose)
      return proof?.consumedAt === null ? proof : null
    },
  })),
  'proofs: undefined when there is none': withProofs((good) => ({
    find: async (idHash, purpose) =>
      (await good.find(idHash, purpose)) ?? (undefined as unknown as null),
  })),
  'proofs: hashes without regard to case': withProofs((good) => {
    const fold = collation((id) => id.toLowerCase())
    return {
      save: (proof) => good.save({ ...proof, idHash: fold(proof.idHash) }),
      find: (idHash, purpose) => good.find(fold(idHash), purpose),
      takeTry: (idHash, purpose, now) => good.takeTry(fold(idHash), purpose, now),
      consume: (idHash, purpose, now) => good.consume(fold(idHash), purpose, now),
    }
  }),
  'proofs: list answers used ones': withProofs((good) => {
    const saved: ProofRecord[] = []
    return {
      async save(proof) {
        await good.save(proof)
        saved.push(proof)
      },
      async list(purpose, userId, now) {
        const listed = saved.filter((one) => one.userId === userId && one.purpose === purpose)
        const found = await Promise.all(listed.map((one) => good.find(one.idHash, purpose)))
        return found.flatMap((one) => (one !== null && now < one.expiresAt ? [one] : []))
      },
    }
  }),
  'proofs: list does the first page only': withProofs((good) => ({
    list: async (purpose, userId, now) => (await good.list(purpose, userId, now)).slice(0, 1000),
  })),
  'proofs: list knows nobody’s proofs only': withProofs((good) => ({
    list: async (purpose, userId, now) => (userId === null ? good.list(purpose, userId, now) : []),
  })),
  'proofs: purge too early': withProofs((good) => ({
    purge: (now, limit) => good.purge(new Date(now.getTime() + 1), limit),
  })),
  'proofs: purge without a limit': withProofs((good) => ({ purge: (now) => good.purge(now) })),
  'proofs: purge takes a limit of 0 for none': withProofs((good) => ({
    purge: (now, limit) => good.purge(now, limit || undefined),
  })),
}
