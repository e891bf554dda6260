// A host of Rocket.Chat's clients.
import { createHash } from 'node:crypto'
import { bcryptHasher } from '../../src/index.js'
import { type RocketChatOptions, rocketChat } from '../../src/rocketchat/rocketchat.js'
import { type HostSettings, startHost, type TestHost, workerUrl } from './host.js'

/** What this host tells of a user besides the published fields, as Rocket.Chat does. */
function describeAsRocketChat(user: object): object {
  const { email } = user as { email?: string }
  return {
    active: true,
    roles: ['user'],
    emails: email === undefined ? [] : [{ address: email, verified: true }],
    settings: { preferences: {} },
  }
}

/** Starts a host with the front before the router. */
export function startRocketHost(
  options: RocketChatOptions = {},
  settings: HostSettings = {},
): Promise<TestHost> {
  return startHost({
    ...settings,
    options: { describeUser: describeAsRocketChat, ...settings.options },
    before(app, auth) {
      settings.before?.(app, auth)
      app.use(settings.prefix ?? '/api/v1', rocketChat(auth, options))
    },
  })
}

/** Hashes as Meteor does, at a cost for tests. One pool serves a whole file. */
export const meteorHasher = {
  ...bcryptHasher({
    preDigest: 'sha256-hex',
    cost: 4,
    threads: 1,
    dangerouslyAllowLowCost: true,
    workerUrl,
  }),
  concurrency: 1000,
}

/** What Meteor's clients send for a password. */
export function digestOf(password: string): { digest: string; algorithm: 'sha-256' } {
  return { digest: createHash('sha256').update(password).digest('hex'), algorithm: 'sha-256' }
}
