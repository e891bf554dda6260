import { notSignedIn } from './errors.js'
import type { TokenKeeper } from './token-keeper.js'

/**
 * The tokens of the user that it first asks for: for one request, however often it is sent, and one
 * socket, however often it connects. Another user may sign in meanwhile, and what the one has asked
 * for must not be done in the name of the other. Throws `Unauthorized` then.
 */
export function ofOneUser(fresh: TokenKeeper['fresh']): TokenKeeper['fresh'] {
  let asking: string | undefined
  return async (worn) => {
    const session = await fresh(worn)
    asking ??= session.userId
    if (session.userId !== asking) throw notSignedIn()
    return session
  }
}
