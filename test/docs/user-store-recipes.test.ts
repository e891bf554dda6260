import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import knex from 'knex'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { UserStore } from '../../src/index.js'
import { type UserToAdd, userStoreContract } from '../../src/testing/testing.js'
import { freshPostgres } from '../support/fresh-database.js'
import { postgresUrl } from '../support/services.js'

// The stores that docs/user-store.md shows are run as they stand there, over a real table.

const page = readFileSync(new URL('../../docs/user-store.md', import.meta.url), 'utf8')
// Below the project, so that their packages are found.
const folder = mkdtempSync(fileURLToPath(new URL('.recipes-', import.meta.url)))
afterAll(() => rmSync(folder, { recursive: true }))

async function recipe(title: string, name: string): Promise<(database: unknown) => UserStore> {
  const [, rest = ''] = page.split(`\nWith ${title}`)
  const [, code = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(rest) ?? []
  const file = join(folder, `${name}.mjs`)
  const compilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ES2022,
    verbatimModuleSyntax: true,
  }
  writeFileSync(file, ts.transpileModule(code, { compilerOptions }).outputText)
  return (await import(/* @vite-ignore */ pathToFileURL(file).href))[name]
}

const table = `create table users (
  id serial primary key, username text not null, email text, name text not null,
  password_hash text, disabled boolean not null default false,
  must_change_password boolean not null default false, password_until timestamptz,
  email_verified boolean not null default false, email_factor boolean not null default false,
  phone text unique, phone_verified boolean not null default false,
  phone_factor boolean not null default false);
  create unique index users_email on users (lower(email));
  create unique index users_name on users (username);
  create table accepted (user_id text, document text, version text, at timestamptz,
    primary key (user_id, document, version))`

describe.skipIf(postgresUrl === null)('the UserStore of docs/user-store.md, on PostgreSQL', () => {
  const open: { pool?: pg.Pool; drop?: () => Promise<void> } = {}
  const pool = () => open.pool as pg.Pool
  beforeAll(async () => {
    const { url, drop } = await freshPostgres()
    Object.assign(open, { drop, pool: new pg.Pool({ connectionString: url }) })
    await pool().query(table)
  })
  afterAll(async () => {
    await open.pool?.end()
    await open.drop?.()
  })

  const addUser = async (user: UserToAdd) => {
    const { rows } = await pool().query<{ id: number }>(
      'insert into users (username, email, name, password_hash, disabled, email_verified) ' +
        'values ($1, $2, $3, $4, $5, $6) returning id',
      [user.username, user.email, user.name, user.passwordHash, user.disabled, user.emailVerified],
    )
    return String(rows[0]?.id)
  }

  const connections: readonly (readonly [
    title: string,
    name: string,
    connect: () => { database: unknown; close?: () => Promise<void> },
  ])[] = [
    ['plain `pg`', 'pgUsers', () => ({ database: pool() })],
    [
      'Kysely',
      'kyselyUsers',
      () => ({ database: new Kysely({ dialect: new PostgresDialect({ pool: pool() }) }) }),
    ],
    [
      'Knex',
      'knexUsers',
      () => {
        const connection = pool().options.connectionString as string
        const database = knex({ client: 'pg', connection })
        return { database, close: () => database.destroy() }
      },
    ],
  ]
  for (const [title, name, connect] of connections) {
    describe(`with ${title}`, () => {
      const tests = userStoreContract(async () => {
        const { database, close = async () => {} } = connect()
        return { users: (await recipe(title, name))(database), addUser, close }
      })
      for (const test of tests) it(test.name, test.run)
    })
  }
})

it('the store for plain pg of docs/user-store.md has all optional methods', async () => {
  const users = (await recipe('plain `pg`', 'pgUsers'))({})
  expect(Object.keys(users).sort()).toEqual([
    'accepted',
    'create',
    'delete',
    'findById',
    'findByIdentifier',
    'findContact',
    'markEmailVerified',
    'nameIsFree',
    'requirePasswordChange',
    'setEmailFactor',
    'setPhoneFactor',
    'updateEmail',
    'updatePasswordHash',
    'updatePhone',
  ])
})

it('docs/user-store.md says how many tests the contract has', () => {
  const tests = userStoreContract(() => ({ users: {} as UserStore, addUser: async () => '' }))
  expect(page).toContain(`: ${tests.length} tests,`)
})

describe('the UserStore for Mongoose of docs/user-store.md', () => {
  it.each(['99999999999', '1e3', ' ', 'abcdefghijkl', 'A'.repeat(24), 'a'.repeat(1024)])(
    'asks nothing of the database for the id %j, and finds nobody',
    async (id) => {
      const users = (await recipe('Mongoose', 'mongooseUsers'))({})
      expect(await users.findById(id)).toBeNull()
      expect(await users.updatePasswordHash?.(id, 'from', 'to')).toBe(false)
    },
  )
})
