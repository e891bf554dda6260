import Bowser from 'bowser'

/**
 * A name by which a person recognises a device, such as "Firefox on Linux"; null if the user agent
 * tells nothing.
 */
export function deviceName(userAgent: string | null): string | null {
  if (userAgent === null || userAgent === '') return null
  const { browser, os, platform } = Bowser.parse(userAgent.slice(0, 512))
  // Other programs put their own name first; every browser starts with "Mozilla".
  const program = userAgent.startsWith('Mozilla/') ? browser.name : userAgent.split(/[/\s(]/, 1)[0]
  const machine = platform.model ?? os.name
  const name = [program, machine].filter((part) => part !== undefined && part !== '').join(' on ')
  return name === '' ? null : name.slice(0, 100)
}
