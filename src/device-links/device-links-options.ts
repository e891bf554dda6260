import { AuthConfigError } from '../errors.js'
import { isPageUrl } from '../http/page-origin.js'
import { checkOptions, type Filled, fitting, flag, optionsOf } from '../lib/check-options.js'

/** The option `deviceLinks`: a signed-in device signs another one in, by a picture. */
export interface DeviceLinksOptions {
  /**
   * The page of yours that the picture leads to, such as `https://chat.example.com/link`; `http://`
   * only for loopback. What stands behind its `#` is the link: the page hands it to your app.
   * Default: with the option `oauth`, the page `/account/link` of the router; without, required.
   */
  readonly page?: string
  /**
   * True: eight letters stand in the picture, and people can type them as well. They are guessed
   * sooner than 256 bits, so there are limits on wrong ones. Default false.
   */
  readonly shortCode?: boolean
}

/** {@link DeviceLinksOptions}, checked and with defaults. Without `page`: the router's own. */
export type CheckedDeviceLinksOptions = Filled<DeviceLinksOptions, 'page'>

const shape = () =>
  ({
    page: fitting<string>(isPage, 'is not an https URL without a fragment.').optional(),
    shortCode: flag().default(false),
  }) satisfies Record<keyof DeviceLinksOptions, unknown>

const remedies = {
  page: 'pass the address of your page, such as https://chat.example.com/link.',
}

/**
 * Checks the option and fills in its defaults.
 *
 * @throws AuthConfigError with every member that is unknown, missing or unsafe
 */
export function checkDeviceLinksOptions(given: unknown): CheckedDeviceLinksOptions {
  return checkOptions({ factory: 'deviceLinks', schema: optionsOf(shape()), remedies }, given)
}

/** What the option needs besides its own members. */
interface ThereForLinks {
  readonly deviceCodes?: unknown
  readonly oauth?: unknown
}

/** @throws AuthConfigError if the parts that the option needs are missing */
export function requirePartsForLinks(
  { page }: CheckedDeviceLinksOptions,
  { deviceCodes, oauth }: ThereForLinks,
): void {
  if (page === undefined && oauth === undefined)
    throw new AuthConfigError(
      'deviceLinks.page',
      'is missing: without oauth there is no page of the router to lead to.',
      `${remedies.page.slice(0, -1)}, or pass oauth.`,
    )
  if (deviceCodes !== undefined) return
  throw new AuthConfigError(
    'deviceLinks',
    'needs deviceCodes, the store of devices that wait for a user.',
    'spread a shipped set of stores, or leave deviceLinks out.',
  )
}

// The link is the fragment: a server, its log and the next page never see it.
function isPage(value: unknown): boolean {
  return isPageUrl(value) && !String(value).includes('#')
}
