export type {
  Directory,
  DirectoryCheck,
  DirectoryEntry,
  DirectoryRefusal,
  DirectoryVerdict,
} from './contract.js'
export { ldapDirectory } from './ldap-directory.js'
export type {
  LdapDirectoryOptions,
  LdapGroups,
  LdapKind,
  LdapServiceAccount,
  LdapTls,
} from './ldap-options.js'
