import { AuthError } from '../errors.js'

/**
 * Loads a part of the code at the first call, and keeps it. A load that has failed is 503, and is
 * not kept: the next call tries again.
 *
 * @param onFailure - is told why; without it, only the caller is
 */
export function loadOnce<Part>(
  load: () => Promise<Part>,
  onFailure: (cause: unknown) => void = () => {},
): () => Promise<Part> {
  let loading: Promise<Part> | undefined
  return function loadedOnce() {
    loading ??= load().catch((cause: unknown) => {
      loading = undefined
      onFailure(cause)
      // One that a part has thrown says more.
      if (cause instanceof AuthError) throw cause
      const message = 'a part of the router could not be loaded'
      throw new AuthError('temporarily-unavailable', { message, retryAfter: 2, cause })
    })
    return loading
  }
}
