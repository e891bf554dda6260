// Compiles the package into dist/ and, asked with `example`, the example too: what is stale, and
// nothing else. `npm run build`, and all scripts that need a build, come through here.
import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { builds, isFresh, noteBuild, sourcesDigest } from './builds.mjs'
import { filesBelow, root, runTool } from './support.mjs'

const asked = process.argv.slice(2)
const unknown = asked.find((name) => !(name in builds))
if (unknown !== undefined)
  throw new Error(`No build ${unknown}. There are: ${Object.keys(builds).join(', ')}.`)

for (const build of new Set([builds.package, ...asked.map((name) => builds[name])])) {
  if (!isFresh(build) && !compile(build)) {
    process.exitCode = 1
    break
  }
}

function compile(build) {
  const { project, output } = build
  const digest = sourcesDigest(build)
  const draft = `${output}.draft-${process.pid}`
  const { ok, output: messages } = runTool('tsc', ['-p', project, '--outDir', draft])
  if (ok) replaceFiles(draft, output)
  else process.stderr.write(`${messages}\n`)
  rmSync(join(root, draft), { recursive: true, force: true })
  if (ok) noteBuild(build, digest)
  return ok
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
