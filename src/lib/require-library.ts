import { AuthConfigError } from '../errors.js'

/**
 * Refuses to start without a library that an option needs, and loads nothing. If nobody can tell,
 * as in a bundle that may hold the library, the first use refuses.
 *
 * @throws AuthConfigError if the library is not installed
 */
export function requireLibrary(option: string, library: string, major: number): void {
  // A bundle for CommonJS has none.
  const resolve: ImportMeta['resolve'] | undefined = import.meta.resolve
  try {
    const own = new URL('.', resolve?.('messaging-auth-router/package.json')).href
    if (import.meta.url.startsWith(own)) resolve?.(library)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (/^(?:ERR_)?MODULE_NOT_FOUND$/.test(code ?? '') && message.includes(library))
      throw noLibrary(option, library, major)
  }
}

/** The library is not installed. */
export function noLibrary(option: string, library: string, major: number): AuthConfigError {
  const remedy = `npm install ${library}@${major}.`
  return new AuthConfigError(option, `finds no ${library}.`, remedy)
}
