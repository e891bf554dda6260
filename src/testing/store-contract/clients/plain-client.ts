import type { OAuthClient } from '../../../stores/client-contract.js'

/** The client without `disabled: false`, which a store may leave out. */
export function plainClient(client: OAuthClient | null | undefined): unknown {
  const { disabled = false, ...rest } = client ?? {}
  return disabled ? { ...rest, disabled } : rest
}
