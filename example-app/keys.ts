import { randomBytes, randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { type KeyRing, type KeyStore, keyRing } from 'messaging-auth-router'
import { log } from './log.js'
import { reasonOf, root, SettingError, type Settings, withSetting } from './settings.js'

/** Seals what the database must not hold in clear. `setting` is where it came from. */
export interface EncryptionKey {
  readonly setting: 'AUTH_ENCRYPTION_KEY' | 'AUTH_ENCRYPTION_KEY_FILE'
  readonly base64: string
}

/** The key of the environment, or else that of the file, which is made once. A real server has it in its secret store. */
export async function readEncryptionKey({ encryptionKey, encryptionKeyFile }: Settings): Promise<EncryptionKey> {
  if (encryptionKey !== null) return { setting: 'AUTH_ENCRYPTION_KEY', base64: encryptionKey }
  const file = resolve(root, encryptionKeyFile)
  const setting = 'AUTH_ENCRYPTION_KEY_FILE'
  const read = async () => ({ setting, base64: (await readFile(file, 'utf8')).trim() }) as const
  try {
    return await read().catch(() => makeFile(file).then(read))
  } catch (error) {
    throw new SettingError(`${setting}: cannot be used (${reasonOf(error)}).`)
  }
}

// Written whole under another name and then linked to its own: of several processes one succeeds, and none reads half a key.
async function makeFile(file: string): Promise<void> {
  const draft = `${file}.${randomUUID()}`
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writeFile(draft, `${randomBytes(32).toString('base64')}\n`, { flag: 'wx', mode: 0o600, flush: true })
  try {
    await link(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(draft, { force: true })
  }
}

/** The signing keys in the database; the first is made here. Refuses an encryption key that does not open them. */
export async function openKeyRing(store: KeyStore, { setting, base64 }: EncryptionKey): Promise<KeyRing> {
  const ring = withSetting(setting, () => keyRing({ store, encryptionKeys: [base64] }))
  // Reads the keys, so that all that can fail in the next step is to open them. Better now than 503 for every request.
  await ring.list()
  await ring.snapshot().catch(() => {
    throw new SettingError(`${setting}: what is in this database was sealed with another key. Give that one, or another database.`)
  })
  return ring
}

/** Hourly, in every process: a key is made once it is due. */
export function keepRotating(ring: KeyRing): void {
  const rotate = () =>
    ring.rotate({ ifOlderThan: 30 * 24 * 3600 }).catch((error) => log('a new signing key could not be made', error))
  setInterval(rotate, 3600 * 1000).unref()
}
