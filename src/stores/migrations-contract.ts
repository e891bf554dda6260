/** Brings the tables of a database up to the installed release. */
export interface Migrations {
  /** Applies the missing migrations. Equal numbers: none was missing. */
  migrate(): Promise<{ readonly from: number; readonly to: number }>
  /** The statements for it, to be read, or run by another account. */
  print(): string
  /** The tables, indexes and columns that are missing. Changes nothing. */
  pending(): Promise<readonly string[]>
}
