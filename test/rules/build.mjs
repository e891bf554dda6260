// Makes dist/, as it is tested and published, and, asked with `example`, the example too: what is
// stale, and nothing else. `npm run build`, and all scripts that need a build, come through here.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { builds, isFresh, noteBuild, sourcesDigest } from './builds.mjs'
import { bundle, entries } from './bundle.mjs'
import { rollUp } from './declarations.mjs'
import { filesBelow, root, runTool } from './support.mjs'

const asked = process.argv.slice(2)
const unknown = asked.find((name) => !(name in builds))
if (unknown !== undefined)
  throw new Error(`No build ${unknown}. There are: ${Object.keys(builds).join(', ')}.`)

for (const build of new Set([builds.package, ...asked.map((name) => builds[name])])) {
  if (!isFresh(build) && !(await make(build))) {
    process.exitCode = 1
    break
  }
}

async function make(build) {
  const { output } = build
  const digest = sourcesDigest(build)
  const draft = `${output}.draft-${process.pid}`
  try {
    if (!compile(build, draft)) return false
    if (build === builds.package) await rollUpInto(draft)
    replaceFiles(draft, output)
  } finally {
    rmSync(join(root, draft), { recursive: true, force: true })
  }
  noteBuild(build, digest)
  return true
}

function compile({ project, options = [] }, draft) {
  const { ok, output: messages } = runTool('tsc', ['-p', project, ...options, '--outDir', draft])
  if (!ok) process.stderr.write(`${messages}\n`)
  return ok
}

// In place of the compiler's declarations, one file for each source, what is published.
async function rollUpInto(draft) {
  const files = { ...rollUp(draft, entries), ...(await bundle()) }
  rmSync(join(root, draft), { recursive: true })
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, draft, name)), { recursive: true })
    writeFileSync(join(root, draft, name), text)
  }
}

// Each file takes its place at once: a test may be starting the program at this moment.
function replaceFiles(draft, output) {
  const names = filesBelow(draft).map((file) => file.slice(draft.length + 1))
  for (const name of names) {
    mkdirSync(dirname(join(root, output, name)), { recursive: true })
    renameSync(join(root, draft, name), join(root, output, name))
  }
  for (const file of filesBelow(output)) {
    if (!names.includes(file.slice(output.length + 1))) rmSync(join(root, file))
  }
}
