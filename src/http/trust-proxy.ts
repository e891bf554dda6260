import { AuthConfigError } from '../errors.js'

/** The part of an Express app that knows the proxy setting. */
export interface ProxySettings {
  get(setting: string): unknown
}

/**
 * Whether a proxy is trusted; `hop` counts from the nearest. Express compiles every setting to it.
 */
type Trusts = (address: string, hop: number) => unknown

/** The most proxies in a row that anybody runs. */
const mostHops = 16

/** Public addresses from all over: no list of somebody's proxies has all of one family. */
const strangers = [
  ['8.8.8.8', '31.13.24.1', '62.4.3.1', '93.184.216.34', '151.101.1.1', '203.0.113.1'],
  [
    '2001:4860:4860::8888',
    '2400:cb00::1',
    '2606:4700:4700::1111',
    '2800:3f0::1',
    '2a00:1450:4001::1',
    '2c0f:fb50::1',
  ],
] as const

// A setting that was changed has been compiled anew.
const judged = new WeakMap<Trusts, boolean>()

/**
 * Throws {@link AuthConfigError} when `trust proxy` trusts everybody, however that is written:
 * `true`, a function, subnets that hold all addresses, a hop count above 16. Express then believes
 * what the client itself wrote into `X-Forwarded-For`, and every limit per network could be walked
 * around.
 */
export function refuseTrustInEverybody(app: ProxySettings | undefined): void {
  if (app === undefined || !trustsEverybody(app)) return
  const setting = app.get('trust proxy')
  throw new AuthConfigError(
    `app.set('trust proxy', ` +
      `${typeof setting === 'number' || typeof setting === 'boolean' ? setting : '…'})`,
    'any client could choose its own address.',
    "name the proxies you run: app.set('trust proxy', 1), or 'loopback', or their subnets.",
  )
}

/** Whether the app trusts no proxy at all, as by default. */
export function trustsNobody(app: ProxySettings): boolean {
  return [undefined, false, 0, ''].includes(app.get('trust proxy') as undefined)
}

function trustsEverybody(app: ProxySettings): boolean {
  const trusts = app.get('trust proxy fn')
  if (typeof trusts !== 'function') return app.get('trust proxy') === true
  const known = judged.get(trusts as Trusts)
  if (known !== undefined) return known
  // At a hop that no real proxy has, so that a number of hops answers no.
  const isFooled = (addresses: readonly string[]) =>
    addresses.every((address) => Boolean((trusts as Trusts)(address, mostHops)))
  const verdict = strangers.some(isFooled)
  judged.set(trusts as Trusts, verdict)
  return verdict
}
