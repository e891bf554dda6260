// Responses that were changed in one place: none of them signs anybody in, and none is an error
// that was not foreseen.
import { describe, expect, it } from 'vitest'
import { numbers, rounds } from '../support/rounds.js'
import { assertion, creation, newPasskey } from './authenticator.js'
import { type PasskeyHost, startPasskeys } from './passkey-host.js'

const mutations = rounds(400)
const plenty = { points: 1_000_000, duration: 60 }

/** Whole numbers below another that look drawn, and are the same in each run. */
function seeded(seed: number): (below: number) => number {
  const random = numbers(seed)
  return (below) => Math.floor(random() * below)
}

type Draw = ReturnType<typeof seeded>
type Members = Record<string, unknown>

const changes: readonly ((bytes: Buffer, draw: Draw) => Buffer)[] = [
  (bytes, draw) => {
    const at = draw(bytes.length)
    bytes[at] = (bytes[at] ?? 0) ^ (1 << draw(8))
    return bytes
  },
  (bytes, draw) => bytes.subarray(0, draw(bytes.length)),
  (bytes, draw) => Buffer.concat([bytes, Buffer.alloc(1 + draw(8), draw(256))]),
  (bytes, draw) => {
    const at = draw(bytes.length)
    return Buffer.concat([bytes.subarray(0, at), Buffer.from([draw(256)]), bytes.subarray(at)])
  },
  (bytes, draw) => {
    const at = draw(bytes.length)
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + draw(4))])
  },
]
const strange: readonly unknown[] = [
  null,
  7,
  '',
  '!',
  {},
  [],
  true,
  'A',
  '\0',
  '\ud800',
  { toString: 'x' },
  'é',
]

/** Changes one of the members; true where it is another response now. */
function mutate(response: Members, names: readonly string[], draw: Draw): boolean {
  const inner = response['response'] as Members
  const name = names[draw(names.length)] as string
  const holder = name in inner ? inner : response
  const before = holder[name]
  if (draw(6) === 0) holder[name] = strange[draw(strange.length)]
  else {
    const bytes = Buffer.from(String(before), 'base64url')
    const change = changes[draw(changes.length)] as (typeof changes)[number]
    holder[name] = change(bytes, draw).toString('base64url')
  }
  return holder[name] !== before
}

async function inTurns(count: number, work: (index: number) => Promise<void>): Promise<void> {
  for (let from = 0; from < count; from += 20)
    await Promise.all(
      Array.from({ length: Math.min(20, count - from) }, (_none, index) => work(from + index)),
    )
}

/** Of how many kinds the answers were. */
function counting() {
  const counts = new Map<number, number>()
  return { counts, count: (status: number) => counts.set(status, (counts.get(status) ?? 0) + 1) }
}

const settings = {
  options: { throttle: { network: plenty } },
} as const

async function quiet<Result>(host: PasskeyHost, work: () => Promise<Result>): Promise<Result> {
  const result = await work()
  // Thousands of events are looked through for secrets when the test is over.
  expect(host.events.length).toBeLessThan(100_000)
  return result
}

describe('responses that were changed', () => {
  it.each([-7, -8, -257] as const)('sign nobody in: algorithm %i', async (algorithm) => {
    const host = await startPasskeys(settings)
    const { passkey } = await host.add(await host.logIn(), newPasskey({ algorithm }))
    const draw = seeded(1 - algorithm)
    const { counts, count } = counting()
    const names = ['clientDataJSON', 'authenticatorData', 'signature', 'userHandle', 'id', 'rawId']
    await quiet(host, () =>
      inTurns(Math.ceil(mutations / 4), async () => {
        const response = assertion(passkey, await host.challenge())
        if (!mutate(response, names, draw)) return
        const { status, data } = await host.post('/auth/passkey/login', { response })
        count(status)
        expect(data.authToken).toBeUndefined()
      }),
    )
    expect([...counts.keys()].filter((status) => ![400, 401, 429].includes(status))).toEqual([])
    expect(counts.get(401)).toBeGreaterThan(0)
    expect(await host.sessionsOf()).toHaveLength(1)
    expect((await host.signIn(passkey)).status).toBe(200)
  })

  it('add nothing that its owner has not made', async () => {
    const host = await startPasskeys(settings)
    const token = await host.logIn()
    const draw = seeded(11)
    const { counts, count } = counting()
    const names = ['clientDataJSON', 'attestationObject', 'id', 'rawId']
    await quiet(host, () =>
      inTurns(Math.ceil(mutations / 4), async () => {
        const options = await host.post('/auth/passkeys/options', {}, token)
        const passkey = newPasskey()
        const response = creation(passkey, options.data.challenge as string)
        if (!mutate(response, names, draw)) return
        const { status } = await host.post('/auth/passkeys', { response }, token)
        count(status)
      }),
    )
    // Without attestation nothing is signed at a registration: a key that was changed is a key that
    // nobody has. Whatever is added is under the id that was signed for, and opens nothing.
    expect([...counts.keys()].filter((status) => ![200, 400, 409].includes(status))).toEqual([])
    expect(counts.get(400)).toBeGreaterThan(0)
    expect((await host.store.listForUser('u-alice')).length).toBeLessThanOrEqual(20)
  })
})
