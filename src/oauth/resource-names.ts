import type { OAuthOptions } from './oauth-options.js'
import { textIn } from './scopes.js'

/** The name of an API for users, in a language. */
export type NameResource = (resource: string, language: string) => string

/** From the names that the host has given. */
export function createNameResource(names: OAuthOptions['resources'] = {}): NameResource {
  const known = new Map(Object.entries(names))
  return function nameResource(resource, language) {
    const name = known.get(resource)
    return name === undefined ? addressOf(resource) : textIn(language, name)
  }
}

// Without the parts a reader does not need. Two APIs of one host differ by their paths.
function addressOf(resource: string): string {
  return resource.replace(/^https:\/\//i, '').replace(/^([^/]+)\/$/, '$1')
}
