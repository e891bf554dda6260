/**
 * Whether a string has no lone surrogates. As bytes each becomes U+FFFD, so different strings would
 * be one password or one name.
 */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text)
}

/**
 * Whether a text displays as written, in one line. Control characters can hide parts of it in a
 * terminal or a log, and bidirectional ones can make one name look like another.
 */
export function isOneLine(text: string): boolean {
  return isWellFormed(text) && !/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(text)
}

/** Characters of an id that a host passes on. */
const maxIdCharacters = 1024

/**
 * Whether this can be the id of a user or a session. Hosts may pass on untrusted input, and a
 * database fails for a text that it cannot store, which would look like an outage.
 */
export function isHostId(value: unknown): value is string {
  if (typeof value !== 'string' || value === '' || value.length > maxIdCharacters) return false
  return isWellFormed(value) && !value.includes('\0')
}

/**
 * The schemes that browsers and systems act on themselves: they run code, open a file or start a
 * program.
 */
const taken: readonly RegExp[] = [
  /^(?:https?|wss?|s?ftps?|gopher|news|nntp|urn|about|blob|data|file|filesystem|content|cid|mid)$/,
  /^(?:javascript|livescript|mocha|vbscript|jscript|view-source|view|jar|resource|wyciwyg)$/,
  /^(?:chrome[a-z-]*|devtools|edge|opera|brave|vivaldi|moz-[a-z-]*|safari[a-z-]*|webkit[a-z-]*)$/,
  /^(?:intents?|android-app|market|itms[a-z-]*|x-apple[a-z-]*|x-web-search|applescript)$/,
  /^(?:help|prefs|ms-[a-z-]*|microsoft-[a-z-]*|search|search-ms|shell|res|mk|mhtml|its|hcp)$/,
  /^(?:ldaps?|vnd[a-z-]*|smb|cifs|nfs|afp|dav|davs|ssh|rlogin|tn3270|rdp|vnc|git|svn|steam)$/,
  /^(?:ssh-[a-z]*|mailto|tel|telnet|sms|mms|facetime[a-z-]*|sip|sips|callto|magnet)$/,
  /^(?:irc|ircs|geo|maps)$/,
]

/**
 * Whether an address begins with a scheme that an app on the device may have registered, with or
 * without a dot: `com.example.app:`, `vscode:`. The scheme is not the letter of a drive, and none
 * that a browser or system acts on itself.
 */
export function hasAppScheme(uri: string): boolean {
  const [, scheme] = /^([a-z][a-z0-9+.-]{1,62}[a-z0-9]):\//.exec(uri) ?? []
  return scheme !== undefined && !taken.some((schemes) => schemes.test(scheme))
}
