import { migrationsFor } from '../../src/stores/sql/migrations.js'

/** The version of the tables that this release makes. */
export const latest: number = migrationsFor('sqlite', { prefix: 'mar_' }).length
