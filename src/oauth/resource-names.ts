import type { OAuthOptions } from './oauth-options.js'
import { textIn } from './scopes.js'

/** What a person calls an API, in a language. */
export type NameResource = (resource: string, language: string) => string

/** Makes it, of what the host calls them. */
export function createNameResource(names: OAuthOptions['resources'] = {}): NameResource {
  const known = new Map(Object.entries(names))
  return function nameResource(resource, language) {
    const name = known.get(resource)
    return name === undefined ? addressOf(resource) : textIn(language, name)
  }
}

// All but what a reader needs not: two APIs of one host differ by their paths.
function addressOf(resource: string): string {
  return resource.replace(/^https:\/\//i, '').replace(/^([^/]+)\/$/, '$1')
}
