import type { DeviceCodeRecord, DeviceCodeStore } from '../../../src/index.js'
import { memoryStores } from '../../../src/stores/memory-stores.js'
import { awaited, collation, withDeviceCodes } from './helpers.js'

/** What find answers, changed. */
const answering = (change: (code: DeviceCodeRecord) => DeviceCodeRecord) =>
  withDeviceCodes((good) => ({
    async find(userCodeHash) {
      const found = await good.find(userCodeHash)
      return found === null ? null : change(found)
    },
  }))

/** A row that is written whole: it goes on in a store of its own. */
function replacing(good: DeviceCodeStore) {
  const moved = new Map<string, DeviceCodeStore>()
  const of = (userCodeHash: string) => moved.get(userCodeHash) ?? good
  return {
    of,
    async replace(code: DeviceCodeRecord) {
      const store = memoryStores().deviceCodes
      await store.save(code)
      moved.set(code.userCodeHash, store)
    },
  }
}

/** Stores whose calls go to where `replace` has put a row. */
const withReplaced = (
  change: (
    of: (userCodeHash: string) => DeviceCodeStore,
    replace: (code: DeviceCodeRecord) => Promise<void>,
  ) => Partial<DeviceCodeStore>,
) =>
  withDeviceCodes((good) => {
    const { of, replace } = replacing(good)
    return {
      find: (userCodeHash) => of(userCodeHash).find(userCodeHash),
      claim: (userCodeHash, ...given) => of(userCodeHash).claim(userCodeHash, ...given),
      takeTry: (userCodeHash, ...given) => of(userCodeHash).takeTry(userCodeHash, ...given),
      decide: (userCodeHash, ...given) => of(userCodeHash).decide(userCodeHash, ...given),
      poll: (userCodeHash, ...given) => of(userCodeHash).poll(userCodeHash, ...given),
      ...change(of, replace),
    }
  })

const early = (now: Date) => new Date(Math.min(now.getTime(), Date.now() + 5000))

const badClaims = {
  'deviceCodes: claim reads, then writes': withReplaced((of, replace) => ({
    async claim(userCodeHash, userId, now) {
      const code = await of(userCodeHash).find(userCodeHash)
      await awaited()
      const answer = await of(userCodeHash).claim(userCodeHash, userId, now)
      if (answer.outcome !== 'foreign' || code === null || code.userId !== null) return answer
      const claimed = { ...code, userId, claimedAt: now }
      await replace(claimed)
      return { outcome: 'claimed', code: claimed }
    },
  })),
  'deviceCodes: claim asks for no owner at all': withReplaced((of, replace) => ({
    async claim(userCodeHash, userId, now) {
      const answer = await of(userCodeHash).claim(userCodeHash, userId, now)
      const code = await of(userCodeHash).find(userCodeHash)
      if (answer.outcome !== 'foreign' || code === null) return answer
      const claimed = { ...code, userId, claimedAt: now }
      await replace(claimed)
      return { outcome: 'claimed', code: claimed }
    },
  })),
  'deviceCodes: claim sets claimedAt again': withReplaced((of, replace) => ({
    async claim(userCodeHash, userId, now) {
      const answer = await of(userCodeHash).claim(userCodeHash, userId, now)
      if (answer.outcome !== 'claimed') return answer
      const code = { ...answer.code, claimedAt: now }
      await replace(code)
      return { outcome: 'claimed', code }
    },
  })),
  'deviceCodes: claim refuses its own user': withDeviceCodes((good) => ({
    async claim(userCodeHash, userId, now) {
      const code = await good.find(userCodeHash)
      return code?.userId === userId
        ? { outcome: 'foreign' }
        : good.claim(userCodeHash, userId, now)
    },
  })),
  'deviceCodes: claim ignores expiry': withDeviceCodes((good) => ({
    claim: (userCodeHash, userId, now) => good.claim(userCodeHash, userId, early(now)),
  })),
  'deviceCodes: claim of a decided code': withDeviceCodes((good) => ({
    async claim(userCodeHash, userId, now) {
      const code = await good.find(userCodeHash)
      return code?.userId === userId && code.state !== 'pending' && now < code.expiresAt
        ? { outcome: 'claimed', code }
        : good.claim(userCodeHash, userId, now)
    },
  })),
  'deviceCodes: claim as an upsert': withDeviceCodes((good) => ({
    async claim(userCodeHash, userId, now) {
      const row = { userCodeHash, deviceCodeHash: userCodeHash, purpose: 'link', clientId: null }
      const times = { nextPollAt: now, createdAt: now, expiresAt: new Date(now.getTime() + 1000) }
      const asked = { scope: '', resources: [], name: null, requestedIp: null }
      const open = { userId: null, claimedAt: null, triesLeft: 3, interval: 5, state: 'pending' }
      const rest = { requestedAgent: null, authorizationCodeHash: null }
      await good.save({ ...row, ...times, ...asked, ...open, ...rest }).catch(() => {})
      return good.claim(userCodeHash, userId, now)
    },
  })),
}

const badDecisions = {
  'deviceCodes: takeTry is off by one': withDeviceCodes((good) => ({
    async takeTry(userCodeHash, userId, now) {
      const code = await good.find(userCodeHash)
      return (code?.triesLeft ?? 0) > 1
        ? good.takeTry(userCodeHash, userId, now)
        : { outcome: 'void' }
    },
  })),
  'deviceCodes: takeTry reads, then writes': withDeviceCodes((good) => ({
    async takeTry(userCodeHash, userId, now) {
      const code = await good.find(userCodeHash)
      await awaited()
      const answer = await good.takeTry(userCodeHash, userId, now)
      if (code === null || code.triesLeft <= 0 || !isOpen(code, userId, now)) return answer
      return answer.outcome === 'void' ? { outcome: 'taken', code } : answer
    },
  })),
  'deviceCodes: takeTry asks for no owner at all': withDeviceCodes((good) => ({
    takeTry: async (userCodeHash, userId, now) =>
      good.takeTry(userCodeHash, (await good.find(userCodeHash))?.userId ?? userId, now),
  })),
  'deviceCodes: takeTry ignores expiry': withDeviceCodes((good) => ({
    takeTry: (userCodeHash, userId, now) => good.takeTry(userCodeHash, userId, early(now)),
  })),
  'deviceCodes: decide asks for no owner at all': withDeviceCodes((good) => ({
    decide: async (userCodeHash, userId, verdict, now) =>
      good.decide(userCodeHash, (await good.find(userCodeHash))?.userId ?? userId, verdict, now),
  })),
  'deviceCodes: decide claims what is nobody’s': withDeviceCodes((good) => ({
    async decide(userCodeHash, userId, verdict, now) {
      await good.claim(userCodeHash, userId, now)
      return good.decide(userCodeHash, userId, verdict, now)
    },
  })),
  'deviceCodes: decide twice': withReplaced((of, replace) => ({
    async decide(userCodeHash, userId, verdict, now) {
      const answer = await of(userCodeHash).decide(userCodeHash, userId, verdict, now)
      const code = await of(userCodeHash).find(userCodeHash)
      if (answer.outcome === 'decided' || code?.userId !== userId || now >= code.expiresAt)
        return answer
      await replace({ ...code, ...verdict })
      return { outcome: 'decided' }
    },
  })),
  'deviceCodes: decide reads, then writes': withDeviceCodes((good) => ({
    async decide(userCodeHash, userId, verdict, now) {
      const code = await good.find(userCodeHash)
      await awaited()
      const answer = await good.decide(userCodeHash, userId, verdict, now)
      return code !== null && isOpen(code, userId, now) ? { outcome: 'decided' } : answer
    },
  })),
  'deviceCodes: decide ignores expiry': withDeviceCodes((good) => ({
    decide: (userCodeHash, userId, verdict, now) =>
      good.decide(userCodeHash, userId, verdict, early(now)),
  })),
  'deviceCodes: decide forgets the authorization code': withDeviceCodes((good) => ({
    decide: (userCodeHash, userId, { state }, now) =>
      good.decide(userCodeHash, userId, { state } as { state: 'denied' }, now),
  })),
  'deviceCodes: decide plays triesLeft': withDeviceCodes((good) => ({
    async decide(userCodeHash, userId, verdict, now) {
      const code = await good.find(userCodeHash)
      return (code?.triesLeft ?? 0) > 0
        ? good.decide(userCodeHash, userId, verdict, now)
        : { outcome: 'unknown' }
    },
  })),
  'deviceCodes: decide writes the whole row': withReplaced((of, replace) => ({
    async decide(userCodeHash, userId, verdict, now) {
      const code = await of(userCodeHash).find(userCodeHash)
      await awaited()
      const answer = await of(userCodeHash).decide(userCodeHash, userId, verdict, now)
      if (answer.outcome === 'decided' && code !== null) await replace({ ...code, ...verdict })
      return answer
    },
  })),
}

function isOpen(code: DeviceCodeRecord, userId: string, now: Date): boolean {
  return code.userId === userId && code.state === 'pending' && now < code.expiresAt
}

const badPolls = {
  'deviceCodes: poll keeps no pace': withDeviceCodes((good) => ({
    async poll(userCodeHash, deviceCodeHash, now) {
      const answer = await good.poll(userCodeHash, deviceCodeHash, now)
      return answer.outcome === 'too-soon' ? { ...answer, outcome: 'polled' } : answer
    },
  })),
  'deviceCodes: poll resets the interval': withReplaced((of, replace) => ({
    async poll(userCodeHash, deviceCodeHash, now) {
      const answer = await of(userCodeHash).poll(userCodeHash, deviceCodeHash, now)
      if (answer.outcome !== 'polled') return answer
      const nextPollAt = new Date(now.getTime() + 5000)
      const code = { ...answer.code, interval: 5, nextPollAt }
      await replace(code)
      return { outcome: 'polled', code }
    },
  })),
  'deviceCodes: poll leaves the interval': withReplaced((of, replace) => ({
    async poll(userCodeHash, deviceCodeHash, now) {
      const answer = await of(userCodeHash).poll(userCodeHash, deviceCodeHash, now)
      if (answer.outcome !== 'too-soon') return answer
      const code = { ...answer.code, interval: answer.code.interval - 5 }
      await replace(code)
      return { outcome: 'too-soon', code }
    },
  })),
  'deviceCodes: poll is too soon at the very moment': withDeviceCodes((good) => ({
    poll: (userCodeHash, deviceCodeHash, now) =>
      good.poll(userCodeHash, deviceCodeHash, new Date(now.getTime() - 1)),
  })),
  'deviceCodes: poll asks for no device at all': withDeviceCodes((good) => ({
    poll: async (userCodeHash, deviceCodeHash, now) =>
      good.poll(
        userCodeHash,
        (await good.find(userCodeHash))?.deviceCodeHash ?? deviceCodeHash,
        now,
      ),
  })),
  'deviceCodes: poll slows the device down for a stranger': withDeviceCodes((good) => ({
    async poll(userCodeHash, deviceCodeHash, now) {
      const code = await good.find(userCodeHash)
      if (code === null || code.deviceCodeHash === deviceCodeHash)
        return good.poll(userCodeHash, deviceCodeHash, now)
      await good.poll(userCodeHash, code.deviceCodeHash, now)
      return { outcome: 'unknown' }
    },
  })),
  'deviceCodes: poll reads, then writes': withDeviceCodes((good) => ({
    async poll(userCodeHash, deviceCodeHash, now) {
      const code = await good.find(userCodeHash)
      await awaited()
      const answer = await good.poll(userCodeHash, deviceCodeHash, now)
      return answer.outcome === 'too-soon' && code !== null && now >= code.nextPollAt
        ? { outcome: 'polled', code: answer.code }
        : answer
    },
  })),
  'deviceCodes: poll forgets what is decided': withDeviceCodes((good) => ({
    async poll(userCodeHash, deviceCodeHash, now) {
      const code = await good.find(userCodeHash)
      return code?.state === 'denied'
        ? { outcome: 'unknown' }
        : good.poll(userCodeHash, deviceCodeHash, now)
    },
  })),
  'deviceCodes: poll answers the row before': withDeviceCodes((good) => ({
    async poll(userCodeHash, deviceCodeHash, now) {
      const code = await good.find(userCodeHash)
      const answer = await good.poll(userCodeHash, deviceCodeHash, now)
      return answer.outcome === 'unknown' || code === null ? answer : { ...answer, code }
    },
  })),
}

/** Stores of device codes that are wrong in one respect each. */
export const badDeviceCodes = {
  ...badClaims,
  ...badDecisions,
  ...badPolls,
  'deviceCodes: save as an upsert': withReplaced((_of, replace) => ({ save: replace })),
  'deviceCodes: hashes without regard to case': withDeviceCodes((good) => {
    const stored = collation((key) => key.toLowerCase())
    return {
      save: (code) => good.save({ ...code, userCodeHash: stored(code.userCodeHash) }),
      find: (userCodeHash) => good.find(stored(userCodeHash)),
      claim: (userCodeHash, ...given) => good.claim(stored(userCodeHash), ...given),
    }
  }),
  'deviceCodes: hashes by their beginning': withDeviceCodes((good) => {
    const stored = collation((key) => key.slice(0, 255))
    return {
      save: (code) => good.save({ ...code, userCodeHash: stored(code.userCodeHash) }),
      find: (userCodeHash) => good.find(stored(userCodeHash)),
    }
  }),
  'deviceCodes: the client is dropped': answering((code) => ({ ...code, clientId: null })),
  'deviceCodes: the moment of the claim is dropped': answering((code) => ({
    ...code,
    claimedAt: null,
  })),
  'deviceCodes: resources in a set': answering((code) => ({
    ...code,
    resources: [...new Set(code.resources)].sort(),
  })),
  'deviceCodes: dates in seconds': answering((code) => ({
    ...code,
    nextPollAt: new Date(Math.floor(code.nextPollAt.getTime() / 1000) * 1000),
  })),
  'deviceCodes: names in 255 characters': answering((code) => ({
    ...code,
    name: code.name?.slice(0, 255) ?? null,
  })),
  'deviceCodes: undefined when there is none': withDeviceCodes((good) => ({
    find: async (userCodeHash) => (await good.find(userCodeHash)) ?? (undefined as unknown as null),
  })),
  'deviceCodes: find hides what has expired': withDeviceCodes((good) => ({
    async find(userCodeHash) {
      const code = await good.find(userCodeHash)
      return code !== null && code.expiresAt < new Date() ? null : code
    },
  })),
  'deviceCodes: purge too early': withDeviceCodes((good) => ({
    purge: (now, limit) => good.purge(new Date(now.getTime() + 1), limit),
  })),
  'deviceCodes: purge takes a limit of 0 for none': withDeviceCodes((good) => ({
    purge: (now, limit) => good.purge(now, limit || undefined),
  })),
}
