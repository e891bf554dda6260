/** Somebody as a directory knows them, at the moment of the answer. */
export interface DirectoryEntry {
  /** Never changes, and never belongs to somebody else; up to 255 bytes. */
  readonly subject: string
  /** The place of the entry, handed back to `verify`: for LDAP its DN, as it came. */
  readonly dn: string
  /** The name to sign in with, and of a new user. */
  readonly username: string
  /** The name that others see. */
  readonly displayName?: string
  readonly email?: string
  /** The groups of the entry: for LDAP their DNs, in lower case. */
  readonly groups: readonly string[]
  /** True if the directory says that nobody may sign in by this entry. */
  readonly disabled: boolean
}

/** Why a directory has refused a password. For events alone: clients learn nothing of it. */
export type DirectoryRefusal =
  | 'wrong-password'
  | 'disabled'
  | 'locked'
  | 'expired-account'
  | 'outside-hours'
  | 'refused'

/** The answer of a directory to a password. */
export type DirectoryVerdict =
  | { readonly outcome: 'right' }
  /** The password is right, and must be changed before it signs anybody in. */
  | { readonly outcome: 'must-change' }
  | { readonly outcome: 'wrong'; readonly reason: DirectoryRefusal }

/** One step of {@link Directory.check}. It names no password. */
export interface DirectoryCheck {
  /** What was tried, such as `connect to ldaps://dc1.example.com`. */
  readonly step: string
  readonly ok: boolean
  /** The result, or the fault. */
  readonly found: string
  /** What to do about a fault. */
  readonly remedy?: string
}

/**
 * A directory of a company that decides who may sign in, and by which password. Shipped:
 * `ldapDirectory` in `messaging-auth-router/directories`; `directoryContract` in
 * `messaging-auth-router/testing` holds yours to this contract.
 *
 * `find`, `verify` and `look` reject for an outage, which is answered with 503. They are called
 * side by side.
 */
export interface Directory {
  /** Lower-case letters, digits and `-`, up to 32; stored with identities: never change it. */
  readonly id: string
  /** Shown to users, up to 40 characters. */
  readonly name: string
  /** Where users change their password, for those whose password is over. */
  readonly changePasswordUrl?: string | undefined
  /** The entries with this name, disabled ones too. Two are as good as more. */
  find(name: string): Promise<readonly DirectoryEntry[]>
  /**
   * Whether the password is the entry's. Of null, a name that nobody has: does the same work for an
   * entry that does not exist, and answers `wrong`. The router has refused passwords that are
   * empty, blank, over 1,024 bytes or that hold a NUL, but `verify` must not take them for right
   * either.
   */
  verify(entry: DirectoryEntry | null, password: string): Promise<DirectoryVerdict>
  /**
   * The entries with these subjects, up to 500, disabled ones too. Those that are gone, or no
   * longer among the people of this directory, are left out.
   */
  look(subjects: readonly string[]): Promise<readonly DirectoryEntry[]>
  /**
   * Optional. Tries the connection, its certificate, the service's credentials and the lookup of a
   * name, of which a disabled entry is a fault; it ends with the first one. Never rejects. For
   * `messaging-auth-router directory check`.
   */
  check?(name: string | null): Promise<readonly DirectoryCheck[]>
  /** Ends its connections. */
  close(): Promise<void>
}
