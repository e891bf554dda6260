import { AuthConfigError } from '../../errors.js'
import type { Migrations } from '../migrations-contract.js'
import { createEngine } from './engine.js'
import type { HostKysely } from './host-kysely.js'
import { migrateSql } from './migrate.js'
import { run } from './migration-lock.js'
import { createMigrationsTable, migrationSql, migrationsFor, onDemand } from './migrations.js'
import { checkMigrationOptions, type SqlMigrationOptions } from './tables.js'
import { listWhatIsThere } from './what-is-there.js'

/**
 * {@link migrateSql}, what it would do, and {@link migrationSql}, in one object: `migrations` of
 * `auth-admin.mjs`, for `messaging-auth-router migrate`.
 *
 * @param kysely - your instance; not a transaction
 * @param options - as for `migrateSql`
 * @throws AuthConfigError as `migrateSql` does
 *
 * @example
 * ```ts
 * import type { Kysely } from 'kysely'
 * import { sqlMigrations } from 'messaging-auth-router/stores/sql'
 *
 * export async function isUpToDate(kysely: Kysely<object>): Promise<boolean> {
 *   return (await sqlMigrations(kysely, { audit: true }).pending()).length === 0
 * }
 * ```
 */
export function sqlMigrations<Database>(
  kysely: HostKysely<Database>,
  options: SqlMigrationOptions = {},
): Migrations {
  const where = checkMigrationOptions('sqlMigrations', options)
  const { name, db } = createEngine(kysely, where)
  if (db.isTransaction)
    throw new AuthConfigError(
      'sqlMigrations(kysely)',
      'is a transaction.',
      'pass the Kysely instance itself.',
    )
  return {
    migrate: () => migrateSql(kysely, options),
    print: () => migrationSql(name, options),
    async pending() {
      const rows = await run(db, listWhatIsThere(name, where))
      const there = new Set(rows.map((row) => (row as { name: unknown }).name))
      const wanted = [
        createMigrationsTable(name, where),
        ...migrationsFor(name, where).flatMap(({ statements }) => statements),
        ...onDemand(name, where),
      ]
      return wanted.map(({ makes }) => makes).filter((makes) => !there.has(makes))
    },
  }
}
