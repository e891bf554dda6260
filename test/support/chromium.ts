// A real browser for the tests of pages. `chromiumPath` is null when there is none; with
// REQUIRE_SERVICES=1 that is a failure instead.
import { accessSync, constants } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** Where Chromium is. Override with CHROMIUM_PATH. */
export const chromiumPath: string | null = executable(
  process.env['CHROMIUM_PATH'] || '/usr/bin/chromium',
)

const quiet = [
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Starts it, without a window. */
export function launchChromium(): Promise<Browser> {
  // No sandbox: in containers it cannot be set up. It sees pages of the tests only.
  const args = ['--headless=new', '--no-sandbox', '--no-first-run', ...quiet]
  return chromium.launch({ executablePath: chromiumPath ?? '', args })
}

function executable(path: string): string | null {
  try {
    accessSync(path, constants.X_OK)
    return path
  } catch {
    const message = `Chromium is not at ${path} (CHROMIUM_PATH)`
    if (process.env['REQUIRE_SERVICES'] === '1') throw new Error(message)
    process.stderr.write(`skipped: ${message}\n`)
    return null
  }
}
