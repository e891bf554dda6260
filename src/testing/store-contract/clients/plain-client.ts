import type { OAuthClient } from '../../../stores/client-contract.js'

/** The client without what a store may leave out: not being disabled. */
export function plainClient(client: OAuthClient | null | undefined): unknown {
  const { disabled = false, ...rest } = client ?? {}
  return disabled ? { ...rest, disabled } : rest
}
