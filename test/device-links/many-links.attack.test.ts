// Guesses at the check codes of very many links.
import { expect, it } from 'vitest'
import { bearer, logIn, pkcePair, post } from '../support/client.js'
import { tally } from '../support/guessing.js'
import { startLinks } from './link-host.js'

// With `LINKS=10000` ten thousand, which takes minutes.
const many = Number(process.env['LINKS'] ?? 600)
const atOnce = 20
/** A network may begin twenty. */
const networkOf = (i: number) => `10.4.${Math.floor(i / 20) >> 8}.${Math.floor(i / 20) & 255}`

it('of a guess at each of very many links, three hundred are judged', async () => {
  const host = await startLinks()
  const headers = { ...bearer((await logIn(host)).authToken), 'X-Forwarded-For': '203.0.113.9' }
  const { codeChallenge } = pkcePair()
  const guess = async (i: number) => {
    const from = { 'X-Forwarded-For': networkOf(i) }
    const { body } = await post(host, '/auth/device-links', { codeChallenge }, from)
    const { linkId, qr } = body.data as { linkId: string; qr: string }
    const link = qr.split('#')[1]
    await post(host, '/auth/device-links/open', { link }, headers).expect(200)
    const given = { linkId, checkCode: '0000' }
    return (await post(host, '/auth/device-links/approve', given, headers)).status
  }
  const statuses: number[] = []
  for (let i = 0; i < many; i += atOnce)
    statuses.push(...(await Promise.all(Array.from({ length: atOnce }, (_n, j) => guess(i + j)))))
  // One in ten thousand is right.
  const { 200: right = 0, 400: wrong, 429: refused = 0 } = tally(statuses)
  expect([wrong, right + refused]).toEqual([300, many - 300])
  expect(right).toBeLessThan(many / 100)
  expect(await host.stores.deviceCodes.purge(host.clock())).toBe(0)
  host.clock.advance(180)
  // And the row by which the router asks whether the store keeps all of one.
  expect(await host.stores.deviceCodes.purge(host.clock())).toBe(many + 1)
}, 600_000)
