import type { ConsentRecord } from '../../../stores/consent-contract.js'

/** Sorts the scopes of a consent: the contract does not define their order. */
export function sorted(consent: ConsentRecord | null | undefined): unknown {
  const scopes = consent?.scopes
  return Array.isArray(scopes) ? { ...consent, scopes: [...scopes].sort() } : consent
}

/** The consents in the order in which `listForUser` answers them. */
export function inOrder(consents: readonly ConsentRecord[]): readonly ConsentRecord[] {
  return [...consents].sort(
    (one, other) =>
      one.grantedAt.getTime() - other.grantedAt.getTime() ||
      Buffer.compare(Buffer.from(one.clientId), Buffer.from(other.clientId)),
  )
}
