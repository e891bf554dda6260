// Two clients: one on a new device, one that is signed in.
import { expect, it } from 'vitest'
import type { AuthClient } from '../../src/client/client.js'
import { type BeginLink, deviceLinks } from '../../src/client/device-links/device-links.js'
import { startLinks } from '../device-links/link-host.js'
import { password, type TestHost } from '../support/host.js'
import { clientOf, lost, signedIn, tap, type Wiretap } from './recorded.js'

/** Begins on a new device, and answers what it has shown. */
function begun(client: AuthClient, more: Partial<BeginLink> = {}) {
  let show: (qr: string) => void
  let open: (checkCode: string) => void
  const shown = new Promise<string>((resolve) => {
    show = resolve
  })
  const opened = new Promise<string>((resolve) => {
    open = resolve
  })
  const result = deviceLinks(client).begin({
    name: 'TV',
    onCode: ({ qr }) => show(qr),
    onCheckCode: (checkCode) => open(checkCode),
    onAccount: () => true,
    ...more,
  })
  return { shown, opened, result }
}

/** A client that need not wait between two questions, whose server believes that it has. */
function newDevice(host: TestHost, fetch: Wiretap['fetch'] = globalThis.fetch): AuthClient {
  return clientOf(host, {
    async fetch(url, init) {
      if (url.endsWith('/collect')) host.clock.advance(2)
      const answer = await fetch(url, init)
      if (!url.endsWith('/device-links') || answer.status !== 200) return answer
      const body = (await answer.json()) as { data: object }
      return Response.json({ ...body, data: { ...body.data, interval: 0 } })
    },
  })
}

it('signs a new device in, once the user has said on both that it shall be', async () => {
  const host = await startLinks()
  const tv = newDevice(host)
  const accounts: unknown[] = []
  const onAccount = (account: unknown) => accounts.push(account) > 0
  const { shown, opened, result } = begun(tv, { onAccount })
  const link = await deviceLinks(await signedIn(host)).open(await shown)
  expect(link).toMatchObject({ name: 'TV', sameNetwork: true })
  const checkCode = await opened
  expect(accounts).toEqual([])
  await link.approve(checkCode, { password })
  expect(await result).toMatchObject({ status: 'signed-in', me: { username: 'alice' } })
  expect(accounts).toEqual([{ name: 'Alice A.', username: 'alice' }])
  expect(tv.state.status).toBe('signed-in')
  expect(await tv.sessions.list()).toMatchObject([{}, { name: 'TV', current: true }])
})

it('collects nothing before the user of the new device has said yes, and nothing after a no', async () => {
  const host = await startLinks()
  const wire = tap(host)
  const tv = newDevice(host, wire.fetch)
  const { shown, opened, result } = begun(tv, { onAccount: () => false })
  const link = await deviceLinks(await signedIn(host)).open(await shown)
  await link.approve(await opened)
  expect(await result).toEqual({ status: 'declined' })
  const asked = wire.to('/auth/device-links/collect').length
  await new Promise((resolve) => setImmediate(resolve))
  expect(wire.to('/auth/device-links/collect')).toHaveLength(asked)
  expect(tv.state.status).toBe('signed-out')
})

it('is told that the user of the other device has said no', async () => {
  const host = await startLinks()
  const { shown, opened, result } = begun(newDevice(host))
  const refused = expect(result).rejects.toMatchObject({ code: 'access_denied' })
  const link = await deviceLinks(await signedIn(host)).open(await shown)
  await opened
  await link.deny()
  await refused
})

it('asks again after an answer that was lost, and is signed in once', async () => {
  const host = await startLinks()
  let isLost = false
  const tv = newDevice(host, async (url, init) => {
    const answer = await fetch(url, init)
    if (!url.endsWith('/collect') || answer.status !== 200 || isLost) return answer
    isLost = true
    return lost()
  })
  const { shown, opened, result } = begun(tv)
  const link = await deviceLinks(await signedIn(host)).open(await shown)
  await link.approve(await opened)
  expect(await result).toMatchObject({ status: 'signed-in' })
  expect(isLost).toBe(true)
  expect(await host.auth.sessions.list('u-alice')).toHaveLength(2)
})

it('stops when it is told to', async () => {
  const host = await startLinks()
  const stop = new AbortController()
  const { shown, result } = begun(newDevice(host), { signal: stop.signal })
  const stopped = expect(result).rejects.toThrow('enough')
  await shown
  stop.abort(new Error('enough'))
  await stopped
})
