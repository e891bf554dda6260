import type { StateKeeper } from './auth-state.js'
import { AuthClientError } from './errors.js'
import { fromText, type Stored, type StoredSession, toText } from './stored-session.js'
import { inTurns, type TokenStore } from './token-store.js'

/** The content of the store. Each read and each write updates the client's state. */
export interface KeptSession {
  read(): Promise<StoredSession | null>
  /**
   * Null if the server has ended the session. What was last read of a remembered browser stays,
   * unless there is a new token.
   */
  set(session: StoredSession | null, rememberToken?: string): Promise<void>
  /** The token of this browser, if the server remembers it. */
  rememberToken(): Promise<string | undefined>
  remove(): Promise<void>
  /** Does the work under the lock of the store. */
  exclusively<T>(work: () => Promise<T>): Promise<T>
}

/** Every method throws AuthClientError `storage-failed` if the store throws. */
export function createKeptSession(
  store: TokenStore,
  state: Pick<StateKeeper, 'setSession'>,
): KeptSession {
  let remembered: string | undefined

  function note({ session, ended = false, rememberToken }: Stored): StoredSession | null {
    remembered = rememberToken
    state.setSession(session, ended)
    return session
  }

  async function write(stored: Stored): Promise<void> {
    await saying(() => store.set(toText(stored)))
    note(stored)
  }

  const read = async () => note(fromText(await saying(() => store.get())))

  return {
    read,
    set: (session, rememberToken = remembered) =>
      write({ session, ended: session === null || undefined, rememberToken }),
    async rememberToken() {
      await read()
      return remembered
    },
    async remove() {
      const left = { session: null, rememberToken: remembered }
      if (remembered) return write(left)
      await saying(() => store.remove())
      note(left)
    },
    exclusively: sayingOfLock(store.exclusively ?? turnsOf(store)),
  }
}

async function saying<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw storageFailed(cause)
  }
}

// Only errors of the lock become `storage-failed`; errors of the work pass.
function sayingOfLock(exclusively: KeptSession['exclusively']): KeptSession['exclusively'] {
  return async (work) => {
    let isHeld = false
    const noted = () => {
      isHeld = true
      return work()
    }
    try {
      return await exclusively(noted)
    } catch (error) {
      throw isHeld ? error : storageFailed(error)
    }
  }
}

function storageFailed(cause: unknown): AuthClientError {
  const message = 'The store of the tokens failed.'
  return new AuthClientError('storage-failed', { status: 0, message, cause })
}

const turns = new WeakMap<TokenStore, ReturnType<typeof inTurns>>()

// One queue for each store, since two clients may share a store.
function turnsOf(store: TokenStore): ReturnType<typeof inTurns> {
  const own = turns.get(store) ?? inTurns()
  turns.set(store, own)
  return own
}
