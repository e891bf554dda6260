import type { Directory, DirectoryCheck } from './contract.js'
import type { CheckedLdapOptions } from './ldap-options.js'

/** The checks of {@link Directory.check}. */
export function createLdapCheck(_options: CheckedLdapOptions): NonNullable<Directory['check']> {
  return async () => [] as DirectoryCheck[]
}
