import { randomBytes, randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { type KeyRing, type KeyStore, keyRing, type Logger } from 'messaging-auth-router'
import { log } from './log.js'
import {
  type EncryptionKeys,
  reasonOf,
  root,
  SettingError,
  type Settings,
  withSetting,
} from './settings.js'

/**
 * The keys of the environment, or else those of the file, one a line, which is made once. A real
 * server has them in its secret store.
 */
export async function readEncryptionKeys({
  encryptionKeys,
  encryptionKeyFile,
}: Settings): Promise<EncryptionKeys> {
  if (encryptionKeys !== null) return encryptionKeys
  const file = resolve(root, encryptionKeyFile)
  const setting = 'AUTH_ENCRYPTION_KEY_FILE'
  const read = async () => ({ setting, base64: (await readFile(file, 'utf8')).trim().split(/\s+/) })
  try {
    return await read().catch(() => makeFile(file).then(read))
  } catch (error) {
    throw new SettingError(`${setting}: cannot be used (${reasonOf(error)}).`)
  }
}

// Written whole under another name and then linked to its own: of several processes one succeeds,
// and none reads half a key.
async function makeFile(file: string): Promise<void> {
  const draft = `${file}.${randomUUID()}`
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writeFile(draft, `${randomBytes(32).toString('base64')}\n`, {
    flag: 'wx',
    mode: 0o600,
    flush: true,
  })
  try {
    await link(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(draft, { force: true })
  }
}

/**
 * The signing keys in the database; the first is made here. Refuses encryption keys that do not
 * open them.
 */
export async function openKeyRing(
  store: KeyStore,
  { setting, base64 }: EncryptionKeys,
): Promise<KeyRing> {
  const { logger, startLogging } = logLater()
  const ring = withSetting(setting, () => keyRing({ store, encryptionKeys: base64, logger }))
  // Reads the keys, so that all that can fail in the next step is to open them. Better now than 503
  // for every request.
  await ring.list()
  await ring.snapshot().catch(() => {
    throw new SettingError(
      `${setting}: what is in this database was sealed with another key. Give that one, or ` +
        'another database.',
    )
  })
  startLogging()
  return ring
}

// Keys that no encryption key opens end the start with one line, not with a line for each.
function logLater(): { logger: Logger; startLogging: () => void } {
  const held: (() => void)[] = []
  let isHeld = true
  const warn = (message: string, fields?: object) => {
    if (isHeld) held.push(() => log(message, fields))
    else log(message, fields)
  }
  const startLogging = () => {
    isHeld = false
    for (const write of held) write()
  }
  return { logger: { debug() {}, info() {}, warn, error: warn }, startLogging }
}

/** Hourly, in every process: a key is made once it is due. */
export function keepRotating(ring: KeyRing): void {
  const rotate = () =>
    ring
      .rotate({ ifOlderThan: 30 * 24 * 3600 })
      .catch((error) => log('a new signing key could not be made', error))
  setInterval(rotate, 3600 * 1000).unref()
}
