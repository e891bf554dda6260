// The native bcrypt in libuv's thread pool.
import bcrypt from 'bcrypt'
import { checkWith, plainApp } from './plain-app.mjs'

export const start = (settings) =>
  plainApp(
    settings,
    checkWith((plain, hash) => bcrypt.compare(plain, hash)),
  )
