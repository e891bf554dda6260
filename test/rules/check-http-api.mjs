// Makes the tables of docs/http-api.md from openapi.json; without --update it only compares.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { finish, root } from './support.mjs'

const document = join(root, 'docs/http-api.md')
const [begin, end] = ['<!-- endpoints -->', '<!-- /endpoints -->']
const described = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8'))
const requests = Object.entries(described.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, request]) => ({
    name: `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
    ...request,
  })),
)

/** A link to each RFC, to the section where one is named, and to the other documents. */
const withLinks = (text) =>
  text
    .replaceAll(/RFC (\d{4})(?: §([\d.]+\d|\d))?/g, (name, number, section) => {
      const anchor = section === undefined ? '' : `#section-${section}`
      return `[${name}](https://www.rfc-editor.org/rfc/rfc${number}${anchor})`
    })
    .replaceAll(/`docs\/([\w-]+\.md)`/g, '[$1]($1)')
const anchorOf = (error) => error.toLowerCase().replace('invalid_request', 'invalid-request')
const cell = (text) => withLinks(text).replaceAll('|', '\\|')

/** What is behind a reference; anything else is what it is. */
function resolve(object) {
  if (object?.$ref === undefined) return object
  return object.$ref
    .slice(2)
    .split('/')
    .reduce((at, name) => at[name], described)
}

const listOf = (words) => {
  const quoted = words.map((word) => `\`${word}\``)
  return quoted.length < 2
    ? quoted.join('')
    : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`
}

/** The type of a value, in words. */
function typeOf(given) {
  const schema = resolve(given)
  if (schema.enum !== undefined) return listOf(schema.enum)
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' or ')
  if (Array.isArray(schema.type)) return schema.type.map((type) => nameOf(type)).join(' or ')
  if (schema.format === 'date-time') return 'time'
  if (schema.type === 'array') return `list of ${typeOf(schema.items)}`
  return nameOf(schema.type)
}
const names = { string: 'text', integer: 'number', boolean: 'true or false' }
const nameOf = (type) => names[type] ?? type ?? 'any'

/** The values in a schema, one in a row; what is in a list has `[]` before it. */
function rowsOf(given, at = '', isRequired = true, told = '') {
  const schema = resolve(given)
  const { properties, required = [], additionalProperties, items } = schema
  const what = schema.description ?? (schema.enum?.length === 1 ? 'constant' : told)
  if (items !== undefined && resolve(items).properties !== undefined)
    return rowsOf(items, `${at}[]`, isRequired, what)
  if (properties === undefined) return [{ name: at, type: typeOf(schema), isRequired, what }]
  const inner = Object.entries(properties).flatMap(([name, value]) =>
    rowsOf(value, at === '' ? name : `${at}.${name}`, isRequired && required.includes(name)),
  )
  const more = additionalProperties?.description
  return more === undefined
    ? inner
    : [...inner, { name: at === '' ? '…' : `${at}.…`, type: 'any', isRequired: false, what: more }]
}

function table(caption, always, rows) {
  if (rows.length === 0) return []
  return [
    `${caption}:`,
    '',
    `| member | type | ${always} | what |`,
    '| --- | --- | --- | --- |',
    ...rows.map(
      ({ name, type, isRequired, what }) =>
        `| \`${name}\` | ${type} | ${isRequired ? 'yes' : 'no'} | ${cell(what)} |`,
    ),
    '',
  ]
}

const parametersIn = (place, parameters = []) =>
  parameters
    .filter((parameter) => parameter.in === place)
    .map(({ name, required = false, description = '', schema }) => ({
      name,
      type: typeOf(schema),
      isRequired: required,
      what: description,
    }))

/** The body of a request, named for how it is sent. */
function bodyTable({ content } = { content: {} }) {
  const [[type, { schema }] = ['', { schema: {} }]] = Object.entries(content)
  if (schema.$ref === undefined) return []
  return table(type.includes('form') ? 'Form' : 'Body', 'required', rowsOf(schema))
}

/** The names that a refusal may have. */
function errorsOf(response) {
  const schema = resolve(response).content?.['application/json']?.schema
  if (schema === undefined) return []
  return (schema.oneOf ?? [schema]).map((one) => resolve(one).properties.error.enum[0])
}

function successTables(responses) {
  return Object.entries(responses)
    .filter(([status]) => Number(status) < 400)
    .flatMap(([status, response]) => {
      const schema = resolve(response).content?.['application/json']?.schema
      return schema === undefined ? [] : table(`Answer ${status}`, 'always', rowsOf(schema))
    })
}

/** Answers that are no JSON: pages, redirects, 204. */
function otherAnswers(responses) {
  return Object.entries(responses)
    .map(([status, response]) => [status, resolve(response)])
    .filter(([, { content }]) => content?.['application/json'] === undefined)
    .map(([status, { description }]) => `- ${status}: ${withLinks(description)}`)
}

function refusals(responses) {
  const listed = Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .map(([status, response]) => [status, errorsOf(response)])
    .filter(([, errors]) => errors.length > 0)
    .map(([status, errors]) => {
      const links = errors.map((error) => `[\`${error}\`](errors.md#${anchorOf(error)})`)
      return `${status} ${links.join(', ')}`
    })
  return listed.length === 0 ? [] : [`Refusals: ${listed.join('; ')}.`, '']
}

const isOAuth = (responses) =>
  Object.values(responses).some((response) => {
    const schema = resolve(response).content?.['application/json']?.schema
    const first = resolve(schema?.oneOf?.[0] ?? schema)
    return first?.properties?.error_description !== undefined
  })

function section(request) {
  const { name, summary, description = '', parameters, requestBody, responses } = request
  const thereWith = request['x-there-with']
  const facts = [
    `Who: ${request['x-who']}`,
    ...(thereWith === undefined ? [] : [`there only with ${thereWith}`]),
    ...(isOAuth(responses) ? ['**OAuth**'] : []),
  ]
  const notes = [
    ...otherAnswers(responses),
    ...description
      .split('\n')
      .filter((note) => note !== '')
      .map(withLinks),
  ]
  return [
    `#### ${name}`,
    '',
    withLinks(summary),
    '',
    `${facts.join('; ')}.`,
    '',
    ...table('Headers', 'required', parametersIn('header', parameters)),
    ...table('Query', 'required', parametersIn('query', parameters)),
    ...bodyTable(requestBody),
    ...successTables(responses),
    ...refusals(responses),
    ...notes,
    ...(notes.length === 0 ? [] : ['']),
  ]
}

const overview = [
  '| request | who | what |',
  '| --- | --- | --- |',
  ...requests.map((request) => {
    const anchor = request.name.toLowerCase().replaceAll(/[^\w -]/g, '')
    const link = `[\`${request.name}\`](#${anchor.replaceAll(' ', '-')})`
    return `| ${link} | ${request['x-who']} | ${withLinks(request.summary)} |`
  }),
]
const made = [
  begin,
  '',
  ...overview,
  '',
  ...described.tags.flatMap(({ name }) => [
    `### ${name}`,
    '',
    ...requests.filter(({ tags: [tag] }) => tag === name).flatMap(section),
  ]),
  end,
].join('\n')

const before = readFileSync(document, 'utf8')
const after = before.replace(new RegExp(`${begin}[\\s\\S]*${end}`), () => made)
if (process.argv.includes('--update')) writeFileSync(document, after)
const isStale = readFileSync(document, 'utf8') !== after || !after.includes(made)
finish(
  'http-api',
  isStale ? ['docs/http-api.md: differs from openapi.json; run `npm run update`'] : [],
  `${requests.length} requests, as docs/http-api.md says`,
)
