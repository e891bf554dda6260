import { z } from 'zod'
import type { AskedLifetime } from './session-times.js'
/**
 * The tokens of a sign-in. `session`: one token that lives as long as its session. `refreshable`:
 * an access token of `lifetimes.accessToken` seconds, and a refresh token.
 */
export type SignInTokens = 'session' | 'refreshable'

/** Options of a session that the host opens. */
export interface SignInOptions {
  /** The kind of tokens. Default `session`. */
  readonly tokens?: SignInTokens
  /**
   * Seconds that this session may be unused (`idle`, at least 300) and exist at all (`absolute`, at
   * least 60). Longer values are cut to the router's `lifetimes`. Default: the router's own
   * lifetimes.
   */
  readonly lifetime?: { readonly idle?: number; readonly absolute?: number }
}

/** The schema of the requested tokens. */
export const tokensSchema: z.ZodDefault<
  z.ZodEnum<{ session: 'session'; refreshable: 'refreshable' }>
> = z.enum(['session', 'refreshable']).default('session')

/** The schema of {@link SignInOptions}. */
export const signInOptionsShape: {
  readonly tokens: typeof tokensSchema
  readonly lifetime: z.ZodOptional<z.ZodType<AskedLifetime>>
} = {
  tokens: tokensSchema,
  lifetime: z
    .strictObject({
      // The use of a session with an open socket is recorded once a minute.
      idle: z.int().min(300).optional(),
      absolute: z.int().min(60).optional(),
    })
    .optional(),
}
