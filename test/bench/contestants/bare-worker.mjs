import { parentPort } from 'node:worker_threads'
import bcrypt from 'bcryptjs'

parentPort.on('message', ({ plain, hash }) =>
  parentPort.postMessage(bcrypt.compareSync(plain, hash)),
)
