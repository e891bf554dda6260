import { promises as dns, type LookupAddress } from 'node:dns'
import { boundedCache } from './bounded-cache.js'

/** All addresses of a name. Gives up when the signal aborts. */
export type LookUp = (hostname: string, signal: AbortSignal) => Promise<readonly LookupAddress[]>

/** As long as the first pause of a message that was not taken. */
const failedSeconds = 5
const mostFailed = 200

/** Asks the name servers of this machine, and nothing else but them. */
const byNameServers: LookUp = async (hostname, signal) => {
  // Not `dns.lookup`: a name server that says nothing holds one of the two threads that all
  // look-ups of this process share, and no signal frees it.
  const resolver = new dns.Resolver({ timeout: 2000, tries: 1 })
  const cancel = () => resolver.cancel()
  signal.addEventListener('abort', cancel)
  const [four, six] = await Promise.allSettled([
    resolver.resolve4(hostname),
    resolver.resolve6(hostname),
  ])
  signal.removeEventListener('abort', cancel)
  if (four.status === 'rejected' && six.status === 'rejected') throw four.reason
  return [
    ...(four.status === 'fulfilled' ? four.value : []).map((address) => ({ address, family: 4 })),
    ...(six.status === 'fulfilled' ? six.value : []).map((address) => ({ address, family: 6 })),
  ]
}

/** As all of this process: also `/etc/hosts`. For names that the operator has chosen. */
export const bySystem: LookUp = (hostname) => dns.lookup(hostname, { all: true })

/**
 * Looks up names that others have chosen: each once at a time, and one that failed not again for
 * five seconds. Names in `/etc/hosts` and search domains are not for others.
 */
export function createLookUp(ask: LookUp = byNameServers): LookUp {
  const underWay = new Map<string, Promise<readonly LookupAddress[]>>()
  const failed = boundedCache<{ readonly cause: unknown }>(mostFailed, failedSeconds)

  async function askNow(hostname: string, signal: AbortSignal): Promise<readonly LookupAddress[]> {
    try {
      return await ask(hostname, signal)
    } catch (cause) {
      failed.set(hostname, { cause }, new Date())
      throw cause
    } finally {
      underWay.delete(hostname)
    }
  }

  return async (hostname, signal) => {
    // No name server knows it, and none should be asked (RFC 6761 §6.3).
    if (/^(?:.+\.)?localhost\.?$/.test(hostname))
      return [
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
      ]
    const failure = failed.get(hostname, new Date())
    if (failure !== undefined) throw failure.cause
    // Who asked first gives up first, so its signal is the one that counts.
    const asking = underWay.get(hostname) ?? askNow(hostname, signal)
    underWay.set(hostname, asking)
    return asking
  }
}
