import { z } from 'zod'
import type { AskedLifetime } from './session-times.js'

/**
 * Which tokens a sign-in gets. `session`: one that lives as long as its session. `refreshable`: an
 * access token of `lifetimes.accessToken` seconds, and a refresh token.
 */
export type SignInTokens = 'session' | 'refreshable'

/** What the host may say about a session that it opens. */
export interface SignInOptions {
  /** Default `session`. */
  readonly tokens?: SignInTokens
  /**
   * Seconds that this session may be unused (`idle`, at least 300) and live at all (`absolute`, at
   * least 60). Never longer than `lifetimes` of the router: what is longer is cut. Default: those.
   */
  readonly lifetime?: { readonly idle?: number; readonly absolute?: number }
}

/** The tokens that are asked for, as a check of input. */
export const tokensSchema: z.ZodDefault<
  z.ZodEnum<{ session: 'session'; refreshable: 'refreshable' }>
> = z.enum(['session', 'refreshable']).default('session')

/** {@link SignInOptions}, as a check of input. */
export const signInOptionsShape: {
  readonly tokens: typeof tokensSchema
  readonly lifetime: z.ZodOptional<z.ZodType<AskedLifetime>>
} = {
  tokens: tokensSchema,
  lifetime: z
    .strictObject({
      // A session with an open socket is noted as in use once a minute.
      idle: z.int().min(300).optional(),
      absolute: z.int().min(60).optional(),
    })
    .optional(),
}
