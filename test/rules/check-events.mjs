// Makes docs/events.md from src/audit/events.ts, which is the one list of audit events; without
// --update it only compares. It also looks for each event being raised somewhere, and for each
// reason of an end being given: what never happens is a promise that is not kept.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { filesBelow, finish, root } from './support.mjs'

const parsedOf = (path) =>
  ts.createSourceFile(
    path,
    readFileSync(join(root, 'src', path), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  )
const file = parsedOf('audit/events.ts')
const document = join(root, 'docs/events.md')

const unionOf = (parsed, name) =>
  parsed.statements.find((node) => ts.isTypeAliasDeclaration(node) && node.name.text === name).type
// The events of a capability may stand in a file of their own.
const parts = {
  PasskeyEvent: 'audit/passkey-events.ts',
  DirectoryEvent: 'audit/directory-events.ts',
  AddressEvent: 'audit/address-events.ts',
  SecondFactorEvent: 'audit/second-factor-events.ts',
}
const members = unionOf(file, 'AuthEventBody').types.flatMap((member) => {
  const path = parts[member.getText()]
  return path === undefined ? [member] : unionOf(parsedOf(path), member.getText()).types
})
const levels = readLevels(parsedOf('audit/audit.ts'), 'levels')

/** One event: its name, when it is raised, and its fields with their types. */
function readEvent(member) {
  const before = member
    .getSourceFile()
    .text.slice(0, member.getStart())
    .match(/\/\*\*\s+(?:\* )?((?:(?!\*\/).)*?)\s*\*\/\s*\|?\s*\(?$/s)
  const parts = ts.isParenthesizedTypeNode(member) ? member.type.types : [member]
  const literal = parts.find(ts.isTypeLiteralNode)
  const fields = literal.members.map(({ name, type }) => [
    name.getText(),
    type.getText().replaceAll(/\s+/g, ' '),
  ])
  const others = parts.filter(ts.isTypeReferenceNode).map((part) => part.getText())
  const name = fields.find(([field]) => field === 'type')[1].slice(1, -1)
  return {
    name,
    when: before?.[1].replaceAll(/\s*\n\s*\* ?/g, ' ').trim(),
    fields: fields.filter(([field]) => field !== 'type'),
    others,
  }
}

function readLevels(parsed, name) {
  const declaration = parsed.statements.find(
    (node) =>
      ts.isVariableStatement(node) && node.declarationList.declarations[0].name.getText() === name,
  )
  const { properties } = declaration.declarationList.declarations[0].initializer
  const named = properties.filter(ts.isPropertyAssignment)
  return new Map(named.map(({ name, initializer }) => [name.text, initializer.text]))
}

function line({ name, when, fields, others }) {
  const listed = [
    ...fields.map(([field, type]) => `\`${field}\`${typeOf(type)}`),
    ...others.map((other) => `the fields of ${other}`),
  ]
  const brackets = listed.length === 0 ? '' : ` (${listed.join(', ')})`
  return `- \`${name}\`, ${levels.get(name)}: ${when}${brackets}`
}

// Most fields are strings.
function typeOf(type) {
  if (type === 'string') return ''
  if (type === 'string | null') return ' or null'
  return `: ${type.replace(/^readonly /, '')}`
}

function membersOf(name, path) {
  const text = readFileSync(join(root, 'src', path), 'utf8')
  const parsed = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const found = parsed.statements.find(
    (node) => ts.isTypeAliasDeclaration(node) && node.name.text === name,
  )
  if (found === undefined) throw new Error(`src/${path} holds no type ${name}`)
  return found.type.types ?? [found.type]
}

// Of a union of texts; another type in it is named.
function valueLine(name, path) {
  const values = membersOf(name, path).map((member) =>
    ts.isLiteralTypeNode(member) ? `\`${member.literal.text}\`` : `those of ${member.getText()}`,
  )
  return `- ${name}: ${values.join(', ')}`
}

const events = members.map(readEvent)
const values = [
  valueLine('ThrottleScope', 'audit/refusals.ts'),
  ...[
    'SignInRefusal',
    'CodeRefusal',
    'DeviceLinkRefusal',
    'RefreshRefusal',
    'ClientRefusal',
    'PasskeyFault',
    'PasskeyRefusal',
    'PasskeyPurpose',
    'ProofRefusal',
    'ProviderRefusal',
    'RegisterRefusal',
    'RpLogoutFault',
  ].map((name) => valueLine(name, 'audit/refusals.ts')),
  valueLine('AssertionProblem', 'signers/client-assertion.ts'),
  ...['EndReason', 'AuthenticationMethod', 'SessionKind'].map((name) =>
    valueLine(name, 'stores/contract.ts'),
  ),
]
const text = `# Audit events

\`onEvent\` receives each of these events, and the log at the given level. Besides its own
fields each has \`type\`, \`at\` (a Date, UTC), \`requestId\` and \`ip\`; the last two are null if
no request caused it. A field without a type is a string. No event contains a password, a token,
a code or a seed. \`identifierDigest\` is a digest of the typed name, keyed if \`encryptionKeys\`
are set: people type passwords there.

A sink may be slow, throw or reject: no sign-in waits for it, and the log says once that it failed.

${events.map(line).join('\n')}

## Values

${values.join('\n')}
`

const code = filesBelow('src', '.ts')
  .filter((path) => !/^src\/audit\/events\.ts$/.test(path))
  .map((path) => readFileSync(join(root, path), 'utf8'))
  .join('\n')
const silent = events
  .filter(({ name }) => !code.includes(`type: '${name}'`))
  .map(({ name }) => `events.ts: ${name} is never raised`)
// Stores and their tests are told of a reason; the router gives it.
const ending = filesBelow('src', '.ts')
  .filter((path) => !/^src\/(?:stores|testing)\//.test(path))
  .map((path) => readFileSync(join(root, path), 'utf8'))
  .join('\n')
const ungiven = membersOf('EndReason', 'stores/contract.ts')
  .map(({ literal }) => literal.text)
  .filter((reason) => !new RegExp(`(?<![!=]== )'${reason}'`).test(ending))
  .map((reason) => `contract.ts: no session ever ends as ${reason}`)
const bare = events
  .filter(({ when }) => when === undefined)
  .map(({ name }) => `events.ts: ${name} does not say when it is raised`)

if (process.argv.includes('--update')) writeFileSync(document, text)
const stale =
  readFileSync(document, 'utf8') === text
    ? []
    : ['docs/events.md: differs from src/audit/events.ts; run `npm run update`']
finish(
  'events',
  [...silent, ...ungiven, ...bare, ...stale],
  `${events.length} events, each raised somewhere, as docs/events.md says`,
)
