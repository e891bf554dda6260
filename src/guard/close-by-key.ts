import { type AskForKeys, keyMarkOf } from './key-marks.js'
import type { OpenSockets, SocketEntry } from './open-sockets.js'

/** How often the signer is asked for its keys, where tokens of it have opened sockets. */
const ticksBetweenKeys = 60

/**
 * Makes what closes the sockets of keys that were taken out, asked at each tick. What such a key
 * has signed is refused with requests; and a thief who has had the key must not stay on a socket
 * for as long as his token says.
 *
 * @param askForKeys - null: the signer does not say which keys it has
 */
export function createCloseByKey(
  open: Pick<OpenSockets<unknown>, 'all' | 'has'>,
  askForKeys: AskForKeys | null,
  close: (entry: SocketEntry) => void,
): (tick: number) => Promise<void> {
  return async function closeByKey(tick) {
    if (askForKeys === null || tick % ticksBetweenKeys !== 0) return
    const signed = open.all().flatMap(withMark)
    // An outage is no verdict.
    const known = signed.length === 0 ? null : await askForKeys().catch(() => null)
    for (const { entry, principal, mark } of signed) {
      // Renewed meanwhile, it may be of a key that was not there yet.
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
