import { z } from 'zod'
import { UnexpectedAnswer } from '../lib/host-call.js'
import type { KeyStore, StoredSigningKey } from './contract.js'

/** A key store whose rows are unchecked. */
export interface RowStore extends Omit<KeyStore, 'list'> {
  list(): Promise<unknown>
}

/** The valid keys of a store, oldest first, and the generations of damaged rows. */
export interface FoundRows {
  readonly rows: readonly StoredSigningKey[]
  readonly damaged: readonly number[]
}

const schema = z.object({
  generation: z.int().positive(),
  kid: z.string().min(1),
  sealedKey: z.string().min(1),
  createdAt: z.date(),
  activatesAt: z.date(),
})

/** Checks each row by itself: a damaged row does not affect the others. */
export function readRows(listed: unknown): FoundRows {
  if (!Array.isArray(listed))
    throw new UnexpectedAnswer('the key store answered something that is not a list')
  const found = listed.map((row: unknown) => schema.safeParse(row))
  const rows = found
    .flatMap(({ data }) => (data === undefined ? [] : [data]))
    .sort((a, b) => a.generation - b.generation)
  return {
    rows,
    damaged: listed.filter((_row, i) => found[i]?.success === false).map(generationOf),
  }
}

/** The highest generation in use, by a key or by a damaged row. */
export function highestGeneration({ rows, damaged }: FoundRows): number {
  return Math.max(0, ...rows.map(({ generation }) => generation), ...damaged)
}

function generationOf(row: unknown): number {
  const generation: unknown = (row as { generation?: unknown } | null | undefined)?.generation
  return Number.isSafeInteger(generation) ? (generation as number) : 0
}
