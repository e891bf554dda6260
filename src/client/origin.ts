import { platform } from './platform.js'

/** The origin of an address; that of the page for one without. */
export function originOf(address: string): string {
  return /^https?:\/\/[^/]+/.exec(address)?.[0] ?? platform.location?.origin ?? ''
}
