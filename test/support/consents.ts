// What users have allowed apps, as the page of consent keeps it.
import type { OAuthClient } from '../../src/index.js'
import { wordsOfPage } from '../../src/oauth/consent-words.js'

/** What is asked for; left out, all that the app may have at the host's own API. */
export interface AskedOfUser {
  readonly scopes?: readonly string[]
  readonly resources?: readonly string[]
  readonly redirectUri?: string
}

/** The words of a consent to it. */
export function wordsFor(client: OAuthClient, own: string, asked: AskedOfUser = {}) {
  const { scopes = client.scopes, resources = [own] } = asked
  const { redirectUri = client.redirectUris[0] as string } = asked
  return wordsOfPage({ client, scopes, resources, redirectUri }, own)
}

/** All of a consent but where answers go. */
export function withoutSites(words: readonly string[]): readonly string[] {
  return words.filter((word) => !word.startsWith('mar-to:'))
}
