import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const examples = fileURLToPath(new URL('../../../docs/examples/', import.meta.url))
const beside = fileURLToPath(new URL('../.scratch/', import.meta.url))

/** An example of the docs as it stands, where it finds the packages that are pinned here. */
export function exampleOfDocs(name: string): string {
  mkdirSync(beside, { recursive: true })
  const copy = join(beside, name)
  copyFileSync(join(examples, name), copy)
  return copy
}
