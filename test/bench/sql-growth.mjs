// Measures what growth costs in PostgreSQL: the same calls beside 1,000 and beside 1,000,000 sessions, in turns. Fails when finding or
// refreshing a session takes more than half as long again. Makes a database of its own on the server of TEST_POSTGRES_URL, about 1 GB,
// and drops it. Run it on an otherwise idle machine: npm run bench:sql-growth
import { createHash, randomBytes } from 'node:crypto'
import express from 'express'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { bcryptHasher, createAuthRouter, generateSigningKey, joseSigner } from 'messaging-auth-router'
import { migrateSql, sqlStores } from 'messaging-auth-router/stores/sql'
import pg from 'pg'

const server = process.env['TEST_POSTGRES_URL'] || 'postgres://postgres@127.0.0.1:5432/postgres'
const rounds = 100
const warmUp = 10
const most = 1.5
const mustHold = ['sessions.find', 'sessions.rotateRefresh']

const say = (line) => process.stdout.write(`${line}\n`)
const sha = (text) => createHash('sha256').update(text).digest('base64url')
// As the statement below makes them.
const idOf = (i) => sha(`s${i}`).slice(0, 22)
const hashOf = (i) => sha(`r${i}`)
const userOf = (i, { users }) => `u-${i % users}`

/** Rows as a router leaves them: signed in within 30 days, and refreshed since. */
async function fill(kysely, prefix, { sessions, users }) {
  const table = sql.table(`${prefix}sessions`)
  const now = Date.now()
  const day = 86_400_000
  const digest = (text) => sql`translate(rtrim(encode(sha256(convert_to(${text}, 'UTF8')), 'base64'), '='), '+/', '-_')`
  const state = JSON.stringify({ familyKey: sha('family'), spent: [{ hash: sha('spent'), salt: sha('salt'), spentAt: now }] })
  await sql`
    insert into ${table} (id, user_id, kind, scope, methods, authenticated_at, created_at, last_seen_at, idle_expires_at, expires_at, ip,
      user_agent, refresh_hash, refresh_state, purge_at)
    select substr(${digest(sql`'s' || i`)}, 1, 22), 'u-' || (i % ${sql.lit(users)}), 'pkce', '*', '["pwd"]', born, born, ${sql.lit(now)},
      ${sql.lit(now + 14 * day)}, born + ${sql.lit(90 * day)}, '203.0.113.7', 'Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Firefox/131.0',
      ${digest(sql`'r' || i`)}, ${sql.lit(state)}, ${sql.lit(now + 14 * day)}
    from (select i, (${sql.lit(now)} - (random() * ${sql.lit(30 * day)}))::bigint as born
      from generate_series(0, ${sql.lit(sessions - 1)}) as i) as rows`.execute(kysely)
  await sql`vacuum analyze ${table}`.execute(kysely)
}

function routerOf(stores, key) {
  const { keys: _keys, secondFactors: _factors, ...rest } = stores
  const alice = { id: 'u-0', username: 'alice', name: 'Alice', passwordHash: null }
  return createAuthRouter({
    users: { findByIdentifier: async () => alice, findById: async (id) => ({ ...alice, id }) },
    ...rest,
    signer: joseSigner({ issuer: 'https://chat.example.com', audience: 'chat', keys: [key] }),
    passwords: bcryptHasher({ cost: 4, dangerouslyAllowLowCost: true, threads: 1 }),
    purgeInterval: 0,
  })
}

/** A side of the comparison: filled tables, a router over them that listens, and what is measured. */
async function open(kysely, prefix, size) {
  await migrateSql(kysely, { prefix })
  await fill(kysely, prefix, size)
  const stores = sqlStores(kysely, { prefix })
  const key = await generateSigningKey()
  const auth = routerOf(stores, key)
  const app = express().use(auth)
  const listening = await new Promise((resolve) => {
    const at = app.listen(0, '127.0.0.1', () => resolve(at))
  })
  const url = `http://127.0.0.1:${listening.address().port}`
  const devices = []
  for (let i = 0; i < 20; i += 1) devices.push({ refresh_token: await refreshTokenOf(auth, url, userOf(i * 7, size)) })
  return {
    operations: operationsOf({
      stores,
      auth,
      url,
      devices,
      size,
      signer: joseSigner({ issuer: 'https://chat.example.com', audience: 'chat', keys: [key] }),
    }),
    async close() {
      listening.closeAllConnections()
      await new Promise((resolve) => listening.close(resolve))
      await auth.close()
    },
  }
}

async function refreshTokenOf(auth, url, userId) {
  const codeVerifier = randomBytes(32).toString('base64url')
  const { authorizationCode } = await auth.issueAuthorizationCode({ userId, codeChallenge: sha(codeVerifier) })
  return (await post(`${url}/auth/pkce/token`, { authorizationCode, codeVerifier })).refresh_token
}

async function post(url, body) {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
  return response.json()
}

const must = (fact, what) => {
  if (!fact) throw new Error(`the bench is wrong: ${what}`)
}

/** Each prepares what it needs, and answers the work that is measured. Each session is changed once at most. */
function operationsOf({ stores: { sessions }, auth, url, devices, size, signer }) {
  const step = size.sessions / 1000
  const order = (turn, offset) => Math.floor(((turn * 7 + offset) % 1000) * step)
  return {
    'sessions.find': (turn) => {
      const id = idOf(order(turn, 1))
      return async () => must((await sessions.find(id))?.id === id, 'not found')
    },
    'sessions.rotateRefresh': (turn) => {
      const i = order(turn, 2)
      const now = new Date()
      const refresh = {
        hash: sha(`next${i}`),
        familyKey: sha('family'),
        spent: [{ hash: hashOf(i), salt: sha('salt'), spentAt: now }],
      }
      const next = { refresh, lastSeenAt: now, idleExpiresAt: new Date(now.getTime() + 14 * 86_400_000), ip: '203.0.113.8' }
      return async () => must((await sessions.rotateRefresh(idOf(i), hashOf(i), next, now)).outcome === 'rotated', 'not rotated')
    },
    'sessions.liveAmong(500)': (turn) => {
      const ids = Array.from({ length: 500 }, (_, i) => idOf(order(turn + i, 3)))
      return async () => must((await sessions.liveAmong(ids, new Date())).length > 300, 'not alive')
    },
    'sessions.listForUser': (turn) => {
      const userId = userOf(order(turn, 4), size)
      return async () => must((await sessions.listForUser(userId, new Date())).length > 5, 'not listed')
    },
    'sessions.end': (turn) => {
      const id = idOf(order(turn, 5))
      return async () => must(await sessions.end(id, 'logout', new Date()), 'not ended')
    },
    'guarded request, not remembered': async (turn) => {
      const i = order(turn, 6)
      const iat = Math.floor(Date.now() / 1000)
      const claims = {
        sub: userOf(i, size),
        sid: idOf(i),
        iat,
        exp: iat + 600,
        jti: idOf(i),
        auth_time: iat,
        amr: ['pwd'],
        scope: '*',
      }
      const headersDistinct = { authorization: [`Bearer ${await signer.sign(claims)}`] }
      return () => auth.authenticate({ headersDistinct, headers: {}, socket: { remoteAddress: '127.0.0.1' } })
    },
    'POST /auth/refresh': (turn) => async () => {
      const { refresh_token } = await post(`${url}/auth/refresh`, { refreshToken: devices[turn % devices.length].refresh_token })
      devices[turn % devices.length] = { refresh_token }
    },
  }
}

async function measure(sides) {
  const names = Object.keys(sides[0].operations)
  const times = new Map(names.map((name) => [name, [[], []]]))
  // The first rounds warm up connections and caches, and are not counted.
  for (let turn = -warmUp; turn < rounds; turn += 1) {
    const order = turn % 2 === 0 ? [0, 1] : [1, 0]
    const jobs = names.flatMap((name) => order.map((side) => ({ name, side })))
    for (const { name, side } of jobs) {
      const microseconds = await timeOf(sides[side].operations[name], turn + warmUp)
      if (turn >= 0) times.get(name)[side].push(microseconds)
    }
  }
  return names.map((name) => {
    const [few, many] = times.get(name).map(median)
    return { name, few, many, ratio: many / few }
  })
}

async function timeOf(operation, turn) {
  const work = await operation(turn)
  const from = performance.now()
  await work()
  return (performance.now() - from) * 1000
}

function median(list) {
  return list.sort((one, other) => one - other)[Math.floor(list.length / 2)]
}

async function onDatabaseOfItsOwn(work) {
  const name = `mar_growth_${randomBytes(4).toString('hex')}`
  const admin = new pg.Client({ connectionString: server })
  await admin.connect()
  await admin.query(`create database ${name}`)
  const at = new URL(server)
  at.pathname = `/${name}`
  const pool = new pg.Pool({ connectionString: at.href, max: 10 })
  const kysely = new Kysely({ dialect: new PostgresDialect({ pool }) })
  try {
    return await work(kysely)
  } finally {
    await kysely.destroy()
    await admin.query(`drop database ${name} with (force)`)
    await admin.end()
  }
}

const results = await onDatabaseOfItsOwn(async (kysely) => {
  const sides = [
    await open(kysely, 'few_', { sessions: 1000, users: 100 }),
    await open(kysely, 'many_', { sessions: 1_000_000, users: 100_000 }),
  ]
  const measured = await measure(sides)
  for (const side of sides) await side.close()
  return measured
})

say(`${'median of 100, in turns'.padEnd(34)} ${'1,000'.padStart(10)} ${'1,000,000'.padStart(12)} ratio`)
for (const { name, few, many, ratio } of results) {
  say(`${name.padEnd(34)} ${few.toFixed(0).padStart(7)} us ${many.toFixed(0).padStart(9)} us ${ratio.toFixed(2).padStart(5)}`)
}
const grown = results.filter(({ name, ratio }) => mustHold.includes(name) && ratio > most)
for (const { name } of grown) say(`${name} takes more than ${most} times as long beside 1,000,000 sessions`)
process.exitCode = grown.length === 0 ? 0 : 1
