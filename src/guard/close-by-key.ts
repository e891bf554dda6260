import { type AskForKeys, keyMarkOf } from './key-marks.js'
import type { OpenSockets, SocketEntry } from './open-sockets.js'

/** Ticks between two questions to the signer, if tokens signed by it have opened sockets. */
const ticksBetweenKeys = 60

/**
 * Returns a function, called at each tick, that closes the sockets of removed keys. Requests with a
 * token of such a key are refused; a thief who had the key must not keep a socket until the token
 * expires.
 *
 * @param askForKeys - null if the signer does not list its keys
 */
export function createCloseByKey(
  open: Pick<OpenSockets<unknown>, 'all' | 'has'>,
  askForKeys: AskForKeys | null,
  close: (entry: SocketEntry) => void,
): (tick: number) => Promise<void> {
  return async function closeByKey(tick) {
    if (askForKeys === null || tick % ticksBetweenKeys !== 0) return
    const signed = open.all().flatMap(withMark)
    // An outage proves nothing about a key.
    const known = signed.length === 0 ? null : await askForKeys().catch(() => null)
    for (const { entry, principal, mark } of signed) {
      // A socket renewed meanwhile may have a key that did not exist when we asked.
      const isStill = open.has(entry) && entry.principal === principal
      if (isStill && known?.has(mark) === false) close(entry)
    }
  }
}

function withMark(entry: SocketEntry) {
  const { principal } = entry
  const mark = keyMarkOf(principal)
  return mark === null ? [] : [{ entry, principal, mark }]
}
