// Hosts that do not use `oauth` need none of its tables: nothing else reads them or writes to them.
import { CompiledQuery } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { migrationSql, sqlStores } from '../../src/stores/sql/sql-stores.js'
import { totpCode } from '../../src/testing/testing.js'
import { bearer, get, logIn, obtainCode, post, remove } from '../support/client.js'
import { type DatabaseKind, databaseKinds, dropTables } from '../support/databases.js'
import { password, startHost, type TestHost } from '../support/host.js'
import { makeToken, namedTokens } from '../support/named-tokens.js'
import { cookieOf, ownPage, send, signInByPage, startPages } from '../support/pages.js'
import { randomKey } from '../support/records.js'

const ofOAuth = ['clients', 'consents', 'once', 'id_token_keys']

/** Stores over tables of which those of OAuth are gone, and what is asked of them. */
async function openWithoutOAuth({ open, engine }: DatabaseKind) {
  if (open === null) throw new Error('not reachable')
  const statementsSent: string[] = []
  const kysely = open({ onQuery: (sql) => void statementsSent.push(sql) })
  const prefix = `w${randomKey()
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')}_`.slice(0, 20)
  onTestFinished(async () => {
    if (engine !== 'sqlite') await dropTables(kysely, prefix)
    await kysely.destroy()
  })
  const made = migrationSql(engine, { prefix }).split(/;\n+/)
  const dropped = ofOAuth.map((table) => `drop table ${prefix}${table}`)
  for (const statement of [...made, ...dropped].filter((text) => text.trim() !== ''))
    await kysely.executeQuery(CompiledQuery.raw(statement))
  statementsSent.length = 0
  const { keys: _keys, ...stores } = sqlStores(kysely, { prefix })
  return { stores, prefix, statementsSent }
}

/** Everything that users of such a host do. */
async function useAll(host: TestHost): Promise<void> {
  const { authToken } = await logIn(host)
  const me = bearer(authToken)
  expect((await get(host, '/me', me)).status).toBe(200)
  const exchanged = await post(host, '/auth/pkce/token', await obtainCode(host, authToken))
  const { refresh_token } = exchanged.body
  expect((await post(host, '/auth/refresh', { refresh_token })).status).toBe(200)
  expect((await post(host, '/auth/socket-ticket', undefined, me)).status).toBe(200)
  const { token } = await makeToken(host, authToken, { password })
  expect((await get(host, '/me', bearer(token))).status).toBe(200)
  expect((await get(host, namedTokens, me)).status).toBe(200)
  const begun = await post(host, '/auth/totp', { password }, me)
  const code = totpCode(begun.body.data.secret, host.clock())
  expect((await get(host, '/auth/sessions', me)).body.data.sessions).toHaveLength(3)
  // Ends the others.
  expect((await post(host, '/auth/totp/confirm', { code }, me)).status).toBe(200)
  expect((await remove(host, '/auth/sessions', me)).status).toBe(200)
  expect((await post(host, '/logout', undefined, me)).status).toBe(200)
  expect((await get(host, '/me', me)).status).toBe(401)
}

describe.each(databaseKinds)('without oauth, over $name without its tables', (kind) => {
  it.skipIf(kind.open === null)('users do all that they did, and health is good', async () => {
    const { stores, prefix, statementsSent } = await openWithoutOAuth(kind)
    const host = await startHost({ options: { ...stores, namedTokens: true } })
    await useAll(host)
    expect(await host.auth.health()).toMatchObject({ ok: true })
    expect(host.unforeseen).toEqual([])
    expect(host.events.filter(({ type }) => type === 'host.failed')).toEqual([])
    const tables = new RegExp(`${prefix}(${ofOAuth.join('|')})`)
    expect(statementsSent.filter((statement) => tables.test(statement))).toEqual([])
  })

  it.skipIf(kind.open === null)('browsers are signed in and out by a cookie', async () => {
    const { stores } = await openWithoutOAuth(kind)
    const host = await startPages({ options: stores })
    const { Cookie } = await signInByPage(host)
    expect((await send(host, 'GET', '/page', { ...ownPage, Cookie })).status).toBe(200)
    const out = await send(host, 'POST', '/sign-out', { ...ownPage, Cookie })
    expect([out.status, cookieOf(out)?.value]).toEqual([200, ''])
    expect((await send(host, 'GET', '/page', { ...ownPage, Cookie })).status).toBe(401)
    expect(host.events.filter(({ type }) => type === 'host.failed')).toEqual([])
  })
})
