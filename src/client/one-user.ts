import { notSignedIn } from './errors.js'
import type { TokenKeeper } from './token-keeper.js'
/**
 * Tokens of one user only: the one who is signed in at the first call. Used for one request with
 * its repetitions, and for one socket with its connections. If another user signs in meanwhile, it
 * throws `Unauthorized`, so that no request of the first user is sent as the second.
 */
export function ofOneUser({
  read,
  fresh,
}: Pick<TokenKeeper, 'read' | 'fresh'>): TokenKeeper['fresh'] {
  let asking: string | undefined
  return async (rejected) => {
    // Read before the refresh, which may wait for other tabs: another user may sign in meanwhile.
    asking ??= (await read())?.userId
    const session = await fresh(rejected)
    if (session.userId !== asking) throw notSignedIn()
    return session
  }
}
