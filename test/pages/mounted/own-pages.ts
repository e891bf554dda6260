// A host whose own pages send strangers to the sign-in pages.
import { type MountedHost, type MountedSettings, startMounted } from './mounted-host.js'
import { type PasskeyPages, startPasskeyPages } from './passkey-host.js'
import type { PageAnswer, Visitor } from './visitor.js'

type After = NonNullable<MountedSettings['after']>

/** The pages of the host. A router of the host cuts off its own path. */
const addRooms: After = (app, auth) => {
  const guard = auth.requireAuth({ from: 'cookie', onRefused: 'sign-in-page' })
  app.all(/^\/(?:rooms.*|)$/, guard, (request, response) => {
    const name = request.auth.userId
    response.send(`<!doctype html><title>rooms</title><h1>Rooms of ${name}</h1>`)
  })
}

export function startRooms(settings: MountedSettings = {}): Promise<MountedHost> {
  return startMounted({ ...settings, after: addRooms })
}

export function startPasskeyRooms(settings: MountedSettings = {}): Promise<PasskeyPages> {
  return startPasskeyPages({ ...settings, after: addRooms })
}

/** What a browser accepts when it opens a page. */
export const accept = {
  Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
}

/** Opens a page of the host, and follows to the sign-in page. */
export async function openRoom(
  visitor: Visitor,
  { origin }: Pick<MountedHost, 'origin'>,
  path = '/rooms',
): Promise<PageAnswer> {
  const first = await visitor.get(`${origin}${path}`, accept)
  const { location } = first.headers
  return location === undefined ? first : visitor.open(location)
}

/** The query of the sign-in page for a path. */
export function returnTo(path: string): string {
  return `return_to=${encodeURIComponent(path)}`
}
