// While the code of text messages cannot be loaded, nothing is sent, and the rest of the router is
// as before.
import { expect, it, vi } from 'vitest'
import { post } from '../support/client.js'
import { number, startPhones } from './phone-host.js'

vi.mock('../../src/accounts/phones/phone-channel.js', () => {
  throw new Error('EMFILE')
})

it('codes are 503, and closing the router closes all else', async () => {
  const host = await startPhones()
  expect((await post(host, '/auth/code', { phone: number })).status).toBe(503)
  await host.auth.close()
})
