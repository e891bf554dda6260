// docs/architecture.md, src/README.md and docs/adding-a-capability.md name files and rooms: a file
// that has moved, or a room that is new, takes the page along.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'

interface Rule {
  readonly name: string
  readonly comment: string
}

const walls = createRequire(import.meta.url)('../rules/walls.cjs') as { forbidden: Rule[] }
const root = new URL('../../', import.meta.url)
const read = (name: string) => readFileSync(new URL(`docs/${name}.md`, root), 'utf8')
const pathsIn = (text: string) =>
  [...text.matchAll(/`((?:src|test|example-app)\/[^`]*)`/g)].map(([, path]) => path as string)
const page = read('architecture')
const rooms = readdirSync(new URL('src/', root)).filter((name) => name !== 'README.md')
const paths = pathsIn(page)
const adding = pathsIn(read('adding-a-capability'))
const reasons = walls.forbidden
  .filter(({ name }) => name.startsWith('floor-'))
  .map(({ comment }) => comment.slice(comment.indexOf(': ') + 2))

describe('docs/architecture.md', () => {
  it('names files, rather many', () => {
    expect(new Set(paths).size).toBeGreaterThan(40)
    expect(reasons.length).toBeGreaterThan(15)
  })

  it.each([...new Set(paths)])('names %s, which is there', (path) => {
    expect(existsSync(new URL(path, root))).toBe(true)
  })

  it.each(rooms)('shows src/%s on its map', (name) => {
    expect(paths.some((path) => path === `src/${name}` || path === `src/${name}/`)).toBe(true)
  })

  it.each(reasons)('gives the reason of a floor: %s', (reason) => {
    expect(page).toContain(`| ${reason} |`)
  })
})

describe('src/README.md', () => {
  it('puts each room on one storey', () => {
    const rows = readFileSync(new URL('src/README.md', root), 'utf8').split('\n| ').slice(3)
    const named = rows.flatMap((row) => [...row.matchAll(/`([^`]+)`/g)].map(([, name]) => name))
    expect(rows).toHaveLength(8)
    expect(named.toSorted()).toEqual(rooms.toSorted())
  })
})

describe('docs/adding-a-capability.md', () => {
  it('names what a capability, a grant, a header and a stored member touch', () => {
    expect(new Set(adding).size).toBeGreaterThan(20)
  })

  it.each([...new Set(adding)])('names %s, which is there', (path) => {
    // A new file stands beside others of its kind.
    const known = path.replace('/<name>-page.', '/delete-page.').replace('<name>', 'code')
    expect(existsSync(new URL(known, root))).toBe(true)
  })
})
