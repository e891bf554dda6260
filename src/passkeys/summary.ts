import type { PasskeyRecord } from '../stores/passkey-contract.js'

/** A passkey as its user sees it. Times are in ISO 8601. */
export interface PasskeySummary {
  readonly id: string
  readonly name: string
  readonly createdAt: string
  readonly lastUsedAt: string | null
  /** Whether it may exist on several devices. */
  readonly synced: boolean
  readonly backedUp: boolean
  readonly transports: readonly string[]
  /** The AAGUID of the authenticator; null if unknown. */
  readonly model: string | null
  /** When a copy of it was last suspected; null if never. */
  readonly suspectedCloneAt: string | null
}

const noModel = '00000000-0000-0000-0000-000000000000'

/** Describes a passkey. */
export function summaryOf(passkey: PasskeyRecord): PasskeySummary {
  const { credentialId: id, name, createdAt, lastUsedAt, backedUp, transports, aaguid } = passkey
  return {
    id,
    name,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    synced: passkey.backupEligible,
    backedUp,
    transports,
    model: aaguid === noModel ? null : aaguid,
    suspectedCloneAt: passkey.suspectedCloneAt?.toISOString() ?? null,
  }
}
