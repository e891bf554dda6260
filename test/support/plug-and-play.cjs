// What Yarn Plug'n'Play does as far as a thread notices it: it says that it is there, and where.
const module_ = require('node:module')
const { isMainThread } = require('node:worker_threads')

Object.defineProperty(process.versions, 'pnp', { value: '3' })
const { _resolveFilename: resolve } = module_
module_._resolveFilename = (name, ...more) =>
  name === 'pnpapi' ? __filename : resolve(name, ...more)
if (!isMainThread) process.stdout.write('loaded in a thread\n')
