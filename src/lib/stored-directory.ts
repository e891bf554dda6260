const prefix = 'directory:'

/** The provider under which the entries of a directory are stored as identities. */
export function storedProviderOf(directory: string): string {
  return prefix + directory
}

/** Whether an identity is an entry of a directory. No id of a provider holds a colon. */
export function isOfDirectory({ provider }: { readonly provider: string }): boolean {
  return provider.startsWith(prefix)
}
