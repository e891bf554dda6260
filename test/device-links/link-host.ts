// A router that links devices, a new device, and the device of alice, who is signed in.
import type { AuthRouterOptions, DeviceLinksOptions } from '../../src/index.js'
import { bearer, logIn, pkcePair, post } from '../support/client.js'
import { type HostSettings, startHost, type TestHost } from '../support/host.js'
import { deviceLinksOptions } from '../support/mounted-device-links.js'

export interface LinkSettings extends Omit<HostSettings, 'options'> {
  readonly deviceLinks?: Partial<DeviceLinksOptions>
  readonly options?: Partial<AuthRouterOptions>
}

/** Starts it. Addresses of clients are what `X-Forwarded-For` says. */
export function startLinks(settings: LinkSettings = {}): Promise<TestHost> {
  const { deviceLinks: given, options, ...others } = settings
  const { deviceLinks } = deviceLinksOptions()
  return startHost({
    before: (app) => app.set('trust proxy', 'loopback'),
    ...others,
    options: { deviceLinks: { ...(deviceLinks as DeviceLinksOptions), ...given }, ...options },
  })
}

/** A device that shows a picture. */
export interface NewDevice {
  readonly linkId: string
  readonly qr: string
  /** What the picture says. */
  readonly link: string
  readonly codeVerifier: string
  /** As a device whose user has said yes. */
  collect(headers?: Record<string, string>): ReturnType<typeof post>
  /** Asks when it is time to. */
  ask(headers?: Record<string, string>): Promise<{ status: number; body: Answer }>
}

// biome-ignore lint/suspicious/noExplicitAny: of every answer
type Answer = any

export const tv: Record<string, string> = {
  'X-Forwarded-For': '198.51.100.7',
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0',
}
export const phone: Record<string, string> = { 'X-Forwarded-For': '203.0.113.9' }

/** Begins a link on a new device. */
export async function begin(
  host: TestHost,
  body: { name?: string } = { name: 'Living room TV' },
  headers: Record<string, string> = tv,
): Promise<NewDevice> {
  const { codeVerifier, codeChallenge } = pkcePair()
  const begun = await post(host, '/auth/device-links', { codeChallenge, ...body }, headers)
  if (begun.status !== 200) throw new Error(`begin answered ${begun.status}: ${begun.text}`)
  const { linkId, qr } = begun.body.data as { linkId: string; qr: string }
  const link = decodeURIComponent(qr.split('#')[1] ?? '')
  for (const secret of [link, codeVerifier]) host.issued.add(secret)
  const collect = (more: Record<string, string> = headers) =>
    post(host, '/auth/device-links/collect', { linkId, codeVerifier, confirm: true }, more)
  return {
    linkId,
    qr,
    link,
    codeVerifier,
    collect,
    async ask(more) {
      host.clock.advance(2)
      const { status, body: answer } = await collect(more)
      return { status, body: answer }
    },
  }
}

/** A device on which somebody is signed in. */
export interface SignedInDevice {
  readonly headers: Record<string, string>
  open(link: string): ReturnType<typeof post>
  approve(linkId: string, checkCode: string, proof?: object): ReturnType<typeof post>
  deny(linkId: string): ReturnType<typeof post>
}

/** The device of alice, or of whoever signs in by this body. */
export async function signedIn(
  host: TestHost,
  body?: object,
  more: Record<string, string> = phone,
): Promise<SignedInDevice> {
  const { authToken } = await logIn(host, body)
  return deviceOf(host, authToken, more)
}

/** The device that holds a token. */
export function deviceOf(
  host: TestHost,
  token: string,
  more: Record<string, string> = phone,
): SignedInDevice {
  const headers = { ...bearer(token), ...more }
  return {
    headers,
    open: (link) => post(host, '/auth/device-links/open', { link }, headers),
    approve: (linkId, checkCode, proof = {}) =>
      post(host, '/auth/device-links/approve', { linkId, checkCode, ...proof }, headers),
    deny: (linkId) => post(host, '/auth/device-links/deny', { linkId }, headers),
  }
}

/** The check code that the new device shows, once it is opened. */
export async function checkCodeOn(device: NewDevice): Promise<string> {
  const { status, body } = await device.ask()
  if (status !== 400 || body.error !== 'opened')
    throw new Error(`the device was told ${status} ${JSON.stringify(body)}`)
  return body.details.checkCode as string
}

/** Another code than this one. */
export function wrongCode(checkCode: string): string {
  return String((Number(checkCode) + 1) % 10_000).padStart(4, '0')
}

/** Goes all the way until the new device may collect its session. */
export async function approved(
  host: TestHost,
  proof?: object,
): Promise<{ device: NewDevice; user: SignedInDevice }> {
  const user = await signedIn(host)
  const device = await begin(host)
  await user.open(device.link).expect(200)
  await user.approve(device.linkId, await checkCodeOn(device), proof).expect(200)
  return { device, user }
}
