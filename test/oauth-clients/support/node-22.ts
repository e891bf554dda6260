// For programs that need Node 22.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The packages of this folder. */
export const packages: string = fileURLToPath(new URL('../node_modules/', import.meta.url))
const pinned = `${packages}node-22-${process.platform}-${process.arch}/bin/node`
const isNew = Number(process.versions.node.split('.')[0]) >= 22

/** The pinned one, where there is one for this machine; null without any. */
export const node22: string | null = existsSync(pinned) ? pinned : isNew ? process.execPath : null
