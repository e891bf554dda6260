// The files that docs/passport-strategies.md shows, as a reader would have copied them.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const page = join(import.meta.dirname, '../../../docs/passport-strategies.md')
/** Beside the strategies, so that they are found from there. */
export const examplesFolder = join(import.meta.dirname, '../build/passport')

/** Every block of TypeScript: by its name, or by its number where it has none. */
function blocks(): [name: string, code: string][] {
  const found = [...readFileSync(page, 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm)]
  return found.map(([, code = ''], index) => [
    /^\/\/ ([\w-]+\.ts)\n/.exec(code)?.[1] ?? `usage-${index}.ts`,
    code,
  ])
}

/** Writes them: whole files, since another process may be reading them. */
export function writeExamples(): string[] {
  mkdirSync(examplesFolder, { recursive: true })
  return blocks().map(([name, code]) => {
    const file = join(examplesFolder, name)
    const draft = `${file}.${process.pid}`
    writeFileSync(draft, code)
    renameSync(draft, file)
    return name
  })
}

/** One of them, to be run. */
export async function example<T>(name: string): Promise<T> {
  writeExamples()
  return (await import(/* @vite-ignore */ pathToFileURL(join(examplesFolder, name)).href)) as T
}
