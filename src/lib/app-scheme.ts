/** What browsers and systems act on themselves: they run it, open a file or start a program. */
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
 * without a dot: `com.example.app:`, `vscode:`. Not the letter of a drive, and no scheme on which a
 * browser or system acts itself.
 */
export function hasAppScheme(uri: string): boolean {
  const [, scheme] = /^([a-z][a-z0-9+.-]{1,62}[a-z0-9]):\//.exec(uri) ?? []
  return scheme !== undefined && !taken.some((schemes) => schemes.test(scheme))
}
