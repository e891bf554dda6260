// A thief has a signing key, and a socket open by a token of his own making, when the key is taken
// out: requests with such a token are refused, and the socket must not stay for as long as it says.
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { keyRing, type Principal, type TokenSigner } from '../../src/index.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { manualClock } from '../../src/testing/testing.js'
import { afterAttack } from '../support/after-attack.js'
import { bearer, logIn, post } from '../support/client.js'
import { encryptionKey, startHost, type TestHost } from '../support/host.js'
import { moodyStore, signerOf } from '../support/key-stores.js'
import { memoryKeyStore } from '../testing/memory-key-store.js'

const encryptionKeys = [encryptionKey]
const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

/** Two processes with the same stores. Their sockets tick when the test lets the clock run. */
async function startBoth(change: (signer: TokenSigner) => TokenSigner = (signer) => signer) {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const clock = manualClock(new Date('2026-03-01T12:00:00Z'))
  const rows = memoryKeyStore()
  const keys = moodyStore(rows)
  const [ring, otherRing] = [keys, moodyStore(rows)].map((store) =>
    keyRing({ store, encryptionKeys, clock, logger: silent }),
  ) as [ReturnType<typeof keyRing>, ReturnType<typeof keyRing>]
  await ring.ready()
  const signer = signerOf(ring, clock)
  const shared = { ...memoryStores(), clock, namedTokens: true }
  const host = await startHost({ now: clock(), options: { ...shared, signer: change(signer) } })
  const options = { ...shared, signer: signerOf(otherRing, clock) }
  const other = await startHost({ now: clock(), options })
  const { authToken } = await logIn(host)
  const exp = Math.floor(clock().getTime() / 1000) + 3650 * 86_400
  const forged = await signer.sign({ ...claimsOf(authToken), exp })
  host.issued.add(forged)
  /** Seconds go by. */
  const run = async (seconds: number) => {
    clock.advance(seconds)
    await vi.advanceTimersByTimeAsync(seconds * 1000)
  }
  const retire = async () => ring.retire((await ring.list()).at(-1)?.kid ?? '')
  return { host, other, keys, signer, forged, run, retire }
}

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const upgrade = (headers: Record<string, string>) =>
  ({
    headersDistinct: Object.fromEntries(Object.entries(headers).map(([k, v]) => [k, [v]])),
    headers,
    socket: {},
  }) as never

function opened(host: TestHost, principal: Principal) {
  const close = vi.fn()
  const socket = { close, terminate() {}, once() {}, on() {} }
  return { close, tracked: host.auth.sockets.track(socket, principal) }
}

async function byTicket(host: TestHost, token: string): Promise<() => Promise<Principal>> {
  const { body } = await post(host, '/auth/socket-ticket', undefined, bearer(token))
  const protocols = `auth.ticket, ${body.data.ticket}`
  return () => host.auth.sockets.authenticate(upgrade({ 'sec-websocket-protocol': protocols }))
}

const byHeader = (host: TestHost, token: string) =>
  host.auth.sockets.authenticate(upgrade({ authorization: `Bearer ${token}` }))

/** As a guard of the host's lets the holder of a token in. */
function byGuard(host: TestHost, token: string): Promise<Principal> {
  const request: { auth?: Principal } = upgrade({ authorization: `Bearer ${token}` })
  return new Promise((resolve, reject) => {
    host.auth.requireAuth()(request as never, {} as never, (error) =>
      request.auth === undefined ? reject(error) : resolve(request.auth),
    )
  })
}

describe('a socket that a token of a leaked key has opened', () => {
  it('is closed within a minute after the key was taken out, in every process', async () => {
    const { host, other, forged, run, retire } = await startBoth()
    const late = await byTicket(host, forged)
    const sockets = [
      opened(host, await byHeader(host, forged)),
      opened(host, await (await byTicket(host, forged))()),
      opened(host, await host.auth.authenticateToken(forged)),
      opened(other, await byHeader(other, forged)),
    ]
    await retire()
    // A ticket that was bought before is good for 30 seconds.
    sockets.push(opened(host, await late()))
    await run(61)
    for (const { close } of sockets)
      expect(close).toHaveBeenCalledExactlyOnceWith(4408, expect.any(String))
    await expect(byHeader(host, forged)).rejects.toMatchObject({ status: 401 })
    await afterAttack(host, [], [forged])
  })

  it('is closed also where a guard has let its holder in, anew or from memory', async () => {
    const { host, forged, run, retire } = await startBoth()
    const sockets = [
      opened(host, await byGuard(host, forged)),
      opened(host, await byGuard(host, forged)),
      opened(host, await (await byTicket(host, forged))()),
    ]
    await retire()
    await run(61)
    for (const { close } of sockets)
      expect(close).toHaveBeenCalledExactlyOnceWith(4408, expect.any(String))
  })

  it('is the only one that is: others stay, by whatever they were opened', async () => {
    const { host, forged, run, retire } = await startBoth()
    const { token: named } = await host.auth.namedTokens.create({ userId: 'u-alice', name: 'CI' })
    const { close } = opened(host, await byHeader(host, forged))
    const before = opened(host, await byHeader(host, named))
    await retire()
    const { authToken } = await logIn(host)
    const after = [
      opened(host, await byHeader(host, authToken)),
      opened(host, await (await byTicket(host, authToken))()),
      opened(host, await (await byTicket(host, named))()),
    ]
    await run(61)
    expect(close).toHaveBeenCalledOnce()
    for (const one of [before, ...after]) expect(one.close).not.toHaveBeenCalled()
  })

  it('stays where it was renewed by a token of another key, which nobody can who has none', async () => {
    const { host, signer, forged, run, retire } = await startBoth()
    const owner = opened(host, await byHeader(host, forged))
    const thief = opened(host, await byHeader(host, forged))
    await retire()
    const { exp, ...claims } = claimsOf(forged)
    const renewed = await signer.sign({ ...claims, exp: exp + 1 })
    await owner.tracked.renew(renewed)
    await expect(thief.tracked.renew('forged once more')).rejects.toMatchObject({ status: 401 })
    await run(61)
    expect(owner.close).not.toHaveBeenCalled()
    expect(thief.close).toHaveBeenCalledOnce()
  })
})

describe('no socket is closed', () => {
  it.each(['rejects', 'throws', 'answers rubbish'] as const)(
    'for a key store that %s',
    async (mood) => {
      const { host, keys, forged, run } = await startBoth()
      const { close } = opened(host, await byHeader(host, forged))
      keys.mood = mood
      await run(121)
      expect(close).not.toHaveBeenCalled()
    },
  )

  it.each<[string, () => unknown]>([
    ['nothing', () => undefined],
    ['an empty list', () => []],
    ['what are no texts', () => [1, null]],
  ])('for a signer that answers %s when it is asked for its keys', async (_what, answer) => {
    const keyIds = async () => answer() as string[]
    const { host, forged, run } = await startBoth((signer) => ({ ...signer, keyIds }))
    const { close } = opened(host, await byHeader(host, forged))
    await run(61)
    expect(close).not.toHaveBeenCalled()
    const told = host.events.filter(({ type }) => type === 'host.failed')
    expect(told).toMatchObject([{ operation: 'signer.keyIds' }])
  })

  it('where the signer does not say which keys it has', async () => {
    const without = ({ keyIds: _none, ...signer }: TokenSigner) => signer
    const { host, forged, run, retire } = await startBoth(without)
    const { close } = opened(host, await byHeader(host, forged))
    await retire()
    await run(61)
    expect(close).not.toHaveBeenCalled()
  })
})
