// What a page loads: each entry, bundled and minified by itself as a host's bundler does it.
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { expect, it } from 'vitest'

const file = (path: string) => fileURLToPath(new URL(`../../dist/${path}`, import.meta.url))

/** Bytes of an entry after gzip, and what it still imports. */
async function bundled(path: string, external: string[] = []) {
  const bundle = await rolldown({ input: file(path), external, logLevel: 'silent' })
  const { output } = await bundle.generate({ minify: true, format: 'esm' })
  await bundle.close()
  const imports = output.flatMap((part) => (part.type === 'chunk' ? part.imports : []))
  const code = output.map((part) => (part.type === 'chunk' ? part.code : '')).join('')
  return { bytes: gzipSync(code).length, imports }
}

it.each([
  ['client/index.js', 8704, []],
  ['client/socket-io.js', 1024, []],
  ['client/passkeys.js', 3072, []],
  ['client/oauth.js', 3072, []],
  ['client/popup.js', 3600, []],
  ['client/providers.js', 2560, []],
  ['client/device-links.js', 2048, []],
  ['client/react.js', 1024, ['react']],
] as const)(
  '%s is at most %i bytes after gzip, and imports nothing but %j',
  async (path, most, imports) => {
    const found = await bundled(path, [...imports])
    expect(found.imports).toEqual(imports)
    expect(found.bytes).toBeLessThanOrEqual(most)
    expect(found.bytes).toBeGreaterThan(100)
  },
)
