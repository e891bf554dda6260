// Nobody is handed more than it uses. Of each call in the wiring and in the capability rooms, three
// things are asked by the compiler's own types:
// - an object of dependencies is not spread together: a spread is not checked for members too many;
// - an argument of a type `...Deps` has no member that the type does not name;
// - each member of a `...Deps` interface is read somewhere.
// Then a file with one offence of each kind must be reported, so that the rules are known to bite.
import { join } from 'node:path'
import ts from 'typescript'
import { finish, root } from './support.mjs'

const names =
  'router|account|cookie|login|vouched|named-tokens|oauth|pages|passkeys|pkce|refresh|guard|' +
  'rocketchat'
const rooms = new RegExp(`/src/(${names})/`)
/** Functions that are handed dependencies, by their names. */
const makers = /^(create|assemble|start|connect)[A-Z]|Endpoint$/
const bait = join(root, 'src/router/bait-of-check-bags.ts')
const offences = `
interface BaitDeps { readonly used: number; readonly unused: number }
const createBait = ({ used }: BaitDeps) => used
const parts = { used: 1, unused: 2 }
const bag = { ...parts, surplus: 3 }
export const spread = createBait({ ...parts })
export const wrapped = createBait(parts.used > 0 ? { ...parts } : parts)
export const carried = createBait(bag)
`

/** The program of src/, with the bait in it that is on no disk. */
function createProgram() {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
  const host = ts.createCompilerHost(options)
  const { fileExists, readFile } = host
  host.fileExists = (file) => file === bait || fileExists(file)
  host.readFile = (file) => (file === bait ? offences : readFile(file))
  host.getSourceFile = (file, version) => {
    const text = host.readFile(file)
    return text === undefined ? undefined : ts.createSourceFile(file, text, version, true)
  }
  return ts.createProgram([...fileNames, bait], { ...options, noEmit: true }, host)
}

const program = createProgram()
const checker = program.getTypeChecker()
const sources = program.getSourceFiles().filter(({ fileName }) => fileName.includes('/src/'))
const judged = sources.filter(({ fileName }) => rooms.test(fileName))
const problems = []
let calls = 0

const place = (node) => {
  const file = node.getSourceFile()
  const { line } = file.getLineAndCharacterOfPosition(node.getStart())
  return `${file.fileName.slice(root.length)}:${line + 1}`
}

function everyNode(node, visit) {
  visit(node)
  ts.forEachChild(node, (child) => everyNode(child, visit))
}

/** The object literals that an expression may be, also where a constant of the file holds them. */
function literalsOf(expression, seen = new Set()) {
  if (seen.has(expression)) return []
  seen.add(expression)
  const inner = (part) => literalsOf(part, seen)
  if (ts.isObjectLiteralExpression(expression)) return [expression]
  if (ts.isParenthesizedExpression(expression) || ts.isAsExpression(expression))
    return inner(expression.expression)
  if (ts.isConditionalExpression(expression))
    return [...inner(expression.whenTrue), ...inner(expression.whenFalse)]
  if (ts.isBinaryExpression(expression))
    return [...inner(expression.left), ...inner(expression.right)]
  if (!ts.isIdentifier(expression)) return []
  const constant = checker.getSymbolAtLocation(expression)?.valueDeclaration
  return constant && ts.isVariableDeclaration(constant) && constant.initializer
    ? inner(constant.initializer)
    : []
}

function judgeCall(call) {
  const name = call.expression.getText().split('.').at(-1)
  const parameters = checker.getResolvedSignature(call)?.getParameters() ?? []
  for (const [index, argument] of call.arguments.entries()) {
    const parameter =
      parameters[index] && checker.getTypeOfSymbolAtLocation(parameters[index], call)
    const takesDeps = parameter?.symbol?.name.endsWith('Deps') === true
    if (!takesDeps && !makers.test(name)) continue
    calls += 1
    if (literalsOf(argument).some(({ properties }) => properties.some(ts.isSpreadAssignment)))
      problems.push(`${place(argument)}: ${name} is handed a spread; list the members`)
    if (takesDeps) judgeMembersOf(argument, name, parameter)
  }
}

function judgeMembersOf(argument, name, wanted) {
  const known = new Set(wanted.getProperties().map((member) => member.name))
  const given = checker.getTypeAtLocation(argument).getProperties()
  const surplus = given.map((member) => member.name).filter((member) => !known.has(member))
  if (surplus.length === 0) return
  const list = surplus.join(', ')
  problems.push(
    `${place(argument)}: ${name} is handed ${list}, which ${wanted.symbol.name} does not name`,
  )
}

/** Where a member was declared; through `Pick` and `Omit` it is still the same place. */
const declarationsOf = (symbol) => symbol?.declarations ?? []

function membersRead() {
  const read = new Set()
  const note = (symbol) => {
    for (const declaration of declarationsOf(symbol)) read.add(declaration)
  }
  for (const source of sources)
    everyNode(source, (node) => {
      if (ts.isPropertyAccessExpression(node)) note(checker.getSymbolAtLocation(node.name))
      if (!ts.isObjectBindingPattern(node)) return
      const type = checker.getTypeAtLocation(node)
      for (const { propertyName, name } of node.elements)
        note(type.getProperty((propertyName ?? name).getText()))
    })
  return read
}

function judgeMembers() {
  const read = membersRead()
  for (const source of judged)
    everyNode(source, (node) => {
      if (!ts.isInterfaceDeclaration(node) || !node.name.text.endsWith('Deps')) return
      for (const member of node.members)
        if (!read.has(member))
          problems.push(`${place(member)}: ${node.name.text}.${member.name.getText()} is not read`)
    })
}

for (const source of judged)
  everyNode(source, (node) => {
    if (ts.isCallExpression(node)) judgeCall(node)
  })
judgeMembers()

const isBait = (problem) => problem.includes('bait-of-check-bags')
const bitten = problems.filter(isBait).map((problem) => problem.replace(/^\S+ /, ''))
const expected = [
  'createBait is handed a spread; list the members',
  'createBait is handed a spread; list the members',
  'createBait is handed a spread; list the members',
  'createBait is handed surplus, which BaitDeps does not name',
  'BaitDeps.unused is not read',
]
const toothless =
  JSON.stringify(bitten) === JSON.stringify(expected)
    ? []
    : [`check-bags.mjs does not bite: it found ${JSON.stringify(bitten)}`]
if (judged.length < 50 || calls < 50) throw new Error(`only ${calls} calls were looked at`)
finish(
  'bags',
  [...problems.filter((problem) => !isBait(problem)), ...toothless],
  `${calls} calls in ${judged.length} files, nobody is handed more than it uses; shown to bite`,
)
