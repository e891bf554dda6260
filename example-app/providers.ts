import type { ProvidersOptions } from 'messaging-auth-router'
import { type Settings, withSetting } from './settings.js'

/**
 * Lets users sign in with accounts that they have elsewhere: see docs/providers.md. Undefined
 * without `PROVIDERS`, and then openid-client need not be installed.
 */
export async function providersOptions({
  providers,
}: Pick<Settings, 'providers'>): Promise<ProvidersOptions | undefined> {
  if (providers.length === 0) return undefined
  const { openIdProvider } = await import('messaging-auth-router/providers')
  const list = withSetting('PROVIDERS', () => providers.map((one) => openIdProvider(one)))
  return { list, unknown: 'connect' }
}
