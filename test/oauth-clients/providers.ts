import { controlModule } from './provider-control.js'
import { oursModule } from './provider-ours.js'
import type { ProviderModule } from './support/provider.js'

/** All providers under test. */
export const providers: readonly ProviderModule[] = [controlModule, oursModule]
