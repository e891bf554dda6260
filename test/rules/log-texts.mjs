// For Stryker: leaves out the texts that only a log or the audit stream gets to see. They are words
// for people; a test of them would repeat them. Error names, codes, reasons of events and all that
// a client reads are mutated.
const explained = ['notSignedIn', 'UnexpectedAnswer', 'AuthConfigError']
const isAuthError = (path) => path.isNewExpression() && path.node.callee.name === 'AuthError'
const isMessage = (property) =>
  property.type === 'ObjectProperty' && property.key.name === 'message'

/**
 * Whether this is what an error says to the host: `notSignedIn('…')`, `new UnexpectedAnswer('…')`,
 * `new AuthError(…, { message: '…' })`.
 */
function isForTheLog(path) {
  const { parentPath } = path
  if (path.isObjectExpression())
    return isAuthError(parentPath) && path.node.properties.every(isMessage)
  if (!path.isStringLiteral() && !path.isTemplateLiteral()) return false
  if (parentPath.isCallExpression() || parentPath.isNewExpression())
    return explained.includes(parentPath.node.callee.name)
  return (
    parentPath.isObjectProperty() &&
    isMessage(parentPath.node) &&
    isAuthError(parentPath.parentPath.parentPath)
  )
}

export const strykerPlugins = [
  {
    kind: 'Ignore',
    name: 'log-texts',
    value: { shouldIgnore: (path) => (isForTheLog(path) ? 'a text for the log' : undefined) },
  },
]
