// A consent is for the scopes at the APIs that the page has shown, and for the place where it said
// that the answer goes: nothing of it counts for another.
import { describe, expect, it } from 'vitest'
import type { OAuthClient } from '../../../src/index.js'
import { logIn } from '../../support/client.js'
import {
  audienceOf,
  files,
  keptIn,
  more,
  office,
  own,
  payments,
  startOffice,
} from './app-with-apis.js'

describe.each(keptIn)('A consent that is kept in %s', (where) => {
  it('to one API is none to another, nor to both, for the same scope', async () => {
    const { allow, silently, exchange } = await startOffice(where)
    const first = await exchange((await allow({ at: [files] }))['code'])
    expect(audienceOf(first.json['access_token'])).toBe(files)
    expect(await silently({ at: [files] })).toBe('code')
    for (const at of [[payments], [files, payments], [own], []])
      expect(await silently({ at })).toBe('consent_required')
    const second = await exchange((await allow({ at: [payments] }))['code'])
    expect(audienceOf(second.json['access_token'])).toBe(payments)
    // What is allowed one by one is allowed together, and nothing of it was lost.
    for (const at of [[files], [payments], [files, payments]])
      expect(await silently({ at })).toBe('code')
    expect(await silently({ at: [own, files] })).toBe('consent_required')
  })

  it('to the host’s own API is none to another', async () => {
    const { allow, silently } = await startOffice(where)
    await allow({})
    expect(await silently({})).toBe('code')
    expect(await silently({ at: [own] })).toBe('code')
    expect(await silently({ at: [files] })).toBe('consent_required')
  })

  it('is of pairs: no scope of one API counts at another that has been allowed, too', async () => {
    const { allow, silently } = await startOffice(where)
    await allow({ scope: 'messages:read', at: [files] })
    await allow({ scope: 'messages:write', at: [payments] })
    await allow({ scope: 'openid' })
    for (const [scope, at] of [
      ['messages:write', [files]],
      ['messages:read', [payments]],
      ['openid', [files]],
      ['messages:read messages:write', [files, payments]],
      ['messages:read', []],
    ] as const)
      expect(await silently({ scope, at })).toBe('consent_required')
  })

  it('to one of several APIs loses nothing of another that is given at the same moment', async () => {
    const { open, visitor, silently } = await startOffice(where)
    const apis = [files, payments, ...more]
    const pages = []
    for (const at of apis) pages.push(await open({ at: [at] }))
    await Promise.all(pages.map((page) => visitor.post(page, { choice: 'allow' })))
    for (const at of apis) expect(await silently({ at: [at] })).toBe('code')
    expect(await silently({ at: apis })).toBe('code')
  })

  it('is asked for anew once answers go to a host that was not shown', async () => {
    const { host, allow, silently } = await startOffice(where)
    await allow({ at: [files] })
    // Another path of the same host.
    const other = { redirect_uri: office.redirectUris[1] as string }
    expect(await silently({ at: [files], change: other })).toBe('code')
    const moved = { redirect_uri: 'https://office.example.org/callback' }
    const port = { redirect_uri: 'https://office.example.net:8443/callback' }
    const redirectUris = [...office.redirectUris, moved.redirect_uri, port.redirect_uri]
    await host.host().auth.clients.update({ ...office, redirectUris })
    for (const change of [moved, port])
      expect(await silently({ at: [files], change })).toBe('consent_required')
    await allow({ at: [files], change: moved })
    for (const change of [moved, other, {}])
      expect(await silently({ at: [files], change })).toBe('code')
    expect(await silently({ at: [files], change: port })).toBe('consent_required')
    // A host that was shown brings no pair along.
    expect(await silently({ at: [payments], change: moved })).toBe('consent_required')
  })

  it('lets no token be refreshed whose pair is gone, whatever else is allowed', async () => {
    const { host, consents, allow, exchange, refresh } = await startOffice(where)
    const { json } = await exchange((await allow({ at: [files] }))['code'])
    const next = await refresh(json['refresh_token'])
    expect([next.status, audienceOf(next.json['access_token'])]).toEqual([200, files])
    await consents.revoke('u-alice', office.id)
    await allow({ at: [payments] })
    await allow({})
    const refused = await refresh(next.json['refresh_token'])
    expect([refused.status, refused.json['error']]).toEqual([400, 'invalid_grant'])
    await allow({ at: [files] })
    // Its session has ended: no later consent brings it back.
    expect((await refresh(next.json['refresh_token'])).status).toBe(400)
    expect(host.host().events).toContainEqual(
      expect.objectContaining({ type: 'session.ended', reason: 'consent-revoked' }),
    )
  })

  it('is gone whole once it is taken back, codes of before included', async () => {
    const { host, allow, exchange, refresh, silently } = await startOffice(where)
    const { json } = await exchange((await allow({ at: [files] }))['code'])
    await allow({ at: [payments] })
    const { code } = await allow({})
    const { authToken } = await logIn(host.host())
    const taken = await fetch(`${host.base}/auth/consents/office`, {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${authToken}` },
    })
    expect(taken.status).toBe(200)
    for (const at of [[files], [payments], []])
      expect(await silently({ at })).toBe('consent_required')
    expect((await refresh(json['refresh_token'])).json['error']).toBe('invalid_grant')
    expect((await exchange(code)).json['error']).toBe('invalid_grant')
  })

  it('is listed by what it allows where, and nothing else of it', async () => {
    const { host, allow, row } = await startOffice(where)
    await allow({ scope: 'openid messages:read', at: [payments, files] })
    await allow({ scope: 'messages:write', at: [files] })
    await allow({ scope: 'openid' })
    const list = async () => {
      const { authToken } = await logIn(host.host())
      const headers = { Authorization: `Bearer ${authToken}` }
      const answer = await fetch(`${host.base}/auth/consents`, { headers })
      const { data } = (await answer.json()) as { data: { consents: ListedConsent[] } }
      const [{ scopes, resources } = { scopes: [], resources: [] }] = data.consents
      return { scopes, resources: resources.map((one) => [one.resource, [...one.scopes].sort()]) }
    }
    const atPayments = [payments, ['messages:read', 'openid']]
    const atFiles = [files, ['messages:read', 'messages:write', 'openid']]
    expect(await list()).toEqual({ scopes: ['openid'], resources: [atFiles, atPayments] })
    expect((await row())?.scopes.join(' ')).not.toMatch(/files|payments|example/)
    await host.host().auth.clients.update({ ...office, resources: [own, payments] })
    expect(await list()).toEqual({ scopes: ['openid'], resources: [atPayments] })
  })
})

interface ListedConsent {
  readonly scopes: readonly string[]
  readonly resources: readonly { readonly resource: string; readonly scopes: readonly string[] }[]
}

/** An app on the device, which is answered there and at two schemes of its own. */
const bridge: OAuthClient = {
  ...office,
  id: 'bridge',
  type: 'native',
  redirectUris: ['http://127.0.0.1/cb', 'http://localhost/cb', 'com.example.a:/cb', 'org.b.c:/cb'],
}

describe('A consent to an app on the device', () => {
  it('is for every port of it, and not for a scheme of another name', async () => {
    const { allow, open } = await startOffice('memory', { clients: [office, bridge] })
    const at = (redirect_uri: string) => ({ client: bridge, change: { redirect_uri } })
    await allow(at('http://127.0.0.1:4000/cb'))
    // Who is signed in is asked whether it is the app that she has started, and no more.
    for (const uri of ['http://127.0.0.1:4711/cb', 'http://localhost:80/cb'])
      expect((await open(at(uri))).heading).toBe('Continue?')
    for (const uri of ['com.example.a:/cb', 'org.b.c:/cb']) {
      expect((await open(at(uri))).heading).toBe('Allow access?')
      await allow(at(uri))
      expect((await open(at(uri))).heading).toBe('Continue?')
    }
  })
})

describe('A request that names neither scope nor API', () => {
  it.each<[string, Partial<OAuthClient>]>([
    ['scopes', { defaultScopes: ['messages:write'] }],
    ['APIs', { resources: [payments, files] }],
  ])('is asked about anew where the app has got other %s since', async (_what, change) => {
    const client = { ...office, defaultScopes: ['messages:read'], resources: [files, payments] }
    const { host, open, visitor, row } = await startOffice('memory', { clients: [client] })
    const page = await open({ scope: '' })
    await host.host().auth.clients.update({ ...client, ...change })
    const answer = await visitor.post(page, { choice: 'allow' })
    expect([answer.status, answer.heading]).toEqual([403, 'Allow access?'])
    expect(await row()).toBeNull()
    expect((await visitor.fill(answer, { choice: 'allow' })).heading).toBe('One moment')
    expect(await row()).not.toBeNull()
  })
})

describe('A scope that looks like a word of a consent', () => {
  const words = async (row: Awaited<ReturnType<typeof startOffice>>['row']) =>
    (await row())?.scopes.filter((word) => word.startsWith('mar-')) ?? []

  it('is one that there is not, whoever has allowed what it says', async () => {
    const { allow, silently, exchange, row } = await startOffice()
    await allow({ at: [files] })
    const [pair = '', destination = ''] = await words(row)
    for (const scope of [pair, destination, 'mar-', 'mar-at:x:messages:read'])
      expect(await silently({ scope })).toBe('invalid_scope')
    // Beside one that there is it is left out, as any other.
    const { code } = await allow({ scope: `messages:write ${pair}` })
    const { json } = await exchange(code)
    expect(json['scope']).toBe('messages:write')
    expect(await silently({ scope: 'messages:write', at: [files] })).toBe('consent_required')
  })

  it('is none that a client may be registered for while the server runs', async () => {
    const { host, row, allow } = await startOffice()
    await allow({ at: [files] })
    const scopes = [...office.scopes, ...(await words(row))]
    await expect(host.host().auth.clients.update({ ...office, scopes })).rejects.toThrow(
      /scopes\[3\].*begins with mar-/,
    )
  })
})

describe.each(keptIn)('A consent in %s that is as long as one may be', (where) => {
  it('takes nothing more, says so to the app, and goes on to allow what it has', async () => {
    const { consents, allow, open, silently, row, said } = await startOffice(where)
    await allow({ at: [files] })
    const now = new Date()
    const full = { userId: 'u-alice', clientId: office.id, grantedAt: now, updatedAt: now }
    const scopes = Array.from({ length: 167 }, (_none, at) => `${at}`.padEnd(90, 'x'))
    await consents.grant({ ...full, scopes })
    const before = await row()
    const refused = said(await open({ at: [payments] }))
    expect(refused['error']).toBe('invalid_scope')
    expect(refused['error_description']).toContain('as many scopes and APIs as there may be')
    expect(await row()).toEqual(before)
    expect(await silently({ at: [files] })).toBe('code')
    await allow({ at: [files], change: { prompt: 'consent' } })
    await consents.revoke('u-alice', office.id)
    await allow({ at: [payments] })
  })
})
