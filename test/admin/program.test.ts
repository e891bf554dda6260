// The program, as an operator's shell runs it: over PostgreSQL, beside a server that is running.
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { joseSigner, keyRing } from '../../src/index.js'
import { newSession } from '../../src/stores/new-records.js'
import { postgresBus, sqlStores } from '../../src/stores/sql/sql-stores.js'
import { bearer, get, logIn } from '../support/client.js'
import { type FreshDatabase, freshPostgres } from '../support/fresh-database.js'
import { encryptionKey, startHost } from '../support/host.js'
import { postgresUrl } from '../support/services.js'
import { openSocket } from './running-host.js'
import { program, runProgram, scratchFolder } from './running-program.js'

const folder = scratchFolder()
let database: FreshDatabase

// With its file and its tables, whichever test comes first.
beforeAll(async () => {
  if (postgresUrl === null) return
  database = await freshPostgres()
  for (const command of ['init', 'migrate']) expect((await run(command)).code).toBe(0)
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await database?.drop()
})

function environment({ url } = database) {
  return { ...process.env, DATABASE_URL: url, AUTH_ENCRYPTION_KEYS: encryptionKey }
}

const run = (...args: string[]) => runProgram({ cwd: folder, env: environment() }, args)

/** In a terminal, with what somebody types there. */
async function typed(answer: string, ...args: string[]) {
  const line = [process.execPath, program, ...args].map((part) => `'${part}'`).join(' ')
  const child = spawn('script', ['-qec', line, '/dev/null'], { cwd: folder, env: environment() })
  let [out, isAnswered] = ['', false]
  child.stdout.on('data', (piece) => {
    out += piece
    if (isAnswered || !out.includes('[y/N]')) return
    isAnswered = true
    child.stdin.write(`${answer}\n`)
  })
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, out }
}

async function startServer() {
  const pool = new pg.Pool({ connectionString: database.url })
  pool.on('error', () => {}).on('connect', (client) => void client.on('error', () => {}))
  const kysely = new Kysely<object>({ dialect: new PostgresDialect({ pool }) })
  onTestFinished(() => kysely.destroy())
  const { keys: store, ...stores } = sqlStores(kysely)
  const ring = keyRing({ store, encryptionKeys: [encryptionKey] })
  const signer = joseSigner({ issuer: 'https://chat.example.com', audience: 'chat', keys: ring })
  const host = await startHost({ options: { ...stores, bus: postgresBus(pool), signer } })
  return { host, stores }
}

describe.skipIf(postgresUrl === null)('beside a server', () => {
  it('init writes a file that works, and never over another; migrate makes the tables', async () => {
    const [cwd, empty] = [scratchFolder(), await freshPostgres()]
    onTestFinished(async () => {
      rmSync(cwd, { recursive: true })
      await empty.drop()
    })
    const file = join(cwd, 'auth-admin.mjs')
    const run = (...args: string[]) => runProgram({ cwd, env: environment(empty) }, args)
    const missing = await run('keys', 'list')
    expect([missing.code, missing.out]).toEqual([2, ''])
    expect(missing.err).toContain('init writes one')
    expect((await run('init')).code).toBe(0)
    const written = readFileSync(file, 'utf8')
    const again = await run('init')
    expect([again.code, readFileSync(file, 'utf8')]).toEqual([1, written])
    const pending = await run('migrate', '--check', '--json')
    expect(pending.code).toBe(1)
    expect(JSON.parse(pending.out).pending).toContain('mar_sessions')
    expect((await run('migrate', '--print')).out).toMatch(/^create table if not exists/)
    const before = await run('sessions', 'list', '--user', 'u-alice')
    expect([before.code, before.err]).toEqual([1, expect.stringContaining('migrateSql(kysely)')])
    const made = await run('migrate')
    expect([made.code, made.out, made.err]).toEqual([
      0,
      'the tables were of version 0, and are of 1\n',
      '',
    ])
    expect(await run('migrate', '--check')).toMatchObject({ code: 0, out: 'nothing is missing\n' })
  })

  it('ends sessions in the server at once, and shows what somebody else wrote harmlessly', async () => {
    const server = await startServer()
    const { host, stores } = server
    const { authToken } = await logIn(host)
    const { closed } = await openSocket(server, authToken)
    const evil = newSession(() => new Date(Date.now() + 3_600_000), {
      userId: 'u-alice',
      kind: 'token',
      userAgent: '\u001b]0;owned\u0007\u009b31m\u202egnp',
      createdAt: new Date(),
      endedAt: null,
      endReason: null,
    })
    await stores.sessions.create(evil)
    const shown = await run('sessions', 'list', '--user', 'u-alice')
    expect([shown.code, shown.err]).toEqual([0, ''])
    expect(shown.out).toContain('\\u{1b}]0;owned\\u{7}\\u{9b}31m\\u{202e}gnp')
    expect(shown.out).not.toMatch(/[^\P{C}\n]/u)
    const listed = await run('tokens', 'list', '--user', 'u-alice', '--json')
    expect(listed.out).not.toMatch(/[^\P{C}\n]/u)
    expect(JSON.parse(listed.out)).toMatchObject([{ id: evil.id, name: evil.userAgent }])

    const unasked = await run('sessions', 'end', '--user', 'u-alice')
    expect([unasked.code, unasked.out]).toEqual([2, ''])
    expect(unasked.err).toContain('add --yes')
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)

    const both = await run('sessions', 'end', '--user', 'u-bob', '--user', 'u-alice', '--yes')
    expect([both.code, both.err]).toEqual([2, expect.stringContaining('--user is given twice')])
    const other = await run('sessions', 'end', '--user', 'u-bob', '--session', evil.id, '--yes')
    expect(other.code).toBe(1)
    const ended = await run('sessions', 'end', '--user', 'u-alice', '--yes', '--by', 'ops:ada')
    expect(ended).toEqual({ code: 0, out: 'ended: 2\n', err: '' })
    expect(await closed).toBe(4401)
    const told = JSON.parse((await run('audit', '--user', 'u-alice', '--json')).out)
    expect(told).toMatchObject([
      { type: 'session.ended', detail: { actor: 'ops:ada', reason: 'revoked' } },
      { type: 'session.ended', detail: { actor: 'ops:ada', reason: 'revoked' } },
    ])
  })

  it('registers an app, whose secret is printed once and stored nowhere', async () => {
    const add = ['clients', 'add', '--id', 'wiki', '--redirect-uri', 'https://wiki.example/back']
    const added = await run(...add, '--scope', 'profile', '--json')
    expect([added.code, added.err]).toEqual([0, ''])
    const { client, secret } = JSON.parse(added.out)
    expect(client).toMatchObject({ id: 'wiki', type: 'web', disabled: false, secrets: 1 })
    expect(secret).toMatch(/.{20}/)
    const twice = await run(...add, '--scope', 'profile')
    expect([twice.code, twice.err]).toEqual([2, expect.stringContaining('that of another client')])
    const wrong = await run(
      'clients',
      'add',
      '--id',
      'x',
      '--scope',
      'no:such',
      '--redirect-uri',
      'a',
    )
    expect(wrong.code).toBe(2)
    const listed = await run('clients', 'list')
    expect(listed.out).toContain('wiki')
    expect(listed.out).not.toContain(secret)
    expect((await run('clients', 'disable', 'wiki', '--yes')).code).toBe(0)
    expect((await run('clients', 'disable', 'wiki', '--yes')).code).toBe(1)
  })

  it('looks at keys and at what they seal', async () => {
    const { host } = await startServer()
    await logIn(host)
    const [key] = JSON.parse((await run('keys', 'list', '--json')).out)
    expect(key).toMatchObject({ signs: 'access-tokens', state: 'active' })
    const sealed = await run('sealed')
    expect(sealed.out).toMatch(/^signing-keys +1 +v1\.\w{8} +1$/m)
    expect(sealed.out).toMatch(/^id-token-keys +- +- +-$/m)
    expect(sealed.out).not.toContain(encryptionKey)
    const resealed = await run('reseal', '--yes')
    expect(resealed).toMatchObject({ code: 0, out: sealed.out })
    expect(resealed.err).toContain('not looked at, as the file names none: id-token-keys')
    const unlocked = await run('unlock', 'alice')
    expect([unlocked.code, unlocked.err]).toEqual([2, expect.stringContaining('throttle.limiter')])
  })

  it.skipIf(spawnSync('script', ['--version']).error !== undefined)(
    'asks in a terminal before what cannot be undone',
    async () => {
      const reset = ['factor', 'reset', '--user', 'u-alice']
      const refused = await typed('no', ...reset)
      expect([refused.code, refused.out]).toEqual([
        1,
        expect.stringContaining('nothing was changed'),
      ])
      const agreed = await typed('y', ...reset)
      expect([agreed.code, agreed.out]).toEqual([0, expect.stringContaining('there was no TOTP')])
    },
  )

  it('says in one line what is wrong with its file', async () => {
    const broken = join(folder, 'broken.mjs')
    for (const [text, problem] of [
      ['export default {', 'SyntaxError'],
      ['export const stores = {}', 'no object'],
      ['export default { stores: {} }', 'adminOf.stores'],
      ["throw new Error('\\u001b[2J')", 'u{1b}[2J'],
      [
        "export default async () => Promise.reject(new Error('no DATABASE_URL'))",
        'no DATABASE_URL',
      ],
    ] as const) {
      writeFileSync(broken, text)
      const { code, out, err } = await run('sealed', '--config', broken)
      expect([code, out, err]).toEqual([2, '', expect.stringContaining(problem)])
      expect(err).not.toMatch(/[^\P{C}\n]/u)
    }
    writeFileSync(broken, "export default JSON.parse('mar-secret')")
    const { code, err } = await run('sealed', '--config', broken)
    expect([code, err]).toEqual([2, expect.stringContaining('SyntaxError')])
    expect(err).not.toContain('mar-secret')
  })

  it.each([
    [['sessions', 'list']],
    [['sessions', 'list', '--user', 'u', 'more']],
    [['keys', 'retire', '--yes']],
    [['tokens', 'end', '--user', 'u', '--yes']],
    [['keys', 'list', '--kid', 'x']],
  ])('exits with 2 and the usage of the command for %j', async (args) => {
    const { code, out, err } = await run(...args)
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain('usage: messaging-auth-router ')
  })
})

it('deletes the accounts of a file: it asks, goes on after a failure, and names it', async () => {
  const config = join(folder, 'accounts.mjs')
  const text = `import { memoryStores } from 'messaging-auth-router/stores/memory'
const remove = async (id) => { if (id === 'u-2') throw new Error('in use by mar-secret') }
const users = { delete: remove }
export default { stores: memoryStores(), users, onEvent() {}, storeTimeout: 1000 }`
  writeFileSync(config, text)
  const ids = join(folder, 'ids.txt')
  writeFileSync(ids, 'u-1\n\nu-2\r\n u-3\nu-1\n')
  const env = { ...process.env }
  const accounts = (...args: string[]) =>
    runProgram({ cwd: folder, env }, ['accounts', ...args, '--config', config])
  const asked = await accounts('delete', '--file', ids)
  expect([asked.code, asked.err]).toEqual([2, expect.stringContaining('deletes 3 of your users')])
  const done = await accounts('delete', '--file', ids, '--yes')
  expect([done.code, done.out]).toEqual([
    1,
    'deleted: 2 of 3\nfailed: u-2 (temporarily-unavailable)\n',
  ])
  expect(done.err).not.toContain('mar-secret')
  expect(await accounts('delete', '--user', 'u-1', '--yes')).toMatchObject({ code: 0 })
  const disabled = await accounts('disable', '--file', ids, '--yes')
  expect([disabled.code, disabled.err]).toEqual([2, expect.stringContaining('users.disable')])
  expect((await accounts('delete', '--file', 'none.txt', '--yes')).code).toBe(2)
})
