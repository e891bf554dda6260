// A router whose users are in a directory that does whatever the test wants.
import type { IncomingMessage } from 'node:http'
import type { AuthRouterOptions, DirectoriesOptions } from '../../src/index.js'
import { type HostSettings, startHost, type TestHost } from '../support/host.js'
import { type MemoryDirectory, memoryDirectory } from '../support/memory-directory.js'

/** A request that the host's own code hands on. */
export const fromHost = {
  headers: { host: 'x' },
  rawHeaders: [],
  socket: { remoteAddress: '127.0.0.1' },
} as unknown as IncomingMessage

export const rightPassword = 'the password of the company'

export interface DirectoryHost extends TestHost {
  readonly directory: MemoryDirectory
}

export interface DirectorySettings extends Omit<HostSettings, 'options'> {
  /** What starts the host, such as one with pages. */
  readonly start?: typeof startHost
  readonly directory?: MemoryDirectory
  readonly directories?: Partial<DirectoriesOptions>
  readonly options?: Partial<AuthRouterOptions>
}

/** Starts one with ada, who is in the directory and connected; alice has the host's password. */
export async function startDirectories(settings: DirectorySettings = {}): Promise<DirectoryHost> {
  const { directory = memoryDirectory(), directories, options, start = startHost } = settings
  const host = await start({
    ...settings,
    options: { directories: { list: [directory], ...directories }, ...options },
  })
  host.users.add({ id: 'u-ada', username: 'ada', email: 'ada@example.com' })
  directory.add({ username: 'ada', subject: 'guid-ada', password: rightPassword })
  await host.auth.identities.connect({ userId: 'u-ada', directory: 'corp', subject: 'guid-ada' })
  host.events.length = 0
  return { ...host, directory }
}
