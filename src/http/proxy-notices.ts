import type { IncomingMessage } from 'node:http'
import { asAddress, type ProxyAware, parsedAddress } from './client-address.js'
import { trustsNobody } from './trust-proxy.js'
import type { WarnOnce } from './warn-once.js'

/**
 * Looks at how a request came, from which address as it was understood, and tells the host of a
 * setting for proxies that cannot be right.
 */
export type NoticeProxies = (request: IncomingMessage & ProxyAware, address: string | null) => void

/** Makes it. Each of its notices is given once: any client can provoke the first of them. */
export function createNoticeProxies(warnOnce: WarnOnce): NoticeProxies {
  return (request, address) => {
    const { headers, app } = request
    if (app === undefined) return
    if ((headers['x-forwarded-for'] ?? headers['forwarded']) !== undefined && trustsNobody(app)) {
      warnOnce({
        code: 'MAR_PROXY_NOT_TRUSTED',
        level: 'warn',
        message:
          "A request came with X-Forwarded-For or Forwarded, but 'trust proxy' is off: behind a " +
          'proxy, ' +
          'all clients share its address and its limits. ' +
          "Remedy: app.set('trust proxy', 1), or the subnets of your proxies; nothing, if there " +
          'is no proxy.',
      })
    }
    // Express finds `ip` out anew each time it is read.
    if (address !== asAddress(request.socket.remoteAddress)) return
    const { ip } = request
    if (ip !== undefined && ip !== '' && parsedAddress(ip) === null) {
      warnOnce({
        code: 'MAR_NO_ADDRESS',
        level: 'warn',
        message:
          'req.ip is no IP address: the address of the connection is used instead, which all ' +
          'clients of a proxy share with their limits. ' +
          'Remedy: see what your proxy writes into X-Forwarded-For.',
      })
    }
  }
}
