// How many modules, and bytes of them, `import 'messaging-auth-router'` loads, of ours and of other
// packages: what each process pays before it serves anything. Counted and not timed, so the same on
// every machine; the milliseconds are those of `npm run bench -- import`.
import { statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { requireFreshBuild } from './builds.mjs'
import { finish, root, run } from './support.mjs'

/** A little above today's figures: whoever adds a dependency or a room says so here. */
const most = {
  ours: { modules: 4, bytes: 895_000 },
  others: { modules: 131, bytes: 660_000 },
}

const asUrl = (code) => `data:text/javascript,${encodeURIComponent(code)}`
// ES modules are seen by a hook, which runs in a thread of its own; those in CommonJS lie in a
// cache. Modules of Node itself have no file, and are left out.
const hook = asUrl(`
  import { writeSync } from 'node:fs'
  export async function load(url, context, next) {
    writeSync(1, url + '\\n')
    return next(url, context)
  }`)
const watch = asUrl(`
  import { createRequire, register } from 'node:module'
  import { pathToFileURL } from 'node:url'
  register(${JSON.stringify(hook)})
  process.on('exit', () => {
    for (const file of Object.keys(createRequire(process.cwd() + '/').cache))
      console.log(pathToFileURL(file).href)
  })`)

function filesLoadedBy(specifier) {
  const code = `await import('${specifier}')`
  const { ok, stdout, output } = run(process.execPath, [
    ...['--no-warnings', '--import', watch],
    ...['--input-type=module', '--eval', code],
  ])
  if (!ok) throw new Error(output)
  const urls = stdout.split('\n').filter((line) => line.startsWith('file:'))
  return [...new Set(urls.map((url) => fileURLToPath(url)))]
}

function figuresOf(files) {
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0)
  return { modules: files.length, bytes }
}

requireFreshBuild()
const files = filesLoadedBy('./dist/index.js')
const isOther = (file) => file.includes('/node_modules/')
const loaded = {
  ours: figuresOf(files.filter((file) => !isOther(file) && file.startsWith(`${root}dist/`))),
  others: figuresOf(files.filter(isOther)),
}
const problems = Object.entries(loaded).flatMap(([whose, figures]) => [
  ...(figures.modules === 0 ? [`${whose}: no module was seen`] : []),
  ...Object.entries(figures)
    .filter(([what, count]) => count > most[whose][what])
    .map(([what, count]) => `${whose}: ${count} ${what}, and at most ${most[whose][what]}`),
])
const summary = Object.entries(loaded)
  .map(([whose, { modules, bytes }]) => `${whose}: ${modules} modules, ${bytes} bytes`)
  .join('; ')
finish('loaded', problems, summary)
