import { randomId } from '../../../lib/random.js'
import { inTurns, type Moment } from '../../../stores/new-records.js'
import type { OnceStore } from '../../../stores/once-contract.js'
import { countTrue, purgeContract } from '../every-store/purge-contract.js'
import type { Part } from '../harness/suite.js'

const over = 30

/** `purge` of claimed keys. */
export function oncePurge(part: Part<OnceStore>): void {
  const note = (once: OnceStore, key: string, at: Moment) => once.claim(key, at(over), at(0))
  // This claims the key if it is missing, for longer.
  const isThere = async (once: OnceStore, key: string, at: Moment) =>
    (await once.claim(key, at(3600), at(1))).outcome === 'known'

  purgeContract(part, {
    method: 'once.purge',
    row: 'note',
    moments: [
      {
        title: 'a note at the moment it expires',
        tooEarly: 'deleted a note one millisecond before it expired: the key could be used again',
        over,
        async add(once, at) {
          const key = randomId()
          await note(once, key, at)
          return () => isThere(once, key, at)
        },
      },
    ],
    isCountable: false,
    purge: (once, now, limit) => once.purge(now, limit),
    addLiving: (once, at) => once.claim(randomId(), at(60), at(0)),
    async addOver(once, at, count) {
      const keys = Array.from({ length: count }, () => randomId())
      await inTurns(keys, (key) => note(once, key, at))
      return () => countTrue(keys.map((key) => isThere(once, key, at)))
    },
    over,
  })
}
