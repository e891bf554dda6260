// Who of the host's people did something, as `by` of the call says, stands in its events.
import { describe, expect, it } from 'vitest'
import { AuthError, type AuthRouter } from '../../src/index.js'
import { memoryOAuthStores } from '../../src/stores/memory-oauth-stores.js'
import { logIn } from '../support/client.js'
import { startHost, type TestHost, totpSecret } from '../support/host.js'
import { oauthOptions, wiki } from '../support/mounted-oauth.js'
import { passkeyOptions } from '../support/mounted-passkeys.js'

const by = 'support:ada'

async function start() {
  const host = await startHost({
    options: {
      ...oauthOptions({ clients: memoryOAuthStores().clients }),
      ...passkeyOptions(),
    },
  })
  const { sessions, clients, namedTokens } = host.auth
  const { authToken } = await logIn(host)
  const session = (await sessions.list('u-alice'))[0]?.id ?? ''
  const { secretHashes: _none, ...app } = wiki
  await clients.create({ ...app, id: 'two' })
  await clients.rotateSecret('two')
  await clients.disable('two')
  await clients.create({ ...app, id: 'one' })
  const bot = await namedTokens.create({ userId: 'u-alice', name: 'bot' })
  host.events.length = 0
  return { host, authToken, session, app, bot: bot.id }
}
type Started = Awaited<ReturnType<typeof start>>
type Call = (auth: AuthRouter, started: Started, options: never) => Promise<unknown>

const calls: readonly (readonly [name: string, event: string, call: Call])[] = [
  [
    'sessions.revoke',
    'session.ended',
    (auth, { session }, how) => auth.sessions.revoke(session, how),
  ],
  [
    'sessions.revokeByToken',
    'session.ended',
    (auth, { authToken }, how) => auth.sessions.revokeByToken(authToken, how),
  ],
  [
    'sessions.revokeAllForUser',
    'session.ended',
    (auth, _, how) => auth.sessions.revokeAllForUser('u-alice', how),
  ],
  ['passwordChanged', 'session.ended', (auth, _, how) => auth.passwordChanged('u-alice', how)],
  [
    'unlockLogin',
    'login.unlocked',
    (auth, _, how) => auth.unlockLogin({ kind: 'username', value: 'alice' }, how),
  ],
  [
    'secondFactors.importTotp',
    'second-factor.imported',
    (auth, _, how) => auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret }, how),
  ],
  [
    'secondFactors.reset',
    'second-factor.reset',
    (auth, _, how) => auth.secondFactors.reset('u-alice', how),
  ],
  ['passkeys.reset', 'passkey.reset', (auth, _, how) => auth.passkeys.reset('u-alice', how)],
  [
    'namedTokens.create',
    'named-token.created',
    (auth, _, how) => auth.namedTokens.create({ userId: 'u-alice', name: 'CI' }, how),
  ],
  [
    'namedTokens.revoke',
    'session.ended',
    (auth, { bot }, how) => auth.namedTokens.revoke('u-alice', bot, how),
  ],
  [
    'clients.create',
    'client.changed',
    (auth, { app }, how) => auth.clients.create({ ...app, id: 'new' }, how),
  ],
  [
    'clients.update',
    'client.changed',
    (auth, { app }, how) => auth.clients.update({ ...app, id: 'one' }, how),
  ],
  [
    'clients.rotateSecret',
    'client.changed',
    (auth, _, how) => auth.clients.rotateSecret('one', how),
  ],
  [
    'clients.removeSecret',
    'client.changed',
    (auth, _, how) => auth.clients.removeSecret('two', 'older', how),
  ],
  ['clients.disable', 'client.changed', (auth, _, how) => auth.clients.disable('one', how)],
  ['clients.enable', 'client.changed', (auth, _, how) => auth.clients.enable('two', how)],
]

describe.each(calls)('auth.%s', (_name, event, call) => {
  const done = async (options: unknown): Promise<TestHost> => {
    const started = await start()
    await call(started.host.auth, started, options as never)
    return started.host
  }

  it('names in each event who did it', async () => {
    const { events, log } = await done({ by })
    expect(events.map(({ type }) => type)).toContain(event)
    for (const told of events) expect(told).toMatchObject({ actor: by, requestId: null })
    expect(log.at(-1)?.fields).toMatchObject({ actor: by })
  })

  it('names nobody where it is not said', async () => {
    for (const options of [undefined, {}, { by: undefined }])
      for (const told of (await done(options)).events) expect(told).not.toHaveProperty('actor')
  })

  it('refuses what could forge a line of the log, or is no name, and does nothing', async () => {
    const started = await start()
    for (const wrong of [
      '',
      ' ',
      'a\nlogin.succeeded',
      'x'.repeat(201),
      '\u202ea',
      '\ud800',
      7,
      null,
      {},
    ]) {
      const refused = call(started.host.auth, started, { by: wrong } as never)
      await expect(refused).rejects.toMatchObject({ code: 'invalid-request' })
      await expect(refused).rejects.toBeInstanceOf(AuthError)
    }
    for (const wrong of ['support', null, ['support']])
      await expect(call(started.host.auth, started, wrong as never)).rejects.toMatchObject({
        code: 'invalid-request',
      })
    expect(started.host.events).toEqual([])
  })
})
