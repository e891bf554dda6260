import { bearer, post } from './client.js'
import type { TestHost } from './host.js'

/** Where users make and list their tokens. */
export const namedTokens = '/auth/access-tokens'

/** What its maker is shown of a named token, once. */
export interface ShownToken {
  readonly id: string
  readonly token: string
  readonly expiresAt: string
}

/** Makes a named token by the authToken of its maker. */
export async function makeToken(
  host: TestHost,
  authToken: string,
  body: object = {},
): Promise<ShownToken> {
  const response = await post(host, namedTokens, { name: 'CI bot', ...body }, bearer(authToken))
  if (response.status !== 200)
    throw new Error(`${namedTokens} answered ${response.status}: ${response.text}`)
  return response.body.data as ShownToken
}
