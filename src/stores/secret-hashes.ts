const maxHashes = 2

/** The hashes of a client's secrets, or an error for those that its record may not have. */
export function checkedSecretHashes(hashes: readonly string[] = []): readonly string[] {
  const areHashes = hashes.every(
    (hash) => typeof hash === 'string' && /^sha256:[\w-]{43}$/.test(hash),
  )
  if (hashes.length > maxHashes || !areHashes)
    throw new TypeError(`secretHashes are not at most ${maxHashes} of sha256: and 43 characters`)
  return hashes
}
