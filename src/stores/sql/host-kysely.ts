import type { Kysely, Transaction } from 'kysely'

/**
 * The host's own instance. Kysely declares its classes twice, for ES modules and for CommonJS, and
 * with private members, so that to the compiler those of a host in CommonJS are others. They are
 * the same to use.
 */
export type HostKysely<Database> =
  | Kysely<Database>
  | import('kysely', { with: { 'resolution-mode': 'require' }}).Kysely<Database>

/** A transaction of it. */
export type HostTransaction<Database> =
  | Transaction<Database>
  | import('kysely', { with: { 'resolution-mode': 'require' }}).Transaction<Database>
