/** The parts of the runtime used here. */
const { atob, btoa } = globalThis as unknown as {
  readonly atob: (text: string) => string
  readonly btoa: (bytes: string) => string
}

/** Encodes as RFC 4648 §5, without padding. */
export function toBase64Url(bytes: ArrayBuffer | Uint8Array): string {
  let text = ''
  for (const byte of new Uint8Array(bytes)) text += String.fromCharCode(byte)
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Decodes the same. */
export function fromBase64Url(text: string): Uint8Array {
  const bytes = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(bytes, (one) => one.charCodeAt(0))
}
