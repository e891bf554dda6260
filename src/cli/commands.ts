import { readFileSync } from 'node:fs'
import type { OAuthClient } from '../stores/client-contract.js'
import { CalledWrongly, type Command, type Given, type Outcome } from './command.js'
import { init } from './init.js'

const user = { takes: '<id>', isRequired: true }
const text = { takes: '<text>' }
const flag = { takes: null }

const nothing = (said: string): Outcome => ({ data: { done: false }, said, exitCode: 1 })

const migrate: Command = {
  name: 'migrate',
  options: { print: flag, check: flag },
  does: 'brings the tables up to date; --print shows the statements, --check what is missing',
  async run(given, open) {
    const { migrations } = await open()
    if (migrations === undefined)
      throw new CalledWrongly('the file has no migrations: add sqlMigrations(kysely)')
    if (given.isSet('print')) {
      const sql = migrations.print()
      return { data: { sql }, said: sql.trimEnd() }
    }
    if (given.isSet('check')) {
      const pending = await migrations.pending()
      const said = pending.length === 0 ? 'nothing is missing' : `missing: ${pending.join(', ')}`
      return { data: { pending }, said, exitCode: pending.length === 0 ? 0 : 1 }
    }
    const data = await migrations.migrate()
    return { data, said: `the tables were of version ${data.from}, and are of ${data.to}` }
  },
}

// The command knows no users: at night, a name in its place must not read as "signed out".
const noSession = (userId: string) => `no live session of the id "${userId}" (ids, not names)`

const sessions: readonly Command[] = [
  {
    name: 'sessions list',
    options: { user },
    does: "a user's live sessions, the oldest first",
    async run(given, open) {
      const { admin } = await open()
      const userId = given.required('user')
      const found = await admin.sessions.list(userId)
      if (found.length === 0) return { data: [], said: noSession(userId), exitCode: 1 }
      // The sockets of a session are in the servers.
      const data = found.map(({ liveSockets: _none, ...session }) => session)
      const columns = ['id', 'kind', 'name', 'ip', 'createdAt', 'lastSeenAt', 'expiresAt']
      return { data, columns }
    },
  },
  {
    name: 'sessions end',
    options: { user, session: { takes: '<id>' }, 'keep-tokens': flag },
    does: 'ends them all, with tokens and sockets, or one',
    warns: (given) => {
      const one = given.text('session')
      return one === undefined
        ? `This signs ${given.required('user')} out everywhere.`
        : `This ends the session ${one}.`
    },
    async run(given, open) {
      const { admin, by } = await open()
      const [userId, sessionId] = [given.required('user'), given.text('session')]
      if (sessionId === undefined) {
        const keepNamedTokens = given.isSet('keep-tokens')
        const ended = await admin.sessions.revokeAllForUser(userId, { by, keepNamedTokens })
        return ended === 0
          ? nothing(noSession(userId))
          : { data: { ended }, said: `ended: ${ended}` }
      }
      const isTheirs = (await admin.sessions.list(userId)).some(({ id }) => id === sessionId)
      if (!isTheirs || !(await admin.sessions.revoke(sessionId, { by })))
        return nothing('the user has no such live session')
      return { data: { ended: 1 }, said: 'ended: 1' }
    },
  },
]

const tokens: readonly Command[] = [
  {
    name: 'tokens list',
    options: { user },
    does: "a user's named tokens",
    async run(given, open) {
      const { admin } = await open()
      const data = await admin.namedTokens.list(given.required('user'))
      return { data, columns: ['id', 'name', 'scope', 'ip', 'lastSeenAt', 'expiresAt'] }
    },
  },
  {
    name: 'tokens end',
    options: { user, token: { takes: '<id>' }, all: flag },
    does: 'ends one named token of a user, or all',
    warns: (given) => `This ends named tokens of ${given.required('user')}.`,
    async run(given, open) {
      const [userId, token] = [given.required('user'), given.text('token')]
      if ((token === undefined) !== given.isSet('all'))
        throw new CalledWrongly('say --token <id> or --all')
      const { admin, by } = await open()
      const ids = token === undefined ? await admin.namedTokens.list(userId) : [{ id: token }]
      let ended = 0
      for (const { id } of ids) if (await admin.namedTokens.revoke(userId, id, { by })) ended += 1
      if (token !== undefined && ended === 0) return nothing('the user has no such token')
      return { data: { ended }, said: `ended: ${ended}` }
    },
  },
]

const factors: readonly Command[] = [
  {
    name: 'factor reset',
    options: { user, passkeys: flag },
    does: "deletes a user's TOTP and recovery codes, with --passkeys the passkeys, too",
    warns: (given) =>
      `This takes the second factor of ${given.required('user')} away, and ends all sessions.`,
    async run(given, open) {
      const { admin, by } = await open()
      const userId = given.required('user')
      const { hadFactor } = await admin.secondFactors.reset(userId, { by })
      const passkeys = given.isSet('passkeys') ? await admin.passkeys.reset(userId, { by }) : null
      const had = hadFactor ? 'TOTP is deleted' : 'there was no TOTP'
      const said = passkeys === null ? had : `${had}; passkeys deleted: ${passkeys}`
      return { data: { hadFactor, passkeys }, said }
    },
  },
  {
    name: 'unlock',
    operand: '<name>',
    options: {
      kind: { takes: 'email|username|user' },
      user: { takes: '<id>' },
      ip: { takes: '<address>' },
    },
    does: 'resets the limits of a name as it is typed, of its user, and in the network of --ip',
    async run(given, open) {
      const { admin, by } = await open()
      const [value, userId, ip] = [given.operand, given.text('user'), given.text('ip')]
      const kind = given.text('kind') ?? (value.includes('@') ? 'email' : 'username')
      await admin.unlockLogin(
        { kind: kind as 'user', value },
        {
          by,
          ...(userId !== undefined && { userId }),
          ...(ip !== undefined && { ip }),
        },
      )
      const ofNetwork =
        ip === undefined ? '; failures in one network still count there: add --ip' : ''
      return { data: { unlocked: true }, said: `unlocked: ${kind} ${value}${ofNetwork}` }
    },
  },
]

const clients: readonly Command[] = [
  {
    name: 'clients list',
    does: 'the registered apps',
    async run(_given, open) {
      const { admin } = await open()
      const data = await admin.clients.list()
      const columns = ['id', 'name', 'type', 'disabled', 'secrets', 'scopes', 'redirectUris']
      return { data, columns }
    },
  },
  {
    name: 'clients add',
    options: {
      file: { takes: '<path>' },
      id: text,
      name: text,
      type: { takes: 'web|native|service' },
      'redirect-uri': { takes: '<uri>', isRepeated: true },
      scope: { takes: '<scope>', isRepeated: true },
      'first-party': flag,
      'no-secret': flag,
    },
    does: 'registers an app, from options or from a file of JSON; prints its secret this once',
    async run(given, open) {
      const client = clientOf(given)
      const { admin, by } = await open()
      const how = { by, ...(given.isSet('no-secret') && { withSecret: false }) }
      const { client: made, secret } = await admin.clients.create(client, how)
      const said = `registered: ${made.id}`
      if (secret === undefined) return { data: { client: made }, said }
      return { data: { client: made, secret }, said: `${said}\nsecret, this once: ${secret}` }
    },
  },
  {
    name: 'clients rotate-secret',
    operand: '<id>',
    does: 'makes one more secret, and prints it this once; the one before stays valid',
    warns: (given) => `Of two secrets of ${given.operand} the older one stops working.`,
    async run(given, open) {
      const { admin, by } = await open()
      const { secret } = await admin.clients.rotateSecret(given.operand, { by })
      return { data: { secret }, said: `secret, this once: ${secret}` }
    },
  },
  {
    name: 'clients disable',
    operand: '<id>',
    does: 'disables an app, and ends all its sessions',
    warns: (given) => `This ends all sessions of the app ${given.operand}.`,
    async run(given, open) {
      const { admin, by } = await open()
      const isChanged = await admin.clients.disable(given.operand, { by })
      if (!isChanged) return nothing('there is no such app, or it was disabled already')
      return { data: { done: true }, said: `disabled: ${given.operand}` }
    },
  },
  {
    name: 'clients enable',
    operand: '<id>',
    does: 'enables it again',
    async run(given, open) {
      const { admin, by } = await open()
      const isChanged = await admin.clients.enable(given.operand, { by })
      if (!isChanged) return nothing('there is no such app, or it was not disabled')
      return { data: { done: true }, said: `enabled: ${given.operand}` }
    },
  },
]

// The register checks what it gets.
function clientOf(given: Given): OAuthClient {
  const file = given.text('file')
  if (file !== undefined) {
    try {
      return JSON.parse(readFileSync(file, 'utf8'))
    } catch {
      throw new CalledWrongly(`${file} is not there, or is no JSON`)
    }
  }
  const { id, name } = { id: given.text('id'), name: given.text('name') }
  return {
    id: id ?? '',
    name: name ?? id ?? '',
    type: (given.text('type') ?? 'web') as 'web',
    redirectUris: given.texts('redirect-uri'),
    scopes: given.texts('scope'),
    ...(given.isSet('first-party') && { firstParty: true }),
  }
}

const keyColumns = ['kid', 'signs', 'generation', 'state', 'activatesAt']
const keys: readonly Command[] = [
  {
    name: 'keys list',
    does: 'the signing keys',
    async run(_given, open) {
      const { admin } = await open()
      return { data: await admin.keys.list(), columns: keyColumns }
    },
  },
  {
    name: 'keys rotate',
    options: { 'if-older-than': { takes: '<seconds>' } },
    does: 'makes the next key, which signs after ten minutes, and deletes those that are over',
    async run(given, open) {
      const { admin, by } = await open()
      const seconds = given.text('if-older-than')
      const how = seconds === undefined ? { by } : { by, ifOlderThan: Number(seconds) }
      return { data: await admin.keys.rotate(how), columns: keyColumns }
    },
  },
  {
    name: 'keys retire',
    operand: '<kid>',
    does: 'removes a leaked key; its tokens are refused within 150 seconds',
    warns: () => 'All tokens of this key will be refused.',
    async run(given, open) {
      const { admin, by } = await open()
      return { data: await admin.keys.retire(given.operand, { by }), columns: keyColumns }
    },
  },
  {
    name: 'sealed',
    does: 'how much is sealed with which encryption key',
    async run(_given, open) {
      const { admin } = await open()
      const data = await admin.sealed()
      return { data, columns: ['what', 'encryptionKey', 'mark', 'count'] }
    },
  },
]

const audit: Command = {
  name: 'audit',
  options: { user, limit: { takes: '<number>' }, before: { takes: '<id>' } },
  does: 'what has happened in an account, the newest first',
  async run(given, open) {
    const { admin } = await open()
    const [limit, before] = [given.text('limit'), given.text('before')]
    const data = await admin.audit(given.required('user'), {
      ...(limit !== undefined && { limit: Number(limit) }),
      ...(before !== undefined && { before }),
    })
    return { data, columns: ['at', 'type', 'ip', 'sessionId', 'clientId', 'detail', 'id'] }
  },
}

/** All commands but the doctor. */
export const commands: readonly Command[] = [
  init,
  migrate,
  ...sessions,
  ...tokens,
  ...factors,
  ...clients,
  ...keys,
  audit,
]
