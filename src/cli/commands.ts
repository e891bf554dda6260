import { existsSync, readFileSync } from 'node:fs'
import type { Admin } from '../admin/admin.js'
import { levels } from '../audit/audit.js'
import { examine, reportOf } from '../doctor/doctor.js'
import { AuthError } from '../errors.js'
import type { HostAction } from '../http/input.js'
import type { OAuthClient } from '../stores/client-contract.js'
import { CalledWrongly, type Command, type Given, type Opened, type Outcome } from './command.js'
import { directory } from './directory-commands.js'
import { init } from './init.js'

const user = { takes: '<id>', isRequired: true }
const text = { takes: '<text>' }
const flag = { takes: null }

/** Makes a command that works on the parts that the file names. */
const withAdmin =
  (work: (opened: Opened, given: Given) => Promise<Outcome>): Command['run'] =>
  async (given, open) =>
    work(await open(), given)

const nothing = (said: string): Outcome => ({ data: { done: false }, said, exitCode: 1 })

/** Changes what the operand names, or finds nothing to change. */
const changing = (
  done: string,
  none: string,
  change: (admin: Admin, given: Given, how: HostAction) => Promise<boolean>,
) =>
  withAdmin(async ({ admin, by }, given) =>
    (await change(admin, given, { by }))
      ? { data: { done: true }, said: `${done}: ${given.operand}` }
      : nothing(none),
  )

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
    run: withAdmin(async ({ admin }, given) => {
      const userId = given.required('user')
      const found = await admin.sessions.list(userId)
      if (found.length === 0) return { data: [], said: noSession(userId), exitCode: 1 }
      // The sockets of a session are in the servers.
      const data = found.map(({ liveSockets: _none, ...session }) => session)
      const columns = ['id', 'kind', 'name', 'ip', 'createdAt', 'lastSeenAt', 'expiresAt']
      return { data, columns }
    }),
  },
  {
    name: 'sessions end',
    options: {
      user: { takes: '<id>' },
      session: { takes: '<id>' },
      'keep-tokens': flag,
      all: flag,
    },
    does: 'ends those of a user, with tokens and sockets, or one; --all: those of everybody',
    warns: (given) => {
      const one = given.text('session')
      if (given.isSet('all')) return 'This signs EVERYBODY out, and ends all named tokens.'
      return one === undefined
        ? `This signs ${given.text('user')} out everywhere.`
        : `This ends the session ${one}.`
    },
    run: withAdmin(async ({ admin, by }, given) => {
      const [userId, sessionId] = [given.text('user'), given.text('session')]
      if ((userId === undefined) !== given.isSet('all'))
        throw new CalledWrongly('say --user <id>, or --all for everybody')
      if (userId === undefined) {
        const deleted = await admin.sessions.deleteAll()
        if (deleted === 0) return nothing('no session was there, or the store cannot delete them')
        return { data: { deleted }, said: `deleted: ${deleted}` }
      }
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
    }),
  },
]

const tokens: readonly Command[] = [
  {
    name: 'tokens list',
    options: { user },
    does: "a user's named tokens",
    run: withAdmin(async ({ admin }, given) => {
      const data = await admin.namedTokens.list(given.required('user'))
      return { data, columns: ['id', 'name', 'scope', 'ip', 'lastSeenAt', 'expiresAt'] }
    }),
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
    run: withAdmin(async ({ admin, by }, given) => {
      const userId = given.required('user')
      const { hadFactor } = await admin.secondFactors.reset(userId, { by })
      const passkeys = given.isSet('passkeys') ? await admin.passkeys.reset(userId, { by }) : null
      const had = hadFactor ? 'TOTP is deleted' : 'there was no TOTP'
      const said = passkeys === null ? had : `${had}; passkeys deleted: ${passkeys}`
      return { data: { hadFactor, passkeys }, said }
    }),
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
    run: withAdmin(async ({ admin, by }, given) => {
      const [value, userId, ip] = [given.operand, given.text('user'), given.text('ip')]
      const kind = given.text('kind') ?? (value.includes('@') ? 'email' : 'username')
      const where = { ...(userId !== undefined && { userId }), ...(ip !== undefined && { ip }) }
      await admin.unlockLogin({ kind: kind as 'user', value }, { by, ...where })
      const ofNetwork =
        ip === undefined ? '; failures in one network still count there: add --ip' : ''
      return { data: { unlocked: true }, said: `unlocked: ${kind} ${value}${ofNetwork}` }
    }),
  },
]

const accounts: readonly Command[] = (['disable', 'delete'] as const).map((what) => ({
  name: `accounts ${what}`,
  options: { user: { takes: '<id>' }, file: { takes: '<path>' } },
  does: `${what}s a user, or those of a file with one id a line; their sessions end`,
  warns: (given) => `This ${what}s ${idsOf(given).length} of your users.`,
  async run(given, open) {
    const ids = idsOf(given)
    const { admin, by } = await open()
    const failed: { readonly userId: string; readonly error: string }[] = []
    for (const userId of ids)
      await admin.accounts[what](userId, { by }).catch((error: unknown) => {
        if (!(error instanceof AuthError) || error.code === 'configuration') throw error
        failed.push({ userId, error: error.code })
      })
    const done = ids.length - failed.length
    const left = failed.map(({ userId, error }) => `\nfailed: ${userId} (${error})`)
    const said = `${what}d: ${done} of ${ids.length}${left.join('')}`
    return { data: { done, failed }, said, exitCode: failed.length === 0 ? 0 : 1 }
  },
}))

const passwords: Command = {
  name: 'password temporary',
  options: { user },
  does: 'sets a password that a user must change within 72 hours, and prints it this once',
  warns: (given) => `This signs ${given.required('user')} out, whose password stops working.`,
  run: withAdmin(async ({ admin, by }, given) => {
    const made = await admin.accounts.setTemporaryPassword(given.required('user'), { by })
    if (made === null) return nothing('there is no such user (ids, not names)')
    const { password, until } = made
    return { data: made, said: `password, this once: ${password}\nuntil: ${until.toISOString()}` }
  }),
}

function idsOf(given: Given): readonly string[] {
  const [userId, file] = [given.text('user'), given.text('file')]
  if ((userId === undefined) === (file === undefined) || (file && !existsSync(file)))
    throw new CalledWrongly('say --user <id>, or --file <path> of a file that is there')
  const lines = file === undefined ? [userId ?? ''] : readFileSync(file, 'utf8').split('\n')
  const ids = [...new Set(lines.map((line) => line.trim()))].filter((id) => id !== '')
  if (ids.length === 0) throw new CalledWrongly('there is no id')
  return ids
}

const invitations: readonly Command[] = [
  {
    name: 'invitations list',
    does: 'those that can still be used',
    run: withAdmin(async ({ admin }) => ({
      data: await admin.accounts.invitations(),
      columns: ['id', 'email', 'note', 'usesLeft', 'createdAt', 'expiresAt'],
    })),
  },
  {
    name: 'invitations revoke',
    operand: '<id>',
    does: 'revokes one; who waits for a code with it is refused, too',
    warns: (given) => `Nobody will be able to register with the invitation ${given.operand}.`,
    run: changing('revoked', 'there is no such invitation, or it is used up', (admin, given, how) =>
      admin.accounts.revokeInvitation(given.operand, how),
    ),
  },
]

const clients: readonly Command[] = [
  {
    name: 'clients list',
    does: 'the registered apps',
    run: withAdmin(async ({ admin }) => ({
      // Nobody has checked the name of a client that registered itself.
      data: (await admin.clients.list()).map((one) =>
        one.selfRegistered === true ? { ...one, name: `calls itself "${one.name}"` } : one,
      ),
      columns: ['id', 'name', 'type', 'pkce', 'disabled', 'secrets', 'scopes', 'redirectUris'],
    })),
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
    run: withAdmin(async ({ admin, by }, given) => {
      const { secret } = await admin.clients.rotateSecret(given.operand, { by })
      return { data: { secret }, said: `secret, this once: ${secret}` }
    }),
  },
  {
    name: 'clients remove-secret',
    operand: '<id>',
    options: { newer: flag },
    does: 'removes the older one of two secrets, such as a leaked one; with --newer the newer one',
    warns: (given) => `A secret of ${given.operand} stops working.`,
    run: changing('removed a secret of', 'the app has not two secrets', (admin, given, how) =>
      admin.clients.removeSecret(given.operand, given.isSet('newer') ? 'newer' : 'older', how),
    ),
  },
  {
    name: 'clients disable',
    operand: '<id>',
    does: 'disables an app, and ends all its sessions',
    warns: (given) => `This ends all sessions of the app ${given.operand}.`,
    run: changing('disabled', 'there is no such app, or it was disabled', (admin, given, how) =>
      admin.clients.disable(given.operand, how),
    ),
  },
  {
    name: 'clients enable',
    operand: '<id>',
    does: 'enables it again',
    run: changing('enabled', 'there is no such app, or it was not disabled', (admin, given, how) =>
      admin.clients.enable(given.operand, how),
    ),
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

const sealedColumns = ['what', 'encryptionKey', 'mark', 'count']
const keyColumns = ['kid', 'signs', 'generation', 'state', 'activatesAt']
const keys: readonly Command[] = [
  {
    name: 'keys list',
    does: 'the signing keys',
    run: withAdmin(async ({ admin }) => ({ data: await admin.keys.list(), columns: keyColumns })),
  },
  {
    name: 'keys rotate',
    options: { 'if-older-than': { takes: '<seconds>' } },
    does: 'makes the next key, which signs after ten minutes, and deletes those that are over',
    run: withAdmin(async ({ admin, by }, given) => {
      const seconds = given.text('if-older-than')
      const how = seconds === undefined ? { by } : { by, ifOlderThan: Number(seconds) }
      return { data: await admin.keys.rotate(how), columns: keyColumns }
    }),
  },
  {
    name: 'keys retire',
    operand: '<kid>',
    does: 'removes a leaked key; its tokens are refused within 150 seconds',
    warns: () => 'All tokens of this key will be refused.',
    run: withAdmin(async ({ admin, by }, given) => ({
      data: await admin.keys.retire(given.operand, { by }),
      columns: keyColumns,
    })),
  },
  {
    name: 'sealed',
    does: 'how much is sealed with which encryption key',
    run: withAdmin(async ({ admin }) => ({ data: await admin.sealed(), columns: sealedColumns })),
  },
  {
    name: 'reseal',
    does: 'seals all of it anew with the first encryption key, and shows how much is left',
    warns: () => 'A server that does not know the first encryption key can then open nothing.',
    run: withAdmin(async ({ admin }) => {
      const data = await admin.reseal()
      const isLeft = data.some(({ encryptionKey, count }) => encryptionKey !== 1 && count)
      const unknown = data.filter(({ count }) => count === null).map(({ what }) => what)
      const note =
        unknown.length === 0 ? '' : `not looked at, as the file names none: ${unknown.join(', ')}`
      return { data, columns: sealedColumns, note, exitCode: isLeft ? 1 : 0 }
    }),
  },
]

const audit: Command = {
  name: 'audit',
  options: {
    user: { takes: '<id>' },
    type: { takes: '<event>' },
    since: { takes: '2h|30m|7d|<date>' },
    ip: { takes: '<address or network>' },
    limit: { takes: '<number>' },
    before: { takes: '<id>' },
  },
  does: 'what has happened, the newest first: in an account, of one type, from a network',
  async run(given, open) {
    const [type, since, limit] = [given.text('type'), given.text('since'), given.text('limit')]
    if (type !== undefined && !Object.hasOwn(levels, type))
      throw new CalledWrongly(`there is no event ${type}: see docs/events.md`)
    const query = {
      userId: given.text('user') ?? null,
      type,
      ip: given.text('ip'),
      since: since === undefined ? undefined : momentOf(since),
      limit: limit === undefined ? undefined : Number(limit),
      before: given.text('before'),
    }
    const { events, next } = await (await open()).admin.audit(query)
    const columns = ['at', 'type', 'userId', 'ip', 'sessionId', 'clientId', 'detail', 'id']
    const note = next === null ? '' : `there may be more: --before ${next}`
    return { data: events, columns, note }
  },
}

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

function momentOf(text: string): Date {
  const [, count = '', unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  const moment = new Date(unit === '' ? text : Date.now() - Number(count) * (units[unit] ?? 0))
  if (!Number.isNaN(moment.getTime())) return moment
  throw new CalledWrongly(`--since ${text} is neither like 2h nor a date`)
}

/** Looks at a server. */
const doctor: Command = {
  name: 'doctor',
  operand: '<baseUrl>',
  options: {
    origin: { takes: '<origin of a page of yours>' },
    client: { takes: '<id of an app>' },
    guarded: { takes: '<path behind requireAuth>' },
    socket: { takes: '<path>' },
  },
  does: 'looks at a running server from outside, such as https://chat.example.com/api/v1',
  async run({ operand, text }) {
    if (!/^https?:/.test(operand) || !URL.canParse(operand))
      throw new CalledWrongly(`${operand} is no address such as https://chat.example.com/api/v1`)
    const findings = await examine({
      baseUrl: new URL(operand),
      origin: text('origin') ?? null,
      clientId: text('client') ?? null,
      guardedPath: text('guarded') ?? null,
      socketPath: text('socket') ?? null,
    })
    const exitCode = findings.some(({ outcome }) => outcome === 'fault') ? 1 : 0
    return { data: findings, said: reportOf(findings).trimEnd(), exitCode }
  },
}

/** All commands. */
export const commands: readonly Command[] = [
  doctor,
  init,
  migrate,
  ...sessions,
  ...tokens,
  ...factors,
  passwords,
  ...accounts,
  ...invitations,
  ...clients,
  ...keys,
  ...directory,
  audit,
]
