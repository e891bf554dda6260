// Guesses at the check codes of very many links.
import { expect, it } from 'vitest'
import { bearer, logIn, pkcePair, post } from '../support/client.js'
import { tally } from '../support/guessing.js'
import { startLinks } from './link-host.js'

const judged = 30
const throttle = { endpoints: { points: judged, duration: 900 } }
/** A network may begin twenty. */
const networkOf = (i: number) => `10.4.${Math.floor(i / 20) >> 8}.${Math.floor(i / 20) & 255}`

/** How a guess at each of so many links is answered. */
async function guessAt(many: number) {
  const host = await startLinks({ options: { throttle } })
  const headers = { ...bearer((await logIn(host)).authToken), 'X-Forwarded-For': '203.0.113.9' }
  const { codeChallenge } = pkcePair()
  const guess = async (_none: unknown, i: number) => {
    const from = { 'X-Forwarded-For': networkOf(i) }
    const { body } = await post(host, '/auth/device-links', { codeChallenge }, from)
    const { linkId, qr } = body.data as { linkId: string; qr: string }
    const link = qr.split('#')[1]
    await post(host, '/auth/device-links/open', { link }, headers).expect(200)
    const given = { linkId, checkCode: '0000' }
    return (await post(host, '/auth/device-links/approve', given, headers)).status
  }
  const statuses = await Promise.all(Array.from({ length: many }, guess))
  // One in ten thousand is right.
  const { 200: right = 0, 400: wrong, 429: refused = 0 } = tally(statuses)
  return { host, right, wrong, refused }
}

it.each([60, 120])(
  'of a guess at each of %i links, as many are judged as one network may have refused',
  async (many) => {
    const { host, right, wrong, refused } = await guessAt(many)
    expect([wrong, right + refused]).toEqual([judged, many - judged])
    expect(right).toBeLessThan(many / 20)
    expect(await host.stores.deviceCodes.purge(host.clock())).toBe(0)
    host.clock.advance(180)
    // And the row by which the router asks whether the store keeps all of one.
    expect(await host.stores.deviceCodes.purge(host.clock())).toBe(many + 1)
  },
)
