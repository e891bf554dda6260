// Looks for answers that openapi.json describes and no test has got. After a run of the tests that
// noted what they saw: ANSWERS_SEEN=<folder> npm test, then node test/rules/check-answers.mjs
// <folder>.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { finish, root } from './support.mjs'

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('name the folder that ANSWERS_SEEN named')
const seen = new Set(
  readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n')),
)
const described = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8'))
const resolve = ({ $ref, ...own }) =>
  $ref === undefined
    ? own
    : $ref
        .slice(2)
        .split('/')
        .reduce((at, name) => at[name], described)

function errorsOf(status, response) {
  const schema = resolve(response).content?.['application/json']?.schema
  if (Number(status) < 400 || schema === undefined) return ['']
  return (schema.oneOf ?? [schema]).map((one) => ` ${resolve(one).properties.error.enum[0]}`)
}

const answers = Object.entries(described.paths).flatMap(([path, item]) =>
  Object.entries(item).flatMap(([method, { responses }]) =>
    Object.entries(responses).flatMap(([status, response]) =>
      errorsOf(status, response).map(
        (error) =>
          `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')} ${status}${error}`,
      ),
    ),
  ),
)
const unseen = answers.filter((answer) => !seen.has(answer))
finish('answers', unseen, `${answers.length} answers, and a test has got each of them`)
