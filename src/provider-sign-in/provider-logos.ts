import { logoFile, type ServedFile } from '../pages/page-site.js'
import type { ProviderServer } from './provider-kit.js'

/** The logos, by the ids of the providers. Throws AuthConfigError for one that is no picture. */
export function providerLogosOf(
  server: ProviderServer | undefined,
): ReadonlyMap<string, ServedFile> {
  const listed = (server?.list ?? []).map(
    ({ id, logo }) => [id, logo && logoFile(id, logo)] as const,
  )
  return new Map(listed.flatMap(([id, file]) => (file === undefined ? [] : [[id, file] as const])))
}
