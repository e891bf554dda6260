// An optional library that is not there is named at the start, and nothing is named falsely.
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { expect, it, onTestFinished } from 'vitest'

const source = fileURLToPath(new URL('../../src/lib/require-library.ts', import.meta.url))

// Nobody has installed it, in no folder above the temporary ones either.
const notInstalled = `openid-client-${randomUUID()}`

/** What a package of this name hears of a library, in a process of its own. */
async function heardBy(name: string, format: 'esm' | 'cjs', library: 'there' | 'missing') {
  const folder = await mkdtemp(join(tmpdir(), 'library-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = format === 'esm' ? 'made.mjs' : 'made.cjs'
  const bundle = await rolldown({ input: source, platform: 'node', logLevel: 'silent' })
  await bundle.write({ file: join(folder, file), format })
  const exports = { './package.json': './package.json' }
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name, exports }))
  if (library === 'there') {
    const inside = join(folder, 'node_modules', notInstalled)
    await mkdir(inside, { recursive: true })
    await writeFile(join(inside, 'package.json'), JSON.stringify({ name: notInstalled }))
    // Loading it would fail.
    await writeFile(join(inside, 'index.js'), 'throw new Error("loaded")')
  }
  const program = `const { requireLibrary } = await import('./${file}')
    try { requireLibrary('openIdProvider()', '${notInstalled}', 6); console.log('fine') }
    catch ({ message }) { console.log(message) }`
  const asked = ['--input-type=module', '-e', program]
  return (await promisify(execFile)(process.execPath, asked, { cwd: folder })).stdout.trim()
}

const own = 'messaging-auth-router'

it('says what to install, where it is not there', async () => {
  const heard = await heardBy(own, 'esm', 'missing')
  expect(heard).toContain(`openIdProvider(): finds no ${notInstalled}.`)
  expect(heard).toContain(`npm install ${notInstalled}@6.`)
})

it('says nothing where it is there, and does not load it', async () => {
  expect(await heardBy(own, 'esm', 'there')).toBe('fine')
})

it.each(['esm', 'cjs'] as const)(
  'says nothing in a bundle of the host’s, which may hold it: %s',
  async (format) => {
    expect(await heardBy('chat-server', format, 'missing')).toBe('fine')
  },
)
