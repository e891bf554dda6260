import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { AuthConfigError } from '../errors.js'
import { sha256 } from '../lib/digest.js'
import type { Stylesheet } from './stylesheet.js'

/** A file that pages load, under a name that changes with what is in it. */
export interface ServedFile {
  readonly name: string
  readonly type: string
  readonly bytes: Buffer
}

const types: ReadonlyMap<string, string> = new Map([
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
  ['.webp', 'image/webp'],
  ['.jpg', 'image/jpeg'],
  ['.jpeg', 'image/jpeg'],
  ['.avif', 'image/avif'],
])

/** Bytes: every page shows it. */
const maxLogoBytes = 256 * 1024

/** The style sheet as a file. */
export function stylesheetFile({ css, version }: Stylesheet): ServedFile {
  return { name: `page-${version}.css`, type: 'text/css; charset=utf-8', bytes: Buffer.from(css) }
}

/** The script of passkeys as a file. */
export function scriptFile(script: string): ServedFile {
  const name = `passkeys-${sha256(script).slice(0, 16)}.js`
  return { name, type: 'text/javascript; charset=utf-8', bytes: Buffer.from(script) }
}

/**
 * Reads the picture of a brand, whose name `checkBrand` has taken.
 *
 * @throws AuthConfigError for one that cannot be read, or has more than 256 KiB
 */
export function readLogo(file: string): ServedFile {
  const bytes = bytesOf(file)
  if (bytes.length > maxLogoBytes)
    throw refusal('has more than 256 KiB.', 'make it smaller: every page shows it.')
  const extension = extname(file).toLowerCase()
  const type = types.get(extension) ?? 'application/octet-stream'
  return { name: `logo-${sha256(bytes.toString('base64')).slice(0, 16)}${extension}`, type, bytes }
}

function bytesOf(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch {
    throw refusal(
      'cannot be read.',
      "check the path: one that is relative is below the process's working directory.",
    )
  }
}

function refusal(problem: string, remedy: string): AuthConfigError {
  return new AuthConfigError('pages.brand.logo.file', problem, remedy)
}
