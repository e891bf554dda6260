// Compiles everything that is TypeScript, and writes nothing. The example imports the package by
// its own name, as a host does, so it sees the declarations in dist/.
import { requireFreshBuild } from './builds.mjs'
import { finish, runTool } from './support.mjs'

// The client by itself, too: without the types of Node or browsers.
const projects = [
  'tsconfig.json',
  'src/client/tsconfig.json',
  'test/tsconfig.json',
  'example-app/tsconfig.json',
]

requireFreshBuild()
const problems = projects.flatMap((project) => {
  const { ok, output } = runTool('tsc', ['--noEmit', '--pretty', 'false', '-p', project])
  return ok ? [] : [`${project}:\n${output}`]
})
finish('types', problems, `${projects.join(', ')} compile`)
