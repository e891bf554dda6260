import { type EndingKit, endForUser } from '../account/sessions-for-host.js'
import type { AuthEventBody } from '../audit/events.js'
import type { Directory, DirectoryCheck } from '../directories/contract.js'
import {
  createDirectoryServer,
  type DirectoryServer,
} from '../directory-sign-in/directory-server.js'
import { lookAtAll } from '../directory-sign-in/directory-watch.js'
import { AuthError, invalidRequest } from '../errors.js'
import { contextOfAction, type HostAction } from '../http/input.js'
import type { HostCall } from '../lib/host-call.js'
import { off } from '../lib/off.js'
import { type CheckedAdminOptions, without } from './admin-options.js'

/** One step of the check of a directory. */
export interface AdminDirectoryCheck extends DirectoryCheck {
  /** The id of the directory. */
  readonly directory: string
}

/** One look at the users of a directory; null where not all of them could be looked at. */
export interface AdminDirectoryLook {
  /** The id of the directory. */
  readonly directory: string
  /** Connected users. */
  readonly people: number | null
  /** How many of them had sessions, which have ended. */
  readonly left: number | null
}

/** The directories of a company. */
export interface AdminDirectories {
  /**
   * The steps of `check` of each directory, or of the one with this id. With the name of somebody,
   * the last step is what `allowed` says of the entry; one that is disabled is a fault. No step
   * names a password.
   */
  check(name: string | null, id?: string): Promise<readonly AdminDirectoryCheck[]>
  /**
   * `auth.directories.look`, which goes on after a failure: one look at every connected user, and
   * an end to the sessions of those who have left.
   */
  look(options?: HostAction): Promise<readonly AdminDirectoryLook[]>
}

interface DirectoriesKit extends EndingKit {
  /** Calls with a time limit for requests to other servers. */
  readonly callProvider: HostCall
}

export function createAdminDirectories(
  { directories: options }: CheckedAdminOptions,
  kit: DirectoriesKit,
): AdminDirectories {
  if (options === undefined)
    return off('directories', 'is missing.', 'pass list and allowed, as in the servers.', [
      'check',
      'look',
    ])
  if (kit.identities === undefined) return without('identities')
  const server = createDirectoryServer(kit, options, kit.identities)
  return {
    async check(name, id) {
      const asked = options.list.filter((directory) => id === undefined || directory.id === id)
      if (asked.length === 0)
        throw invalidRequest([{ path: 'directory', message: 'Invalid input: no such directory' }])
      const all = asked.map(async (directory) => {
        const steps = await stepsOf(server, directory, name)
        return steps.map((step) => ({ directory: directory.id, ...step }))
      })
      return (await Promise.all(all)).flat()
    },
    async look(given) {
      const context = contextOfAction(given)
      const { sessions, call } = kit
      const { entries, isAllowed } = server
      const { endAllForUser: endAll } = sessions
      // Whoever looks from a terminal is the actor.
      const audit = (event: AuthEventBody) => kit.audit(event, context)
      const endLeft = (userId: string) =>
        endForUser(kit, { userId, reason: 'directory-left', endAll, cause: context })
      const looking = { entries, isAllowed, sessions, call, audit, endLeft }
      return Promise.all(
        server.directories.map((directory) =>
          lookAtAll(looking, directory).catch((): AdminDirectoryLook => {
            // The failed call has reported itself.
            audit({ type: 'directory.not-looked', directory: directory.id })
            return { directory: directory.id, people: null, left: null }
          }),
        ),
      )
    },
  }
}

const ownCheck = { step: 'check', ok: true, found: 'this directory has no check of its own' }

async function stepsOf(
  server: DirectoryServer,
  directory: Directory,
  name: string | null,
): Promise<readonly DirectoryCheck[]> {
  // Each step of it has a time limit of its own.
  const steps = (await directory.check?.(name)) ?? [ownCheck]
  if (name === null || steps.some(({ ok }) => !ok)) return steps
  return [...steps, await askRule(server, directory.id, name)]
}

/** What the rule of the host says of the entry with this name. */
async function askRule(
  { directories, isAllowed }: DirectoryServer,
  id: string,
  name: string,
): Promise<DirectoryCheck> {
  const step = 'ask allowed'
  try {
    const found = await directories.find((one) => one.id === id)?.find(name)
    const [entry, ...others] = found ?? []
    if (entry === undefined || others.length > 0)
      return { step, ok: false, found: `entries: ${found?.length}`, remedy: 'there must be one.' }
    if (entry.disabled)
      return { step: 'look at the entry', ok: false, found: 'disabled', remedy: 'enable it.' }
    const told = await isAllowed(entry)
    if (told === true) return { step, ok: true, found: 'yes' }
    const remedy = 'change the entry, or allowed.'
    return { step, ok: false, found: told === false ? 'no' : told, remedy }
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    return { step, ok: false, found: error.message, remedy: 'the event host.failed says why.' }
  }
}
