/** A name by which a person recognises a device; null if its user agent tells nothing. */
export async function nameDevice(userAgent: string | null): Promise<string | null> {
  // Imported with the first link and not with the router: what knows the devices is heavy.
  const { deviceName } = await import('../account/device-name.js')
  return deviceName(userAgent)
}
