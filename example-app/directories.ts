import type { DirectoriesOptions } from 'messaging-auth-router'
import { type Settings, withSetting } from './settings.js'

/**
 * Lets people sign in with the password of a company's directory: see docs/directories.md.
 * Undefined without `DIRECTORIES`, and then ldapts need not be installed.
 */
export async function directoriesOptions({
  directories,
}: Pick<Settings, 'directories'>): Promise<DirectoriesOptions | undefined> {
  if (directories.length === 0) return undefined
  const { ldapDirectory } = await import('messaging-auth-router/directories')
  const list = withSetting('DIRECTORIES', () => directories.map((one) => ldapDirectory(one)))
  return {
    list,
    unknown: 'create',
    emailProven: true,
    allowed: ({ email }) => email !== undefined || 'Your entry in the directory has no address.',
  }
}
