import { AuthConfigError } from '../errors.js'

/** The members of an Express app that hold its proxy setting. */
export interface ProxySettings {
  get(setting: string): unknown
}

/**
 * Whether a proxy is trusted; `hop` counts from the nearest. Express compiles every setting to
 * this.
 */
type Trusts = (address: string, hop: number) => unknown

/** More proxies in a row than anybody runs. */
const mostHops = 16

/** Unrelated public addresses: no list of proxies contains all of one family. */
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

// By the compiled function: Express compiles a changed setting again.
const judged = new WeakMap<Trusts, boolean>()

/**
 * Throws {@link AuthConfigError} if `trust proxy` trusts everybody, in any spelling: `true`, a
 * function, subnets with all addresses, a hop count above 16. Express would then believe the
 * client's own `X-Forwarded-For`, which evades every limit per network.
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

/** Whether the app trusts no proxy, as by default. */
export function trustsNobody(app: ProxySettings): boolean {
  return [undefined, false, 0, ''].includes(app.get('trust proxy') as undefined)
}

function trustsEverybody(app: ProxySettings): boolean {
  const trusts = app.get('trust proxy fn')
  if (typeof trusts !== 'function') return app.get('trust proxy') === true
  const known = judged.get(trusts as Trusts)
  if (known !== undefined) return known
  // With a hop that no real proxy has, so that a hop count answers no.
  const isFooled = (addresses: readonly string[]) =>
    addresses.every((address) => Boolean((trusts as Trusts)(address, mostHops)))
  const verdict = strangers.some(isFooled)
  judged.set(trusts as Trusts, verdict)
  return verdict
}
