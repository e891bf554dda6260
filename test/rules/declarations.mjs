// The declarations of the package: of all that the compiler writes, one file for each source, what
// hosts can reach from an entry. One file for each entry again, and few that entries share: a type
// stands in one place, so that it is the same whichever entry names it.
import { dirname, join, posix } from 'node:path'
import ts from 'typescript'
import { filesBelow, root } from './support.mjs'

/**
 * Rolls up the declarations in a folder; answers the text of each file by its name. `entries` are
 * the sources of the entries by the names of their files, both without an ending.
 */
export function rollUp(folder, entries) {
  const program = programOf(folder)
  const reader = createReader(program, folder)
  const reached = new Map()
  const exported = {}
  for (const [entry, source] of Object.entries(entries)) {
    exported[entry] = reader.exportsOf(`${source}.d.ts`)
    const seen = reached.set(entry, new Set()).get(entry)
    for (const { symbol } of exported[entry]) reader.visit(symbol, (found) => claim(seen, found))
    if (entry === main)
      for (const { symbol } of reader.globals.flatMap((one) => [...reader.namesInStatement(one)]))
        if (symbol !== undefined) reader.visit(symbol, (found) => claim(seen, found))
  }
  const files = placed(reached, reader)
  const names = named(files, exported)
  return Object.fromEntries(
    [...new Set([...Object.keys(entries), ...files.values()])].map((file) => [
      `${file}.d.ts`,
      textOf(file, { files, names, exported: exported[file] ?? [], reader }),
    ]),
  )
}

/** The entry with which goes what is added to global types: nobody uses another without it. */
const main = 'index'

function claim(seen, symbol) {
  if (seen.has(symbol)) return false
  seen.add(symbol)
  return true
}

// Without any library, and without the packages that are imported: only names are resolved.
function programOf(folder) {
  const options = {
    noLib: true,
    types: [],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
  }
  const host = ts.createCompilerHost(options)
  host.resolveModuleNameLiterals = (literals, containing) =>
    literals.map(({ text }) => {
      const file = join(dirname(containing), text.replace(/\.js$/, '.d.ts'))
      const resolvedModule = { resolvedFileName: file, extension: ts.Extension.Dts }
      return text.startsWith('.') ? { resolvedModule } : { resolvedModule: undefined }
    })
  const files = filesBelow(folder, '.d.ts').map((file) => join(root, file))
  return ts.createProgram(files, options, host)
}

/** Reads what a declaration names. */
function createReader(program, folder) {
  const checker = program.getTypeChecker()
  const isOurs = (node) => node.getSourceFile().fileName.startsWith(join(root, folder))
  const declarationsOf = (symbol) => symbol.declarations.map(statementOf)

  /** What an identifier stands for: what we declare, what is of another package, or null. */
  function targetOf(identifier) {
    let symbol = checker.getSymbolAtLocation(identifier)
    while (symbol !== undefined && symbol.flags & ts.SymbolFlags.Alias) {
      const [declaration] = symbol.declarations
      if (isFromPackage(declaration)) return { imported: importOf(declaration) }
      symbol = checker.getImmediateAliasedSymbol(symbol)
    }
    const declarations = symbol?.declarations ?? []
    const isOwn = declarations.some((one) => isOurs(one) && isNamedAtTop(one))
    return isOwn ? { symbol } : null
  }

  // By what they stand for; the words of a whole file are read once.
  const read = new Map()
  function namesIn(symbol) {
    const readAll = () => declarationsOf(symbol).flatMap((one) => [...namesInStatement(one)])
    if (!read.has(symbol)) read.set(symbol, readAll())
    return read.get(symbol)
  }
  function* namesInStatement(statement) {
    for (const identifier of identifiersIn(statement)) {
      const target = targetOf(identifier)
      if (target !== null) yield { identifier, ...target }
    }
  }

  function visit(symbol, claims) {
    if (!claims(symbol)) return
    for (const { symbol: next } of namesIn(symbol)) if (next !== undefined) visit(next, claims)
  }

  return {
    visit,
    namesIn,
    namesInStatement,
    declarationsOf,
    globals: program
      .getSourceFiles()
      .flatMap(({ statements }) => statements.filter((one) => ts.isGlobalScopeAugmentation(one))),
    exportsOf(file) {
      const source = program.getSourceFile(join(root, folder, file))
      return checker.getExportsOfModule(checker.getSymbolAtLocation(source)).map((one) => ({
        name: one.name,
        symbol: one.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(one) : one,
        isType: one.declarations.every(ts.isTypeOnlyImportOrExportDeclaration),
      }))
    },
  }
}

function statementOf(declaration) {
  return ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration
}

function isNamedAtTop(declaration) {
  const { parent } = statementOf(declaration)
  return parent?.kind === ts.SyntaxKind.SourceFile && !ts.isGlobalScopeAugmentation(declaration)
}

function* identifiersIn(node) {
  if (ts.isIdentifier(node)) yield node
  const children = []
  ts.forEachChild(node, (child) => void children.push(child))
  for (const child of children) yield* identifiersIn(child)
}

function declarationOfImport(node) {
  const isOne = (at) => ts.isImportDeclaration(at) || ts.isExportDeclaration(at)
  return ts.findAncestor(node, isOne)
}

function isFromPackage(declaration) {
  const from = declarationOfImport(declaration)?.moduleSpecifier
  return from !== undefined && !from.text.startsWith('.')
}

function importOf(declaration) {
  const from = declarationOfImport(declaration).moduleSpecifier.text
  if (ts.isNamespaceImport(declaration)) return { from, name: '*', as: declaration.name.text }
  if (ts.isImportClause(declaration)) return { from, name: 'default', as: declaration.name.text }
  const name = (declaration.propertyName ?? declaration.name).text
  return { from, name, as: declaration.name.text }
}

/**
 * In which file each declaration stands. What one entry alone reaches stands in its own. What is
 * shared stands together with what needs the same packages: nobody needs more than he uses.
 */
function placed(reached, reader) {
  const files = new Map()
  const entriesOf = new Map()
  for (const [entry, symbols] of reached)
    for (const symbol of symbols) entriesOf.set(symbol, [...(entriesOf.get(symbol) ?? []), entry])
  for (const [symbol, entries] of entriesOf) {
    if (entries.length === 1) files.set(symbol, entries[0])
    else {
      const side = entries.every((entry) => entry.startsWith('client')) ? 'client/shared' : 'shared'
      files.set(symbol, [side, ...packagesOf(symbol, reader)].join('-'))
    }
  }
  return files
}

function packagesOf(symbol, reader) {
  const [seen, packages] = [new Set(), new Set()]
  reader.visit(symbol, (found) => {
    for (const { imported } of reader.namesIn(found))
      if (imported && !imported.from.startsWith('node:')) packages.add(imported.from)
    return claim(seen, found)
  })
  return [...packages].sort().map((name) => name.replaceAll(/\W/g, '-'))
}

/** By what name each declaration goes: its own, where no other of its file has it. */
function named(files, exported) {
  const [names, taken] = [new Map(), new Set()]
  const claimName = (symbol, file) => {
    const name = freeName(symbol.name, (one) => taken.has(`${file} ${one}`))
    taken.add(`${file} ${name}`)
    names.set(symbol, name)
  }
  // Those that hosts know by their names first.
  const known = Object.values(exported).flatMap((all) => all.map(({ symbol }) => symbol))
  for (const symbol of new Set([...known, ...files.keys()])) claimName(symbol, files.get(symbol))
  return names
}

function textOf(file, { files, names, exported, reader }) {
  const own = [...files].filter(([, place]) => place === file).map(([symbol]) => symbol)
  const imports = createImports(file, own, { files, names })
  const statements = new Set(own.flatMap((symbol) => reader.declarationsOf(symbol)))
  if (file === main) for (const one of reader.globals) statements.add(one)
  const found = [...statements].flatMap((one) => [...reader.namesInStatement(one)])
  const targets = new Map(found.map((one) => [one.identifier, one]))
  const body = [...statements].map((statement) =>
    printed(statement, (identifier) => {
      const target = targets.get(identifier)
      return target === undefined ? identifier.text : imports.nameOf(target)
    }),
  )
  const isEntry = exported.length > 0
  const said = isEntry
    ? exported.map(({ symbol, name, isType }) => {
        const local = imports.nameOf({ symbol })
        return `${isType ? 'type ' : ''}${local === name ? name : `${local} as ${name}`}`
      })
    : own.map((symbol) => names.get(symbol))
  return `${[...imports.text(), ...body, `export { ${said.sort().join(', ')} }`].join('\n')}\n`
}

/** What a file imports; answers by what name each goes there. */
function createImports(file, own, { files, names }) {
  const taken = new Set(own.map((symbol) => names.get(symbol)))
  const locals = new Map()
  const lines = new Map()
  function add(key, from, name, wanted) {
    if (locals.has(key)) return locals.get(key)
    const local = freeName(wanted, (one) => taken.has(one))
    taken.add(local)
    locals.set(key, local)
    const line = name === '*' ? `${from} *` : from
    lines.set(line, [...(lines.get(line) ?? []), name === local ? name : `${name} as ${local}`])
    return local
  }
  return {
    nameOf({ symbol, imported }) {
      if (imported !== undefined)
        return add(`${imported.from} ${imported.name}`, imported.from, imported.name, imported.as)
      if (files.get(symbol) === file) return names.get(symbol)
      return add(symbol, pathTo(files.get(symbol), file), names.get(symbol), names.get(symbol))
    },
    text: () =>
      [...lines].map(([line, said]) => {
        const [from, all] = line.split(' ')
        // A class of ours is a value for those who import it.
        const type = from.startsWith('.') ? '' : 'type '
        const what = all === undefined ? `{ ${said.join(', ')} }` : said[0]
        return `import ${type}${what} from '${from}'`
      }),
  }
}

function pathTo(file, from) {
  const path = posix.relative(posix.dirname(from), file)
  return `${path.startsWith('.') ? path : `./${path}`}.js`
}

function freeName(wanted, isTaken) {
  let name = wanted
  for (let count = 1; isTaken(name); count += 1) name = `${wanted}$${count}`
  return name
}

// With its comment; `export` is said at the end of the file, for those that are.
function printed(statement, nameOf) {
  const source = statement.getSourceFile().text
  const [start, end] = [statement.getFullStart(), statement.getEnd()]
  const edits = (statement.modifiers ?? [])
    .filter(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
    .map((word) => [word.getStart(), word.getEnd() + 1, ''])
  for (const identifier of identifiersIn(statement)) {
    const name = nameOf(identifier)
    if (name !== identifier.text) edits.push([identifier.getStart(), identifier.getEnd(), name])
  }
  let [text, at] = ['', start]
  for (const [from, to, instead] of edits.sort(([one], [other]) => one - other)) {
    text += source.slice(at, from) + instead
    at = to
  }
  return (text + source.slice(at, end)).trim()
}
