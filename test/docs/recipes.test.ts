// The recipes of docs/recipes.md are run as they stand there.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import express, { type RequestHandler } from 'express'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import supertest from 'supertest'
import ts from 'typescript'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { type AuthRouter, createAuthRouter, generateSigningKey } from '../../src/index.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { migrateSql } from '../../src/stores/sql/migrate.js'
import { courier, startService } from '../oauth/service-host.js'
import { bearer, logIn, post } from '../support/client.js'
import { freshPostgres } from '../support/fresh-database.js'
import { cheapHasher, password, passwordHash, startHost, type TestHost } from '../support/host.js'
import { signer } from '../support/mounted-oauth.js'
import { postgresUrl } from '../support/services.js'
import { testUsers } from '../support/users.js'

const page = readFileSync(new URL('../../docs/recipes.md', import.meta.url), 'utf8')
// Below the project, so that Express is found.
const folder = mkdtempSync(fileURLToPath(new URL('.recipes-', import.meta.url)))
afterAll(() => rmSync(folder, { recursive: true }))

const codeOf = (name: string) =>
  new RegExp(`^\`\`\`ts\\n(// ${name}\\.ts\\n[\\s\\S]*?)^\`\`\`$`, 'm').exec(page)?.[1] ?? ''

const recipe = (name: string) => load(name, codeOf(name))

async function load(name: string, code: string) {
  const compilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ES2022,
    verbatimModuleSyntax: true,
  }
  const file = join(folder, `${name}.mjs`)
  writeFileSync(file, ts.transpileModule(code, { compilerOptions }).outputText)
  return import(/* @vite-ignore */ pathToFileURL(file).href)
}

const originOf = (host: TestHost) => new URL(host.url).origin

describe('the admin page', async () => {
  const { adminOf } = (await recipe('admin')) as {
    adminOf: (auth: AuthRouter, staff: object) => express.Router
  }

  async function start() {
    const host = await startHost({
      options: { pagesOrigin: 'http://localhost:3000' },
      before: (app, auth) =>
        app.post('/sign-in', express.json(), (req, res, next) => {
          auth.cookie.signIn(req, res, req.body).then(() => res.sendStatus(204), next)
        }),
      after: (app, auth) =>
        app.use(
          '/admin',
          adminOf(auth, {
            isAdmin: async (userId: string) => userId === 'u-ada',
            findUser: (value: string) => host.users.findByIdentifier({ kind: 'username', value }),
          }),
        ),
    })
    host.users.add({ id: 'u-ada', username: 'ada', passwordHash })
    const own = { 'Sec-Fetch-Site': 'same-origin' }
    async function enter(username: string) {
      const site = supertest(originOf(host))
      const answer = await site.post('/sign-in').set(own).send({ username, password })
      const [cookie = ''] = [answer.headers['set-cookie'] ?? []]
        .flat()
        .map((set) => set.split(';')[0])
      return {
        open: (user: string) =>
          site
            .get('/admin/')
            .query({ user })
            .set({ ...own, Cookie: cookie }),
        press: (what: string, form: object, headers: object = own) =>
          site
            .post(`/admin/${what}`)
            .type('form')
            .send(form)
            .set({ ...headers, Cookie: cookie }),
      }
    }
    return { host, enter }
  }

  it('is 60 lines', () => expect(codeOf('admin').split('\n').length).toBeLessThanOrEqual(61))

  it('lists a user’s sessions, ends one, ends all, and says who did it', async () => {
    const { host, enter } = await start()
    const first = await logIn(host)
    host.clock.advance(1)
    const second = await logIn(host)
    const ada = await enter('ada')
    const shown = await ada.open('alice')
    expect(shown.status).toBe(200)
    const ids = [...shown.text.matchAll(/name="session" value="([^"]+)"/g)].map(([, id]) => id)
    expect(ids.length).toBe(2)
    const ended = await ada.press('end', { user: 'alice', session: ids[0] })
    expect([ended.status, ended.headers['location']]).toEqual([303, '/admin/?user=alice'])
    const status = async (token: string) =>
      (await supertest(host.url).get('/me').set(bearer(token))).status
    expect([await status(first.authToken), await status(second.authToken)]).toEqual([401, 200])
    await ada.press('end-all', { user: 'alice' })
    expect(await status(second.authToken)).toBe(401)
    const actors = host.events.flatMap((event) => ('actor' in event ? [event.actor] : []))
    expect(new Set(actors)).toEqual(new Set(['admin:u-ada']))
  })

  it('ends no session of somebody else by the name of another', async () => {
    const { host, enter } = await start()
    const ada = await enter('ada')
    const [own] = await host.auth.sessions.list('u-ada')
    await ada.press('end', { user: 'alice', session: own?.id })
    expect((await host.auth.sessions.list('u-ada')).length).toBe(1)
  })

  it('unlocks somebody who has mistyped a password too often', async () => {
    const { host, enter } = await start()
    const ada = await enter('ada')
    const credentials = { username: 'alice', password }
    for (let tries = 0; tries < 6; tries += 1)
      await post(host, '/login', { ...credentials, password: 'mistyped by alice' })
    expect((await post(host, '/login', credentials)).status).toBe(429)
    await ada.press('unlock', { user: 'alice', ip: '127.0.0.1' })
    expect((await post(host, '/login', credentials)).status).toBe(200)
    expect(host.events).toContainEqual(expect.objectContaining({ type: 'login.unlocked' }))
  })

  it('is closed to users, strangers, other sites and old sign-ins, and escapes what it shows', async () => {
    const { host, enter } = await start()
    expect((await (await enter('alice')).open('ada')).status).toBe(403)
    expect((await supertest(originOf(host)).get('/admin/')).status).toBe(401)
    const ada = await enter('ada')
    const foreign = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }
    expect((await ada.press('end-all', { user: 'ada' }, foreign)).status).toBe(403)
    const shown = await ada.open('"><script>alert(1)</script>')
    expect(shown.text).not.toContain('<script>')
    host.clock.advance(3601)
    expect((await ada.open('alice')).status).toBe(403)
  })
})

describe('guests', async () => {
  const { guestsOf } = (await recipe('guests')) as {
    guestsOf: (auth: AuthRouter, table: object) => express.Router
  }

  async function start() {
    const host = await startHost({
      after: (app, auth) =>
        app.use(
          '/guests',
          guestsOf(auth, {
            async create(name: string) {
              const id = `u-guest-${host.users.rows.size}`
              host.users.add({ id, name, username: `?${id}`, email: null })
              return id
            },
            async keep(userId: string, username: string, hash: string) {
              const isFree = [...host.users.rows.values()].every((row) => row.username !== username)
              if (!isFree || host.users.rows.get(userId)?.passwordHash !== null) return false
              host.users.change(userId, { username, passwordHash: hash })
              return true
            },
          }),
        ),
    })
    const site = supertest(originOf(host))
    async function come() {
      const { status, body } = await site.post('/guests').send({ name: 'Grace' })
      host.issued.add(body.token)
      expect(status).toBe(201)
      return body as { userId: string; token: string; expiresAt: string }
    }
    const keep = (token: string, body: object) =>
      site.post('/guests/keep').set(bearer(token)).send(body)
    const me = (token: string) => supertest(host.url).get('/me').set(bearer(token))
    return { host, come, keep, me }
  }

  it('are in for a day, and cannot sign in', async () => {
    const { host, come, me } = await start()
    const { token } = await come()
    expect((await me(token)).body).toMatchObject({ name: 'Grace' })
    for (const [username, guess] of [
      ['?u-guest-1', password],
      ['?u-guest-1', ''],
    ])
      expect((await post(host, '/login', { username, password: guess })).status).not.toBe(200)
    host.clock.advance(86_401)
    expect((await me(token)).status).toBe(401)
  })

  it('become users like all others: the same id, the session goes on', async () => {
    const { host, come, keep, me } = await start()
    const { token, userId } = await come()
    expect((await keep(token, { username: 'Grace', password: 'short' })).status).toBe(400)
    expect((await keep(token, { username: 'Alice', password })).status).toBe(409)
    expect((await keep(token, { username: 'Grace', password })).status).toBe(204)
    expect((await me(token)).status).toBe(200)
    const signedIn = await logIn(host, { username: 'grace', password })
    expect(signedIn.userId).toBe(userId)
    // A second time, nobody's password is replaced.
    expect((await keep(token, { username: 'grace2', password })).status).toBe(409)
  })

  it('of twenty who want one name at once, one gets it', async () => {
    const { come, keep } = await start()
    const tokens = []
    for (let count = 0; count < 20; count += 1) tokens.push((await come()).token)
    const answers = await Promise.all(
      tokens.map((token) => keep(token, { username: 'grace', password })),
    )
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([204, ...Array(19).fill(409)])
  })
})

describe('tenants', async () => {
  interface Tenants {
    readonly router: RequestHandler
    readonly requireAuth: AuthRouter['requireAuth']
    of(name: string): AuthRouter
    close(): Promise<unknown>
  }
  const { tenantsOf } = (await recipe('tenants')) as {
    tenantsOf: (
      names: readonly string[],
      open: (tenant: string) => AuthRouter,
      tenantOf: (req: express.Request) => string | undefined,
    ) => Tenants
  }

  function start() {
    const open = (tenant: string) => {
      const users = testUsers()
      users.add({ id: 'u-1', username: 'alice', name: `Alice of ${tenant}`, passwordHash })
      const encryptionKeys = [Buffer.alloc(32, tenant).toString('base64')]
      const logger = { debug() {}, info() {}, warn() {}, error() {} }
      const options = { users, signer, encryptionKeys, passwords: cheapHasher, logger }
      return createAuthRouter({ ...options, ...memoryStores() })
    }
    const byHost = ({ hostname }: express.Request) => /^(\w+)\.chat\.example$/.exec(hostname)?.[1]
    const tenants = tenantsOf(['acme', 'umbrella'], open, byHost)
    onTestFinished(async () => void (await tenants.close()))
    const app = express()
    app.use('/api/v1', tenants.router)
    app.get('/rooms', tenants.requireAuth(), (req, res) => void res.json({ for: req.auth.userId }))
    const at = (tenant: string) => ({ Host: `${tenant}.chat.example` })
    const enter = (tenant: string, body: object = { username: 'alice', password }) =>
      supertest(app).post('/api/v1/login').set(at(tenant)).send(body)
    const rooms = (tenant: string, token: string) =>
      supertest(app)
        .get('/rooms')
        .set({ ...at(tenant), ...bearer(token) })
    return { tenants, enter, rooms }
  }

  it('have users of the same id and name, whose tokens are nothing to the others', async () => {
    const { tenants, enter, rooms } = start()
    const { body } = await enter('acme', { username: 'alice', password, tokens: 'refreshable' })
    expect(body.data.me.name).toBe('Alice of acme')
    const long = (await enter('acme')).body.data.authToken
    for (const token of [body.data.authToken ?? body.data.access_token, long]) {
      expect((await rooms('acme', token)).status).toBe(200)
      expect((await rooms('umbrella', token)).status).toBe(401)
      expect((await rooms('nobody', token)).status).toBe(404)
    }
    await tenants.of('umbrella').sessions.revokeAllForUser('u-1')
    expect((await rooms('acme', long)).status).toBe(200)
  })

  it('lock nobody out of the others', async () => {
    const { enter } = start()
    for (let tries = 0; tries < 6; tries += 1)
      await enter('acme', { username: 'alice', password: 'mistyped by alice' })
    expect((await enter('acme')).status).toBe(429)
    expect((await enter('umbrella')).status).toBe(200)
  })
})

describe.skipIf(postgresUrl === null)('tenants in one PostgreSQL', () => {
  it('are as the recipe makes them: a schema, keys and users each', async () => {
    await recipe('tenants')
    const [, code = ''] =
      /^```ts\n(import express[^`]*?from '\.\/tenants\.js'[\s\S]*?)^```$/m.exec(page) ?? []
    const { chat } = await load('chat', code.replace('./tenants.js', './tenants.mjs'))
    const { url, drop } = await freshPostgres()
    const pool = new pg.Pool({ connectionString: url })
    const database = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
    onTestFinished(async () => {
      await database.destroy()
      await drop()
    })
    const secrets = new Map()
    for (const tenant of ['acme', 'umbrella']) {
      await pool.query(`create schema ${tenant}`)
      await migrateSql(database, { schema: tenant })
      const encryptionKey = Buffer.alloc(32, tenant).toString('base64')
      secrets.set(tenant, { signingKeys: [await generateSigningKey('ES256')], encryptionKey })
    }
    const { app, close } = chat(secrets, database, (tenant: string) => {
      const users = testUsers()
      users.add({ id: 'u-1', username: 'alice', name: tenant, passwordHash })
      return users
    })
    onTestFinished(() => close())
    const Host = (tenant: string) => `${tenant}.chat.example.com`
    const login = await supertest(app)
      .post('/api/v1/login')
      .set('Host', Host('acme'))
      .send({ username: 'alice', password })
    const headers = bearer(login.body.data.authToken)
    for (const [tenant, status] of [
      ['acme', 200],
      ['umbrella', 401],
      ['nobody', 404],
    ] as const) {
      const rooms = await supertest(app)
        .get('/rooms')
        .set({ ...headers, Host: Host(tenant) })
      expect([tenant, rooms.status]).toEqual([tenant, status])
    }
    const { rows } = await pool.query('select count(*)::int as many from umbrella.mar_sessions')
    expect(rows).toEqual([{ many: 0 }])
  })
})

describe('SCIM', async () => {
  const { scimOf } = (await recipe('scim')) as {
    scimOf: (auth: AuthRouter, directory: object) => express.Router
  }

  async function start() {
    const service = await startService()
    const { host } = service
    host.users.change('u-bot', { passwordHash })
    host.users.add({ id: 'bot-scim', username: 'scim' })
    const app = express()
    const directory = {
      find: (userId: string) => host.users.findById(userId),
      setDisabled: async (userId: string, disabled: boolean) =>
        host.users.change(userId, { disabled }),
    }
    app.use('/scim/v2', scimOf(host.auth, directory))
    const named = { userId: 'bot-scim', name: 'Directory', scope: ['scim'] }
    const { token } = await host.auth.namedTokens.create(named)
    host.issued.add(token)
    const patch = (operation: object, by = token, id = 'u-bot') =>
      supertest(app)
        .patch(`/scim/v2/Users/${id}`)
        .set({ ...bearer(by), 'Content-Type': 'application/scim+json' })
        .send(
          JSON.stringify({
            schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
            Operations: [operation],
          }),
        )
    return { ...service, patch }
  }

  it.each([
    ['Okta', { op: 'replace', value: { active: false } }],
    ['Entra ID', { op: 'Replace', path: 'active', value: 'False' }],
    ['the RFC', { op: 'replace', path: 'active', value: false }],
  ])('as %s writes it: every session ends, and nobody comes in', async (_who, operation) => {
    const { host, tokenFor, ask, get, patch, live } = await start()
    const credentials = { username: 'bot', password }
    const { authToken } = await logIn(host, credentials)
    const made = { userId: 'u-bot', name: 'script', scope: ['messages:read'] }
    const { token: named } = await host.auth.namedTokens.create(made)
    host.issued.add(named)
    const ofService = await tokenFor()
    const open = [authToken, named, ofService]
    for (const token of open) expect((await get('/read', token)).status).toBe(200)
    const answer = await patch(operation)
    expect([answer.status, answer.body.active, answer.body.userName]).toEqual([200, false, 'bot'])
    for (const token of open) expect((await get('/read', token)).status).toBe(401)
    expect(await live()).toEqual([])
    expect((await post(host, '/login', credentials)).status).toBe(401)
    expect((await ask(undefined, courier)).json['error']).toBe('unauthorized_client')
    expect(host.events).toContainEqual(expect.objectContaining({ actor: 'scim:bot-scim' }))
    // Again: the same. And back: a new sign-in, and nothing that was ended.
    expect((await patch(operation)).status).toBe(200)
    expect((await patch({ op: 'replace', path: 'active', value: true })).status).toBe(200)
    expect((await post(host, '/login', credentials)).status).toBe(200)
    for (const token of open) expect((await get('/read', token)).status).toBe(401)
  })

  it('takes nothing but the token of a directory, and changes nothing else', async () => {
    const { host, tokenFor, patch, live } = await start()
    const off = { op: 'replace', path: 'active', value: false }
    const { authToken } = await logIn(host, { username: 'bot', password })
    const other = { userId: 'bot-scim', name: 'other', scope: ['messages:read'] }
    const { token } = await host.auth.namedTokens.create(other)
    host.issued.add(token)
    for (const [by, status] of [
      ['nothing', 401],
      [authToken, 403],
      [token, 403],
      [await tokenFor(), 403],
    ] as const)
      expect((await patch(off, by)).status).toBe(status)
    expect((await patch(off, undefined, 'u-nobody')).status).toBe(404)
    for (const operation of [
      { op: 'remove', path: 'active' },
      { op: 'replace', path: 'userName', value: 'false' },
      { op: 'replace', path: 'active', value: 'off' },
    ])
      expect((await patch(operation)).status).toBe(400)
    expect((await live()).length).toBe(2)
  })
})
