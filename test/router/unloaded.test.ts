// While the code of optional routes cannot be loaded, all other paths are as before.
import { expect, it, vi } from 'vitest'
import { type HostSettings, startHost } from '../support/host.js'
import { accountsOptions } from '../support/mounted-accounts.js'
import { oauthOptions } from '../support/mounted-oauth.js'

vi.mock('../../src/router/optional-capabilities.js', () => {
  throw new Error('EMFILE')
})

async function start(options: HostSettings['options']) {
  const { url, events } = await startHost({
    ...(options && { options }),
    prefix: '/',
    before: (app, router) => void app.use(router.wellKnown),
    after: (app) => void app.use((_request, response) => void response.status(418).end()),
    // Every route may be 503.
    isBeyond: (fault) => fault.includes('503'),
  })
  const statusOf = async (path: string) => (await fetch(new URL(path, url))).status
  return { events, statusOf }
}

it('the routes are 503, and those of the start are there', async () => {
  const { events, statusOf } = await start({ ...accountsOptions(), ...oauthOptions() })
  expect(await statusOf('/auth/password/forgot')).toBe(503)
  expect(await statusOf('/account/password')).toBe(503)
  expect(await statusOf('/.well-known/oauth-authorization-server')).toBe(503)
  expect(await statusOf('/me')).toBe(401)
  const hint = 'if it goes on, restart this process: Node keeps most failures of an import.'
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'host.failed', operation: 'import', hint }),
  )
})

it('documents of the host are its own: a certificate can be renewed', async () => {
  const { statusOf } = await start(oauthOptions())
  expect(await statusOf('/.well-known/acme-challenge/token')).toBe(418)
  expect(await statusOf('/.well-known/security.txt')).toBe(418)
})

it('pages of the host are its own where the router has none', async () => {
  const { statusOf } = await start({
    ...accountsOptions(),
    deviceLinks: { page: 'https://a.example' },
  })
  expect(await statusOf('/auth/password/forgot')).toBe(503)
  for (const path of ['/account/password', '/account/reset', '/account/register', '/account/link'])
    expect(await statusOf(path)).toBe(418)
})
