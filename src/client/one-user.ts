import { notSignedIn } from './errors.js'
import type { TokenKeeper } from './token-keeper.js'

/**
 * The tokens of the user who is signed in when it is first asked: for one request, however often it
 * is sent, and one socket, however often it connects. Another user may sign in meanwhile, and what
 * the one has asked for must not be done in the name of the other. Throws `Unauthorized` then.
 */
export function ofOneUser({
  read,
  fresh,
}: Pick<TokenKeeper, 'read' | 'fresh'>): TokenKeeper['fresh'] {
  let asking: string | undefined
  return async (rejected) => {
    // Read before anything is refreshed: a refresh waits for other tabs, and may fail the first
    // time, and the answer of a later one may be somebody else's.
    asking ??= (await read())?.userId
    const session = await fresh(rejected)
    if (session.userId !== asking) throw notSignedIn()
    return session
  }
}
