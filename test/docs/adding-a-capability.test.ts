// The smaller additions of docs/adding-a-capability.md, applied to a copy of the code as the page
// shows them: they touch the files of the table and no other, compile, and do what is said.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import express, { type Express } from 'express'
import { createClient } from 'redis'
import request from 'supertest'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { generateSigningKey, joseSigner } from '../../src/index.js'
import type { SessionRecord } from '../../src/stores/contract.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { bearer } from '../support/client.js'
import { openSqlite } from '../support/databases.js'
import { cheapHasher, encryptionKey, password, passwordHash } from '../support/host.js'
import { accountsOptions } from '../support/mounted-accounts.js'
import { courierOf, oauthOf, wikiSecret } from '../support/oauth-apps.js'
import { at, randomKey } from '../support/records.js'
import { redisUrl } from '../support/services.js'
import { latest } from '../support/sql-version.js'
import { testUsers } from '../support/users.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const copy = join(root, 'test/rules/.scratch/adding-a-capability')
const page = readFileSync(join(root, 'docs/adding-a-capability.md'), 'utf8')

interface Change {
  readonly path: string
  /** What stands there before and after. */
  readonly hunks: readonly (readonly [string, string])[]
}

/** The differences below a heading of the page. */
function changesOf(heading: string): readonly Change[] {
  const [, section = ''] = page.split(`### ${heading}\n`)
  const [own = ''] = section.split('\n### ')
  return [...own.matchAll(/^```diff\n\+\+\+ (\S+)\n([\s\S]*?)^```$/gm)].map(
    ([, path = '', text = '']) => ({
      path,
      hunks: text.split('@@\n').map((hunk) => {
        const lines = hunk.split('\n').slice(0, -1)
        const side = (other: string) =>
          lines.filter((line) => !line.startsWith(other)).map((line) => `${line.slice(1)}\n`)
        return [side('+').join(''), side('-').join('')] as const
      }),
    }),
  )
}

/** The files that the table names for it. */
function filesOf(row: string, name: string): string[] {
  const line = page.split('\n').find((one) => one.startsWith(`| ${row} |`)) ?? ''
  const named = [...line.matchAll(/`(src\/[^`]+)`/g)]
  return named.map(([, path = '']) => path.replace('<name>', name)).sort()
}

function apply({ path, hunks }: Change): void {
  const file = join(copy, path)
  const before = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const after = hunks.reduce((text, [old, changed]) => {
    if (text.split(old).length !== 2 && before !== '')
      throw new Error(`change the page: ${path} does not have these lines once:\n${old}`)
    return before === '' ? changed : text.replace(old, () => changed)
  }, before)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, after)
}

function problemsOf(folder: string): readonly string[] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, folder)
  const program = ts.createProgram(fileNames, { ...options, noEmit: true })
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText, file }) =>
      [file?.fileName, ts.flattenDiagnosticMessageText(messageText, '\n')].join(': '),
    )
}

const additions = [
  ['a stored member of a session', ''],
  ['a grant of the token endpoint', 'voucher'],
  ['a header of credentials', ''],
  ['a route of a capability', ''],
  ['a page of a capability', 'data'],
] as const
const voucher = 'urn:example:voucher'
const courier = { ...courierOf('u-alice'), grants: [voucher] as never }

const headingOf = (row: string) => `${row[0]?.toUpperCase()}${row.slice(1)}`

/** A module of the copy. */
const moduleOf = (path: string) => import(/* @vite-ignore */ join(copy, 'src', path))

describe('docs/adding-a-capability.md', () => {
  beforeAll(() => {
    rmSync(copy, { recursive: true, force: true })
    cpSync(join(root, 'src'), join(copy, 'src'), { recursive: true })
    for (const [row] of additions) for (const change of changesOf(headingOf(row))) apply(change)
  })
  afterAll(() => rmSync(copy, { recursive: true, force: true }))

  it.each(additions)(
    'shows a change of each file that %s touches, and of no other',
    (row, name) => {
      const changed = changesOf(headingOf(row)).map(({ path }) => path)
      expect(changed.length).toBeGreaterThan(0)
      expect(changed.sort()).toEqual(filesOf(row, name))
    },
  )

  // Compiles all of src/, which takes long on a machine that is busy with something else.
  it('shows code that compiles', { timeout: 600_000 }, () => {
    expect(problemsOf(copy)).toEqual([])
  })

  it('has the member set by a new session, kept by each store, and checked when it comes back', async () => {
    const { newWholeSession } = await moduleOf('stores/new-records.ts')
    const session = newWholeSession(at)
    expect(session).toMatchObject({ deviceId: expect.any(String) })
    const kysely = openSqlite()
    onTestFinished(() => kysely.destroy())
    const { migrateSql, sqlStores } = await moduleOf('stores/sql/sql-stores.ts')
    expect(await migrateSql(kysely)).toEqual({ from: 0, to: latest + 1 })
    const { memoryStores } = await moduleOf('stores/memory-stores.ts')
    const { failClosedSessions } = await moduleOf('stores/fail-closed-stores.ts')
    const { createHostCall } = await moduleOf('lib/host-call.ts')
    const call = createHostCall(2000, () => {})
    for (const { sessions } of [memoryStores(), sqlStores(kysely)]) {
      await sessions.create(session)
      expect(await sessions.find(session.id)).toEqual(session)
      const find = async () => ({ ...session, deviceId: 7 })
      const checked = failClosedSessions({ ...sessions, find }, call)
      await expect(checked.find(session.id)).rejects.toMatchObject({ status: 503 })
    }
    const { sessions: good } = await memoryStores()
    const create = ({ deviceId: _dropped, ...rest }: SessionRecord & { deviceId?: string }) =>
      good.create(rest)
    await failClosedSessions({ ...good, create }, call).create(session)
    expect(await good.find(session.id)).not.toHaveProperty('deviceId')
    const { createSessionOpening } = await moduleOf('sessions/opening.ts')
    const clock = () => at(0)
    const times = { withinOwn: () => ({}), absoluteEnd: () => at(60), seen: () => ({}) }
    const passwordWatch = { marksOf: () => ({}) }
    const opening = createSessionOpening({ clock, passwordWatch, audit() {} }, times, () => {})
    const approved = { user: { id: 'u-alice' }, methods: ['pwd'] }
    const asked = { id: 'new', approved, kind: 'login', scope: '*', deviceId: 'phone' }
    expect(opening.draft(asked, {})).toMatchObject({ userId: 'u-alice', deviceId: 'phone' })
  })

  it.skipIf(redisUrl === null)('has the member kept in Redis', async () => {
    const { newWholeSession } = await moduleOf('stores/new-records.ts')
    const { redisStores } = await moduleOf('stores/redis/redis-stores.ts')
    const client = await createClient({ url: String(redisUrl) }).connect()
    const prefix = `adding-${randomKey()}:`
    onTestFinished(async () => {
      const keys = await client.keys(`${prefix}*`)
      if (keys.length > 0) await client.del(keys)
      client.destroy()
    })
    const { sessions } = redisStores(client, { prefix })
    const session = newWholeSession(at)
    await sessions.create(session)
    expect(await sessions.find(session.id)).toEqual(session)
  })

  it('has the grant in the metadata and in OpenAPI, and answers it with tokens', async () => {
    const app = await serveCopy()
    const { body } = await request(app).get('/.well-known/oauth-authorization-server').expect(200)
    expect(body.grant_types_supported).toContain(voucher)
    const described = await descriptionOf()
    expect(described).toContain('"voucher_code"')
    expect(described).toContain(`client_credentials","${voucher}"`)
    const redeem = (form: object) =>
      request(app)
        .post('/api/v1/oauth/token')
        .auth(courier.id, wikiSecret.secret)
        .type('form')
        .send({ grant_type: voucher, scope: 'messages:read', ...form })
    const { body: tokens } = await redeem({ voucher_code: 'spring' }).expect(200)
    expect(tokens).toMatchObject({ access_token: expect.any(String), scope: 'messages:read' })
    const { body: refused } = await redeem({ voucher_code: 'autumn' }).expect(400)
    expect(refused.error).toBe('invalid_grant')
    const { body: missing } = await redeem({}).expect(400)
    expect(missing.error).toBe('invalid_request')
  })

  it('has the header in the preflights of CORS and in OpenAPI', async () => {
    const { createCors } = await moduleOf('http/cors.ts')
    const origin = 'https://app.example.com'
    const headers = new Map<string, string>()
    const response = {
      appendHeader() {},
      removeHeader() {},
      end() {},
      setHeader: (name: string, value: string) => headers.set(name, value),
    }
    const asked = { origin, 'access-control-request-method': 'GET' }
    createCors({ origins: [origin] })({ method: 'OPTIONS', headers: asked }, response, ['GET'])
    expect(headers.get('Access-Control-Allow-Headers')).toContain('X-Device-Token')
    expect(await descriptionOf()).toContain('"name":"X-Device-Token"')
  })

  it('has the route and the page mounted, as the map says, and both answer', async () => {
    const app = await serveCopy()
    const map = readFileSync(join(copy, 'src/router/create-auth-router.ts'), 'utf8')
    expect(map).toContain("'GET, POST /auth/account/delete',\n")
    expect(map).toContain("'GET, POST /account/data',\n")
    const login = await request(app)
      .post('/api/v1/login')
      .send({ username: 'alice', password })
      .expect(200)
    const headers = bearer(login.body.data.authToken)
    const looked = await request(app).get('/api/v1/auth/account/delete').set(headers).expect(200)
    expect(looked.body).toEqual({ status: 'success', data: { mailsCode: true } })
    expect(await descriptionOf()).toContain('"operationId":"lookAtDeletion"')
    const page = await request(app).get('/api/v1/account/data').expect(303)
    expect(page.headers['location']).toContain('/api/v1/oauth/sign-in?')
  })
})

/** A server with the router of the copy. */
async function serveCopy(): Promise<Express> {
  const { createAuthRouter } = await moduleOf('router/create-auth-router.ts')
  const users = testUsers()
  users.add({ id: 'u-alice', username: 'alice', passwordHash, emailVerified: true })
  const auth = createAuthRouter({
    users,
    ...memoryStores(),
    signer: joseSigner({
      issuer: 'https://chat.example.com',
      audience: 'chat',
      keys: [await generateSigningKey()],
    }),
    encryptionKeys: [encryptionKey],
    passwords: cheapHasher,
    oauth: oauthOf({ clients: [courier] }),
    ...accountsOptions(),
  })
  onTestFinished(() => auth.close())
  return express().use(auth.wellKnown).use('/api/v1', auth)
}

/** The description of the API, of the copy, as JSON. */
async function descriptionOf(): Promise<string> {
  const { describeOperations } = await moduleOf('openapi/document.ts')
  const { operations } = await moduleOf('router/operations.ts')
  return JSON.stringify(describeOperations(operations))
}
