import { randomId } from '../../lib/secrets.js'
import type { OnceStore } from '../../stores/one-time-contract.js'
import { purgeContract } from './every-store/purge-contract.js'
import { awkwardPairs, check, inheritedNames, type Part, resolves, same } from './harness.js'

const claimed = { outcome: 'claimed' } as const
const known = { outcome: 'known' } as const

/** Keys that are claimed once, except their races and `purge`. */
export function onceContract(part: Part<OnceStore>): void {
  onceExpiry(part)
  onceEnds(part)
  onceIdentity(part)
}

function onceExpiry({ it }: Part<OnceStore>): void {
  it('a key is claimed once, and known until its expiresAt, to the millisecond', async (once, at) => {
    const key = randomId()
    same(await once.claim(key, at(60), at(0)), claimed, 'once.claim of a new key.')
    for (const seconds of [0, 1, 59.999]) {
      same(
        await once.claim(key, at(600), at(seconds)),
        known,
        `once.claim of a key that is noted for 60 seconds, after ${seconds}: an assertion that ` +
          'was overheard works again.',
      )
    }
    same(
      await once.claim(key, at(120), at(60)),
      claimed,
      'once.claim at the very moment the note expires. It counts while now < expiresAt, also ' +
        'where it is still there.',
    )
  })

  it('who is told that a key is known does not move its end', async (once, at) => {
    const key = randomId()
    await once.claim(key, at(60), at(0))
    const moved = 'answered `known`, and moved expiresAt. Make the condition part of the write.'
    await once.claim(key, at(5), at(1))
    same(await once.claim(key, at(60), at(30)), known, `once.claim ${moved}`)
    await once.claim(key, at(6000), at(2))
    same(await once.claim(key, at(120), at(60)), claimed, `once.claim ${moved}`)
  })
}

function onceEnds({ it }: Part<OnceStore>): void {
  it('a key that was claimed again is known until its new end', async (once, at) => {
    const key = randomId()
    await once.claim(key, at(60), at(0))
    await once.claim(key, at(120), at(60))
    same(
      await once.claim(key, at(200), at(119.999)),
      known,
      'once.claim of a key whose expired note was taken over. Write the new expiresAt.',
    )
  })

  it('a key is known to a process whose clock is behind, too', async (once, at) => {
    const key = randomId()
    await once.claim(key, at(60), at(0))
    same(
      await once.claim(key, at(60), at(-2)),
      known,
      'once.claim two seconds before the key was claimed: clocks of processes differ. Ask only ' +
        'whether expiresAt has come.',
    )
  })
}

function onceIdentity({ it }: Part<OnceStore>): void {
  it('keys that differ in one byte are different keys', async (once, at) => {
    for (const [what, first, second] of awkwardPairs(randomId())) {
      await once.claim(first, at(60), at(0))
      same(
        await once.claim(second, at(60), at(1)),
        claimed,
        `once.claim confuses keys that differ by ${what}: an honest client is refused. Compare ` +
          'bytewise.',
      )
      same(await once.claim(first, at(60), at(1)), known, `once.claim forgot a key: ${what}.`)
    }
  })

  it('a key that every object has as a property is a key like any other', async (once, at) => {
    for (const key of inheritedNames) {
      const answer = await resolves(
        once.claim(key, at(0.002), at(0.001)),
        `once.claim of '${key}'.`,
      )
      check(
        answer.outcome === 'claimed' || answer.outcome === 'known',
        `once.claim of '${key}'. Keep rows in a Map, not in a plain object.`,
      )
    }
  })

  it('the longest keys are known whole', async (once, at) => {
    const start = `${randomId()}${'\u00e9'.repeat(500)}`
    for (const end of ['1', '2'])
      same(
        await once.claim(`${start}${end}`, at(60), at(0)),
        claimed,
        'once.claim of a key of up to 1024 bytes. One that is cut off equals another.',
      )
  })
}

/** `purge` of claimed keys. */
export function oncePurge(part: Part<OnceStore>): void {
  const note = (seconds: number) => () => ({ key: randomId(), seconds })
  purgeContract(part, {
    method: 'once.purge',
    row: 'note',
    moments: [['a note at the moment it expires', 30, note(30)]],
    save: (once, { key, seconds }, at) => once.claim(key, at(seconds), at(0)),
    // This claims the key if it is missing, for longer.
    isThere: async (once, { key }, at) =>
      (await once.claim(key, at(3600), at(1))).outcome === 'known',
    isCountable: false,
    living: note(60),
    make: note(30),
    over: 30,
  })
}
