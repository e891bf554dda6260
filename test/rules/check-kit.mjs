// One kit for all: a function is handed a kit, `…Kit`, and reads what it needs. The compiler holds
// each to its kit; what it cannot see is asked here, by its own types:
// - no type is named `…Deps`, `…Parts` or `…OnPages`: a list of what one function or one page needs
//   says again what a kit says;
// - no two kits have one name: a reader of the second would look at the first;
// - no two parts of one bag have a member of the same name, or the order of spreads would decide;
// - nothing that a room adds to a bag has the name of something else in the kit: at run time a bag
//   has more in it than its type says;
// - no member of a kit is optional: one that was forgotten would be taken for absent;
// - each member of a kit is read somewhere;
// - a bag is spread into what is handed on as a kit, and into nothing that leaves the router.
// Then a file with offences of each kind must be reported, so that the rules are known to bite.
import { join } from 'node:path'
import ts from 'typescript'
import { finish, root } from './support.mjs'

const outside = /\/src\/(client|testing|stores|openapi|passwords|signers|lib)\//
/** Kits by another name: what an option adds. */
const ofKit = ['ConnectedHost', 'OAuthServer', 'PasskeyServer', 'ProviderServer']
const bait = join(root, 'src/router/bait-of-check-kit.ts')
const offences = `
interface InnerKit { readonly carried: number }
interface BaitKit extends InnerKit {
  readonly used: number
  readonly unused: number
  readonly maybe: number | undefined
  readonly left?: number
}
interface SureKit { readonly maybe: number }
interface GuardKit extends InnerKit {}
const createInner = ({ carried }: InnerKit) => carried
const createSure = ({ maybe }: SureKit) => maybe
const createBait = (kit: BaitKit) => kit.used + createInner(kit) + (kit.left ?? kit.maybe ?? 0)
interface BaitDeps { readonly used: number }
type BaitParts = Pick<BaitDeps, 'used'>
interface BaitOnPages extends BaitDeps { readonly shown: number }
export const offender = ({ used }: BaitParts | BaitOnPages) => used
const other = { used: 2 }
export function offend(kit: BaitKit, sure: number, publish: (all: object) => void) {
  publish({ ...kit, sure })
  createSure({ ...kit, maybe: sure })
  createBait({ ...kit, ...other })
  const parts = { ...kit, unused: 5 }
  createBait(parts)
  createBait({ ...kit, audit: sure })
}
`
const expected = [
  'BaitDeps lists what a kit says',
  'BaitParts lists what a kit says',
  'BaitOnPages lists what a kit says',
  'GuardKit is the name of another kit',
  'publish is handed a bag, and takes no kit',
  'two parts of this bag have the member used',
  'two parts of this bag have the member unused',
  'audit is the name of something else in the kit',
  'BaitKit.left is optional',
  'BaitKit.unused is not read',
]

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
const judged = sources.filter(({ fileName }) => !outside.test(fileName))
const problems = []
const report = (node, problem) => problems.push(`${place(node)}: ${problem}`)

function place(node) {
  const file = node.getSourceFile()
  const { line } = file.getLineAndCharacterOfPosition(node.getStart())
  return `${file.fileName.slice(root.length)}:${line + 1}`
}

function everyNode(node, visit) {
  visit(node)
  ts.forEachChild(node, (child) => everyNode(child, visit))
}

const isNamedKit = (node) => ts.isInterfaceDeclaration(node) && node.name.text.endsWith('Kit')
const isOfKit = (node) =>
  isNamedKit(node) || (ts.isInterfaceDeclaration(node) && ofKit.includes(node.name.text))
const isList = (node) =>
  (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) &&
  /(Deps|Parts|OnPages)$/.test(node.name.text)
/** Where a member was declared; through `Pick`, `Omit` and spreads it is still the same place. */
const declarationsOf = (symbol) => symbol?.declarations ?? []
const membersOf = (type) => checker.getNonNullableType(type).getProperties()
/** Whether something of a type was declared in a kit. */
const isBag = (type) =>
  membersOf(type).some((member) => declarationsOf(member).some(({ parent }) => isOfKit(parent)))

const interfaces = []
for (const source of sources.filter(({ fileName }) => !fileName.includes('/src/client/')))
  everyNode(source, (node) => {
    if (isList(node)) report(node, `${node.name.text} lists what a kit says`)
  })
for (const source of judged)
  everyNode(source, (node) => {
    if (!isOfKit(node)) return
    if (interfaces.some(({ name }) => name.text === node.name.text))
      report(node, `${node.name.text} is the name of another kit`)
    interfaces.push(node)
  })
/** What each name of the kit stands for. */
const typesInKit = new Map()
for (const node of interfaces)
  for (const member of membersOf(checker.getTypeAtLocation(node))) {
    const type = checker.getNonNullableType(checker.getTypeOfSymbolAtLocation(member, node))
    typesInKit.set(member.name, [...(typesInKit.get(member.name) ?? []), type])
  }

/** The same thing, of which it is known by now that it is there. */
function isNarrowed(before, after) {
  const present = checker.getNonNullableType(before)
  return present !== before && present === after
}

let bags = 0

function judgeBag(literal) {
  const spreads = literal.properties.filter(ts.isSpreadAssignment)
  if (!spreads.some(({ expression }) => isBag(checker.getTypeAtLocation(expression)))) return
  bags += 1
  const known = new Map()
  const add = (symbol, part) => {
    const type = checker.getTypeOfSymbolAtLocation(symbol, part)
    const before = known.get(symbol.name)
    if (before !== undefined && !isNarrowed(before, type))
      report(part, `two parts of this bag have the member ${symbol.name}`)
    else if (before === undefined && isNew(part) && isTaken(symbol.name, type))
      report(part, `${symbol.name} is the name of something else in the kit`)
    known.set(symbol.name, type)
  }
  for (const part of literal.properties) {
    if (ts.isSpreadAssignment(part))
      for (const member of membersOf(checker.getTypeAtLocation(part.expression))) add(member, part)
    else {
      const symbol = checker.getTypeAtLocation(literal).getProperty(part.name.getText())
      if (symbol !== undefined) add(symbol, part)
    }
  }
}

const isNew = (part) =>
  !ts.isSpreadAssignment(part) || !isBag(checker.getTypeAtLocation(part.expression))

function isTaken(name, type) {
  const inKit = typesInKit.get(name)
  const added = checker.getNonNullableType(type)
  return inKit !== undefined && !inKit.some((known) => checker.isTypeAssignableTo(added, known))
}

/** Who reads a member: by its name, or as somebody to whom the bag that it is in was handed. */
const read = new Set()
const handedOn = new Map()

function noteReading(node) {
  const note = (symbol) => {
    for (const declaration of declarationsOf(symbol)) read.add(declaration)
  }
  if (ts.isPropertyAccessExpression(node)) note(checker.getSymbolAtLocation(node.name))
  if (!ts.isObjectBindingPattern(node)) return
  const type = checker.getTypeAtLocation(node)
  for (const { propertyName, name } of node.elements)
    note(type.getProperty((propertyName ?? name).getText()))
}

// A member of the kit may be a bag itself, of which one member is read.
function noteHandingOn(given, wanted, place, isInner = false) {
  for (const member of membersOf(wanted)) {
    const part = checker.getNonNullableType(given).getProperty(member.name)
    if (part === undefined) continue
    for (const to of declarationsOf(member))
      handedOn.set(to, new Set([...(handedOn.get(to) ?? []), ...declarationsOf(part)]))
    const [inner, wantedOfIt] = [part, member].map((symbol) =>
      checker.getTypeOfSymbolAtLocation(symbol, place),
    )
    if (!isInner && isBag(inner)) noteHandingOn(inner, wantedOfIt, place, true)
  }
}

function judgeCall(call) {
  const parameters = checker.getResolvedSignature(call)?.getParameters() ?? []
  for (const [index, argument] of call.arguments.entries()) {
    const parameter = parameters[index]
    if (parameter === undefined) continue
    const wanted = checker.getTypeOfSymbolAtLocation(parameter, call)
    noteHandingOn(checker.getTypeAtLocation(argument), wanted, call)
    if (!ts.isObjectLiteralExpression(argument) || isBag(wanted)) continue
    const spreads = argument.properties.filter(ts.isSpreadAssignment)
    if (spreads.some(({ expression }) => isBag(checker.getTypeAtLocation(expression))))
      report(argument, `${call.expression.getText()} is handed a bag, and takes no kit`)
  }
}

for (const source of sources)
  everyNode(source, (node) => {
    noteReading(node)
    if (outside.test(source.fileName)) return
    if (ts.isCallExpression(node)) judgeCall(node)
    if (ts.isVariableDeclaration(node) && node.type !== undefined && node.initializer)
      noteHandingOn(
        checker.getTypeAtLocation(node.initializer),
        checker.getTypeAtLocation(node.type),
        node,
      )
    if (ts.isObjectLiteralExpression(node)) judgeBag(node)
  })

for (const node of interfaces)
  for (const member of membersOf(checker.getTypeAtLocation(node)))
    if (isNamedKit(node) && member.flags & ts.SymbolFlags.Optional)
      report(node, `${node.name.text}.${member.name} is optional`)

const pending = [...read]
for (let to = pending.pop(); to !== undefined; to = pending.pop())
  for (const from of handedOn.get(to) ?? []) {
    if (read.has(from)) continue
    read.add(from)
    pending.push(from)
  }
for (const node of interfaces)
  for (const member of node.members)
    if (!read.has(member)) report(member, `${node.name.text}.${member.name.getText()} is not read`)

const isBait = (problem) => problem.includes('bait-of-check-kit')
const bitten = problems.filter(isBait).map((problem) => problem.replace(/^\S+ /, ''))
const toothless =
  JSON.stringify(bitten) === JSON.stringify(expected)
    ? []
    : [`check-kit.mjs does not bite: it found ${JSON.stringify(bitten)}`]
if (interfaces.length < 10 || bags < 20) throw new Error(`only ${bags} bags were looked at`)
finish(
  'kit',
  [...problems.filter((problem) => !isBait(problem)), ...toothless],
  `${interfaces.length} kits, ${bags} bags made of others, no list beside them; shown to bite`,
)
