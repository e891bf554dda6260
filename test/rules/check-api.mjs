// Compares what hosts can import, with all its types, with the reports in api/: the public face
// changes on purpose or not at all. `--update` writes the reports anew.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Extractor, ExtractorConfig } from '@microsoft/api-extractor'
import { requireFreshBuild } from './builds.mjs'
import { finish, root, scratchFolder } from './support.mjs'

const update = process.argv.includes('--update')
const reports = join(root, 'test/rules/api')

/** The entry points, by the name of their report. */
function entryPoints() {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return Object.entries(exports)
    .filter(([, target]) => typeof target === 'object')
    .map(([entry, { types }]) => ({
      name: entry === '.' ? 'index' : entry.slice(2).replaceAll('/', '-'),
      types: join(root, types),
    }))
}

function configOf({ name, types }, folder) {
  const level = (logLevel) => ({ default: { logLevel } })
  return ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: join(root, 'package.json'),
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: types,
      newlineKind: 'lf',
      compiler: {
        overrideTsconfig: {
          extends: join(root, 'tsconfig.json'),
          compilerOptions: { rootDir: root },
          include: [],
          files: [types],
        },
      },
      apiReport: {
        enabled: true,
        reportFileName: `${name}.api.md`,
        reportFolder: folder,
        reportTempFolder: join(folder, 'temp'),
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        compilerMessageReporting: level('error'),
        extractorMessageReporting: {
          ...level('error'),
          'ae-missing-release-tag': { logLevel: 'none' },
          'ae-undocumented': { logLevel: 'none' },
          // A type that hosts meet and cannot name stands in the report, so that a new one is seen.
          'ae-forgotten-export': { logLevel: 'warning', addToApiReportFile: true },
        },
        tsdocMessageReporting: level('none'),
      },
    },
  })
}

/**
 * Writes the report of one entry point into the folder and answers its text and what went wrong.
 */
function report(entry, folder) {
  const problems = []
  const messageCallback = (message) => {
    if (message.logLevel === 'error') problems.push(`${entry.name}: ${message.text}`)
    // Said by finish(), or in the report.
    message.handled = true
  }
  const { succeeded } = Extractor.invoke(configOf(entry, folder), {
    localBuild: true,
    messageCallback,
  })
  const failed = succeeded || problems.length > 0 ? [] : [`${entry.name}: api-extractor failed`]
  return {
    text: readFileSync(join(folder, `${entry.name}.api.md`), 'utf8'),
    problems: [...problems, ...failed],
  }
}

// The first line that differs says more than two whole reports.
function compare(name, text) {
  const file = join(reports, `${name}.api.md`)
  if (!existsSync(file)) return [`test/rules/api/${name}.api.md is missing`]
  const [before, after] = [readFileSync(file, 'utf8').split('\n'), text.split('\n')]
  const at = after.findIndex((line, index) => line !== before[index])
  if (at === -1 && before.length === after.length) return []
  const line = at === -1 ? after.length : at
  return [
    `test/rules/api/${name}.api.md:${line + 1}: the public interface changed; if on purpose, ` +
      `run \`npm run update\`\n` +
      `  was: ${before[line] ?? '(end)'}\n  is:  ${after[line] ?? '(end)'}`,
  ]
}

requireFreshBuild()
const folder = scratchFolder('api')
const entries = entryPoints()
const problems = entries.flatMap((entry) => {
  const { text, problems: found } = report(entry, folder)
  if (update) writeFileSync(join(reports, `${entry.name}.api.md`), text)
  return [...found, ...compare(entry.name, text)]
})
const known = entries.map(({ name }) => `${name}.api.md`)
const orphans = readdirSync(reports).filter((file) => !known.includes(file))
finish(
  'api',
  [...problems, ...orphans.map((file) => `test/rules/api/${file}: belongs to no entry point`)],
  `${entries.length} entry points ${update ? 'written' : 'as reported'}`,
)
