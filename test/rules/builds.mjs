// Whether what was compiled is what the sources say now. Told by what the files hold, not by their
// times: a checkout changes those without changing anything, and copying does the opposite.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { filesBelow, root } from './support.mjs'

// The lock stands for the compiler and the types of the dependencies.
const always = ['package.json', 'package-lock.json', 'tsconfig.json']
const bundlers = ['build', 'bundle', 'declarations'].map((name) => `test/rules/${name}.mjs`)
const sources = () => [...always, ...bundlers, ...filesBelow('src', '.ts')]

/**
 * What can be built: the compiler's project and options, what is read, and the folder that is
 * written.
 */
export const builds = {
  package: {
    project: 'tsconfig.json',
    options: ['--emitDeclarationOnly'],
    sources,
    output: 'dist',
  },
  example: {
    project: 'example-app',
    // It is compiled against the package.
    sources: () => [...sources(), 'example-app/tsconfig.json', ...filesBelow('example-app', '.ts')],
    output: 'example-app/build',
  },
}

/** Whether a build holds what its sources compile to, and nothing else. */
export function isFresh(build) {
  const note = noteOf(build)
  return (
    existsSync(note) &&
    readFileSync(note, 'utf8') === `${sourcesDigest(build)} ${outputDigest(build)}`
  )
}

/** What the sources of a build hold. */
export function sourcesDigest({ sources }) {
  return digestOf(sources())
}

/** Notes what a build was made of: the sources as they were when the compiler began. */
export function noteBuild(build, digest) {
  mkdirSync(dirname(noteOf(build)), { recursive: true })
  writeFileSync(noteOf(build), `${digest} ${outputDigest(build)}`)
}

/** Throws unless dist/ is what src/ compiles to: a check of another build would prove nothing. */
export function requireFreshBuild() {
  if (!isFresh(builds.package))
    throw new Error('dist/ is not what src/ compiles to; run `npm run build` first')
}

// Not in the build: nothing of ours is in what is published.
function noteOf({ output }) {
  return join(root, 'node_modules/.cache/builds', output.replaceAll('/', '-'))
}

// A build that somebody has changed is none.
function outputDigest({ output }) {
  return digestOf(existsSync(join(root, output)) ? filesBelow(output) : [])
}

function digestOf(files) {
  const digest = createHash('sha256')
  for (const file of files) {
    const content = readFileSync(join(root, file))
    digest.update(`${file}\0${content.length}\0`).update(content)
  }
  return digest.digest('hex')
}
