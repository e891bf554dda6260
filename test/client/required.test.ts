// What a user must do before a session opens anything, as a client does it.
import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../src/client/token-store.js'
import {
  type AccountHost,
  type AccountSettings,
  newPassword,
  startAccounts,
} from '../accounts/account-host.js'
import { password } from '../support/host.js'
import { codeOf } from '../support/two-factor.js'
import { alice, clientOf, signedIn, tap } from './recorded.js'

const url = (id: string) => `https://example.com/${id}`
const terms = { id: 'terms', version: '2', name: 'Terms', url: url('terms') }
const privacy = { id: 'privacy', version: '1', name: 'Privacy', url: url('privacy') }
const everything = ['change-password', 'verify-address', 'enrol', 'accept']

/** A host that requires of alice what the settings say, and a route of its own. */
async function start(settings: AccountSettings = {}): Promise<AccountHost> {
  const host: AccountHost = await startAccounts({
    before: (app, auth) =>
      void app.get('/api/v1/rooms', auth.requireAuth(), (_request, response) => {
        response.json({ rooms: [] })
      }),
    ...settings,
    options: {
      acceptance: {
        documents: [terms, privacy],
        current: ({ id }) => host.users.rows.get(id)?.accepted ?? [],
      },
      ...settings.options,
    },
  })
  return host
}

const acceptAll = async (host: AccountHost) => {
  for (const { id, version } of [terms, privacy])
    await host.users.accepted('u-alice', { id, version, at: host.clock() })
}

async function startWithEverything(): Promise<AccountHost> {
  const host = await start({
    accounts: { provenAddress: true },
    options: { secondFactor: () => 'required' },
  })
  host.users.change('u-alice', { mustChangePassword: true, emailVerified: false })
  return host
}

describe('a sign-in that requires something first', () => {
  it('says what, in order, and each that is done leaves the others', async () => {
    const host = await startWithEverything()
    const client = clientOf(host)
    const result = await client.signIn(alice)
    expect(result).toMatchObject({ status: 'action-required', required: everything })
    expect(client.state).toMatchObject({
      status: 'signed-in',
      enrolmentRequired: true,
      required: everything,
    })
    await expect(client.me()).rejects.toMatchObject({
      code: 'action-required',
      status: 403,
      details: { required: everything },
    })

    await client.password.change(newPassword, { password })
    expect(client.state).toMatchObject({ required: ['verify-address', 'enrol', 'accept'] })

    expect(await client.email.get()).toMatchObject({ verified: false })
    const { requestId } = await client.email.verify()
    await client.email.confirm(requestId, (await host.mailed('verify-address'))[0]?.code ?? '')
    expect(client.state).toMatchObject({ enrolmentRequired: true, required: ['enrol', 'accept'] })

    await expect(client.me()).rejects.toMatchObject({ code: 'second-factor-enrolment-required' })
    // That refusal names the enrolment alone; what is known to come after it stays.
    expect(client.state).toMatchObject({ enrolmentRequired: true, required: ['enrol', 'accept'] })
    const { secret } = await client.totp.begin(newPassword)
    expect(await client.totp.confirm(codeOf(host, secret))).toHaveLength(10)
    expect(client.state).toMatchObject({ enrolmentRequired: false, required: ['accept'] })

    const [first, ...others] = await client.acceptance.list()
    expect([first, ...others]).toEqual([terms, privacy])
    expect(await client.acceptance.accept([terms])).toEqual([privacy])
    expect(client.state).toMatchObject({ required: ['accept'] })
    expect(await client.acceptance.accept(others)).toEqual([])
    expect(client.state).toMatchObject({ status: 'signed-in', required: [] })
    expect((await client.me()).username).toBe('alice')
    expect((await client.fetch('/rooms')).status).toBe(200)
  })

  it('keeps its name of before if the enrolment is first, with what comes after', async () => {
    const host = await start({ options: { secondFactor: () => 'required' } })
    const client = clientOf(host)
    const required = ['enrol', 'accept']
    expect(await client.signIn(alice)).toMatchObject({ status: 'enrolment-needed', required })
    expect(client.state).toMatchObject({ enrolmentRequired: true, required })
  })

  it('requires nothing of a user who has done all of it', async () => {
    const host = await start()
    await acceptAll(host)
    const client = clientOf(host)
    expect(await client.signIn(alice)).toMatchObject({ status: 'signed-in', required: [] })
    expect(client.state).toMatchObject({ enrolmentRequired: false, required: [] })
  })

  it('at a server of before, or one that requires what nobody knows yet, says it too', async () => {
    const host = await start()
    const wire = tap(host)
    const client = clientOf(host, { fetch: wire.fetch })
    const answering = (members: object) =>
      wire.next('/login', async (send) => {
        const { status, data } = (await (await send()).json()) as { status: string; data: object }
        return Response.json({ status, data: { ...data, ...members } })
      })
    answering({ required: undefined, enrolmentRequired: true })
    expect(await client.signIn(alice)).toMatchObject({
      status: 'enrolment-needed',
      required: ['enrol'],
    })
    answering({ required: ['sign-a-form', 'accept', 7] })
    expect(await client.signIn(alice)).toMatchObject({
      status: 'action-required',
      required: ['sign-a-form', 'accept'],
    })
    answering({ required: 'accept' })
    expect(await client.signIn(alice)).toMatchObject({ status: 'signed-in', required: [] })
  })
})

describe('what is required', () => {
  it('is kept with the session, and a session of before requires nothing', async () => {
    const host = await start()
    const storage = memoryStore()
    await clientOf(host, { storage }).signIn(alice)
    const reloaded = clientOf(host, { storage })
    await expect.poll(() => reloaded.state).toMatchObject({ required: ['accept'] })
    const stored = JSON.parse((await storage.get()) ?? '{}')
    expect(stored).toMatchObject({ userId: 'u-alice', required: ['accept'] })

    const before = { ...stored, required: undefined, enrolmentRequired: true }
    await storage.set(JSON.stringify(before))
    const old = clientOf(host, { storage })
    await expect.poll(() => old.state).toMatchObject({ enrolmentRequired: true, required: [] })
    await expect(old.me()).rejects.toMatchObject({ code: 'action-required' })
    expect(old.state).toMatchObject({ enrolmentRequired: false, required: ['accept'] })
  })

  it('of a session of before, the enrolment, is done as well', async () => {
    const host = await startAccounts({ options: { secondFactor: () => 'required' } })
    const storage = memoryStore()
    await clientOf(host, { storage }).signIn(alice)
    const stored = JSON.parse((await storage.get()) ?? '{}')
    await storage.set(JSON.stringify({ ...stored, required: undefined }))
    const client = clientOf(host, { storage })
    const { secret } = await client.totp.begin(password)
    expect(client.state).toMatchObject({ enrolmentRequired: true, required: [] })
    await client.totp.confirm(codeOf(host, secret))
    expect(client.state).toMatchObject({ enrolmentRequired: false, required: [] })
  })

  it.each(['call', 'fetch'])('is noticed by a %s, whose answer is handed on', async (way) => {
    const host = await start()
    await acceptAll(host)
    const client = await signedIn(host)
    expect(client.state).toMatchObject({ required: [] })
    host.users.change('u-alice', { mustChangePassword: true, accepted: [] })
    host.clock.advance(6)
    const required = ['change-password', 'accept']
    if (way === 'call') await expect(client.me()).rejects.toMatchObject({ details: { required } })
    else {
      const answer = await client.fetch('/rooms')
      expect(await answer.json()).toMatchObject({ error: 'action-required', details: { required } })
    }
    expect(client.state).toMatchObject({ status: 'signed-in', required })
  })

  it('is the enrolment alone once a refusal says so, and nothing if one says nothing', async () => {
    const host = await start()
    await acceptAll(host)
    const wire = tap(host)
    const client = await signedIn(host, { fetch: wire.fetch })
    const refuse = async (error: string, details: unknown) => {
      wire.next('/me', async () => Response.json({ error, details }, { status: 403 }))
      await expect(client.me()).rejects.toMatchObject({ code: error })
    }
    await refuse('action-required', { required: ['verify-address', 'accept'] })
    for (const required of [undefined, 'accept', [], [7]]) {
      await refuse('action-required', { required })
      expect(client.state).toMatchObject({ required: ['verify-address', 'accept'] })
    }
    await refuse('second-factor-enrolment-required', undefined)
    expect(client.state).toMatchObject({ enrolmentRequired: true, required: ['enrol'] })
  })

  it('is no more once the user has done it elsewhere: by a list, and by the user', async () => {
    const host = await start()
    const [client, other] = [clientOf(host), clientOf(host)]
    await client.signIn(alice)
    await other.signIn(alice)
    expect(other.state).toMatchObject({ required: ['accept'] })
    await client.acceptance.accept([terms, privacy])
    expect(await other.acceptance.list()).toEqual([])
    expect(other.state).toMatchObject({ required: [] })

    host.users.change('u-alice', { accepted: [] })
    await other.signIn(alice)
    expect(other.state).toMatchObject({ required: ['accept'] })
    await acceptAll(host)
    expect((await other.me()).username).toBe('alice')
    await expect.poll(() => other.state).toMatchObject({ required: [] })
  })

  it('is not done by a version that nobody has published', async () => {
    const host = await start()
    const client = clientOf(host)
    await client.signIn(alice)
    const former = [{ id: 'terms', version: '1' }]
    await expect(client.acceptance.accept(former)).rejects.toMatchObject({ code: 'superseded' })
    expect(client.state).toMatchObject({ required: ['accept'] })
  })
})
