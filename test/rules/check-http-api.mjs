// Makes docs/http-api/ and the lists of docs/http-api.md from openapi.json; without --update it
// only compares. A thing is said once: the members that many requests share, and the refusals that
// follow from who may ask and whether there is a body, stand in docs/http-api.md alone.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { finish, root } from './support.mjs'

const overview = 'docs/http-api.md'
const [begin, end] = ['<!-- requests -->', '<!-- /requests -->']
/** The files of docs/http-api/: title, and which tags of the description it has. */
const files = {
  'sign-in': ['Signing in, sessions and tokens', ['Signing in', 'The session', 'Named tokens']],
  factors: ['Second factors and passkeys', ['The second factor', 'Passkeys']],
  account: ['Accounts', ['The account', 'New accounts']],
  elsewhere: ['Other accounts and devices', ['Other accounts', 'Linked devices']],
  apps: ['Apps and keys', ['Apps', 'Keys']],
}
/**
 * What many requests share, listed once, in docs/http-api.md: where it stands in the description,
 * and of members that stand beside others in a body, which they are.
 */
const shared = [
  { title: 'A new session', at: ['LogInAnswer', 'data'] },
  { title: 'The user', at: ['LogInAnswer', 'data', 'me'] },
  { title: 'The answer of a passkey', at: ['ReauthenticateRequest', 'passkey'] },
  { title: 'A passkey', at: ['AddPasskeyAnswer', 'data', 'passkey'] },
  { title: 'An identity', at: ['ConnectIdentityAnswer', 'data', 'identity'] },
  {
    title: 'A proof',
    at: ['ReauthenticateRequest'],
    names: ['password', 'code', 'passkey'],
    note:
      'For a session whose sign-in is older than ten minutes, or lacks a required factor; ' +
      'without it such a session is 403 `reauthentication-required`. Some requests say otherwise.',
  },
  {
    title: 'The credentials of an app',
    at: ['RevokeTokenRequest'],
    names: ['client_id', 'client_secret', 'client_assertion', 'client_assertion_type'],
  },
]
const described = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8'))
const requests = Object.entries(described.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, request]) => ({
    name: `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
    ...request,
  })),
)
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-')

/** A link to each RFC, to the section where one is named, and to the other documents. */
const withLinks = (text, up = '../') =>
  text
    .replaceAll(/RFC (\d{4})(?: §([\d.]+\d|\d))?/g, (name, number, section) => {
      const anchor = section === undefined ? '' : `#section-${section}`
      return `[${name}](https://www.rfc-editor.org/rfc/rfc${number}${anchor})`
    })
    .replaceAll(/`docs\/([\w-]+\.md)`/g, `[$1](${up}$1)`)

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

const names = { string: 'text', integer: 'number' }
const nameOf = (type) => names[type] ?? type ?? 'any'

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

for (const one of shared) {
  const [component, ...path] = one.at
  const schema = path.reduce(
    (at, name) => resolve(at.properties[name]),
    described.components.schemas[component],
  )
  const { properties, names = Object.keys(properties) } = { ...schema, ...one }
  one.members = Object.fromEntries(names.map((name) => [name, properties[name]]))
  one.schema = { ...schema, properties: one.members }
}

/** The lists whose members are all among these, as they are there. */
const sharedIn = (properties) =>
  shared.filter(({ members }) =>
    Object.entries(members).every(
      ([name, schema]) => JSON.stringify(properties[name]) === JSON.stringify(schema),
    ),
  )

/**
 * The values in a schema, one in a row; `[]` stands behind the name of a list. `except`: the list
 * of shared members that is being made.
 */
function rowsOf(given, except, at = '', isRequired = true, told = '') {
  const schema = resolve(given)
  const { properties, required = [], additionalProperties, items } = schema
  const what = schema.description ?? told
  if (items !== undefined && resolve(items).properties !== undefined)
    return rowsOf(items, except, `${at}[]`, isRequired, what)
  if (properties === undefined) return [row(at, isRequired, typeOf(schema), what)]
  const listed = sharedIn(properties).filter((one) => one !== except)
  const known = new Set(listed.flatMap(({ members }) => Object.keys(members)))
  const links = listed
    .map(({ title }) => `[${title.toLowerCase()}](shared#${anchorOf(title)})`)
    .join(', ')
  const more = additionalProperties?.description
  if (links !== '' && Object.keys(properties).every((name) => known.has(name)) && at !== '')
    return [row(at, isRequired, links, '')]
  return [
    ...(links === '' ? [] : [`- ${at === '' ? '' : `\`${at}\`: `}${links}`]),
    ...Object.entries(properties)
      .filter(([name, value]) => !known.has(name) && resolve(value).enum?.[0] !== 'success')
      .flatMap(([name, value]) => {
        const there = isRequired && required.includes(name)
        return rowsOf(value, except, at === '' ? name : `${at}.${name}`, there)
      }),
    ...(more === undefined ? [] : [row(at === '' ? '…' : `${at}.…`, false, 'any', more)]),
  ]
}
const row = (at, isRequired, type, what) =>
  `- \`${at}${isRequired ? '' : '?'}\`: ${type}${what === '' ? '' : `; ${what}`}`

/** Rows of which only the names differ stand in one. */
function joined(rows) {
  const parts = rows.map((text) => /^- (`[^`]+`): (.*)$/.exec(text) ?? [text, text, ''])
  return parts.flatMap(([text, name, rest], index) => {
    const isAlike = (at) => rest !== '' && parts[at]?.[2] === rest
    if (isAlike(index - 1)) return []
    const end = parts.findIndex((_part, at) => at > index && !isAlike(at))
    const names = parts.slice(index, end === -1 ? undefined : end).map(([, other]) => other)
    return names.length === 1 ? [text] : [`- ${[name, ...names.slice(1)].join(', ')}: ${rest}`]
  })
}

/** A list of rows under its caption. Links lead to the overview. */
function list(caption, rows) {
  const linked = joined(rows).map((one) =>
    withLinks(one.replaceAll('](shared#', '](../http-api.md#')),
  )
  if (rows.length === 0) return []
  const isShared = rows.length === 1 && rows[0].startsWith('- [')
  return isShared
    ? [`${caption}: ${linked[0].slice('- '.length)}.`, '']
    : [`${caption}:`, '', ...linked, '']
}

const parametersIn = (place, parameters = []) =>
  parameters
    .filter((parameter) => parameter.in === place)
    .map(({ name, required = false, description = '', schema }) =>
      row(name, required, typeOf(schema), description),
    )

/** The body of a request, named for how it is sent. */
function bodyList({ content } = { content: {} }) {
  const [[type, { schema }] = ['', { schema: {} }]] = Object.entries(content)
  if (schema.$ref === undefined) return []
  return list(type.includes('form') ? 'Form' : 'Body', rowsOf(schema))
}

/** The members of an answer; of `data` alone, where nothing else says anything. */
function answerList(status, given) {
  const schema = resolve(given)
  const { data, status: constant, ...others } = schema.properties ?? {}
  const wrapped = data !== undefined && constant !== undefined && Object.keys(others).length === 0
  const caption = wrapped ? `Answer ${status}, \`data\`` : `Answer ${status}`
  return list(caption, rowsOf(wrapped ? data : schema))
}

/** Answers that hold the same stand once, with all their statuses. */
function successLists(responses) {
  const answers = Object.entries(responses)
    .filter(([status]) => Number(status) < 400)
    .map(([status, response]) => [status, resolve(response).content?.['application/json']?.schema])
    .filter(([, schema]) => schema !== undefined)
  return [...new Set(answers.map(([, schema]) => JSON.stringify(schema)))].flatMap((text) => {
    const alike = answers.filter(([, schema]) => JSON.stringify(schema) === text)
    return answerList(alike.map(([status]) => status).join(' or '), JSON.parse(text))
  })
}

/** Answers that are no JSON: pages, redirects, 204. */
function otherAnswers(responses) {
  return Object.entries(responses)
    .map(([status, response]) => [status, resolve(response)])
    .filter(([, { content }]) => content?.['application/json'] === undefined)
    .map(([status, { description }]) => `- ${status}: ${withLinks(description)}`)
}

/** The names that a refusal may have. */
function errorsOf(response) {
  const schema = resolve(response).content?.['application/json']?.schema
  if (schema === undefined) return []
  return (schema.oneOf ?? [schema]).map((one) => resolve(one).properties.error.enum[0])
}

/** Open to users who must do something first. */
const openWhileRequired = ['POST /logout', 'GET /logout', 'POST /auth/reauthenticate']

/** Who must prove that he is the user. */
const refusedProofs = [
  '401 totp-required',
  '401 totp-invalid',
  '403 reauthentication-required',
  '403 password-expired',
  '429 too-many-requests',
]

const isAllIn = (refusals, all) => refusals.every((one) => all.includes(one))

const takesProof = ({ content } = { content: {} }) =>
  sharedIn(resolve(content['application/json']?.schema)?.properties ?? {}).some(
    ({ title }) => title === 'A proof',
  )

/** Which refusals follow from the request itself: docs/http-api.md lists them once. */
function usualOf({ name, requestBody, 'x-who': who }, all) {
  const signedIn = who.startsWith('signed in')
  return [
    '400 invalid-request',
    '503 temporarily-unavailable',
    ...(requestBody === undefined ? [] : ['413 payload-too-large', '415 unsupported-media-type']),
    ...(signedIn ? ['401 Unauthorized'] : []),
    ...(who.startsWith('signed in, full scope') ? ['403 forbidden'] : []),
    ...(signedIn && !who.includes('enrolling') ? ['403 second-factor-enrolment-required'] : []),
    ...(signedIn && !openWhileRequired.includes(name) ? ['403 action-required'] : []),
    ...(takesProof(requestBody) && isAllIn(refusedProofs, all) ? refusedProofs : []),
  ]
}

/** The usual refusals, as the endpoints under /oauth/ name them: docs/http-api.md says so once. */
const namesOfOAuth = {
  '400 invalid_request': '400 invalid-request',
  '413 invalid_request': '413 payload-too-large',
  '415 invalid_request': '415 unsupported-media-type',
  '503 temporarily_unavailable': '503 temporarily-unavailable',
}

function errorLink(error) {
  const anchor = error.toLowerCase().replace('invalid_request', 'invalid-request')
  return `[\`${error}\`](../errors.md#${anchor})`
}

function refusals(request) {
  const all = Object.entries(request.responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, response]) => errorsOf(response).map((error) => `${status} ${error}`))
  if (all.length === 0) return []
  const usual = usualOf(request, all)
  const plain = (one) => namesOfOAuth[one] ?? one
  const isUsual = isAllIn(usual, all.map(plain))
  const rest = isUsual ? all.filter((one) => !usual.includes(plain(one))) : all
  const statuses = [...new Set(rest.map((one) => one.slice(0, 3)))]
  const listed = statuses.map((status) => {
    const errors = rest.filter((one) => one.startsWith(status)).map((one) => one.slice(4))
    return `${status} ${errors.map(errorLink).join(', ')}`
  })
  if (isUsual && rest.length === 0) return []
  return [`Refusals: ${isUsual ? '' : 'only '}${listed.join('; ')}.`, '']
}

const isOAuth = (responses) =>
  Object.values(responses).some((response) => {
    const schema = resolve(response).content?.['application/json']?.schema
    const first = resolve(schema?.oneOf?.[0] ?? schema)
    return first?.properties?.error_description !== undefined
  })

/** What a request has that is "the same as" another, and that one has as well, is not repeated. */
function unlikeOther({ summary }, parts) {
  const [, other] = /^The same as `([^`]+)`/.exec(summary) ?? []
  const first = requests.find(({ name }) => name === other)
  if (first === undefined) return parts
  const said = new Set(partsOf(first).flat())
  const isSaid = (line) => line === '' || said.has(line)
  return parts.map((part) => {
    const rows = part.filter((line) => line.startsWith('- '))
    return (rows.length === 0 ? part : rows).every(isSaid) ? [] : part
  })
}

/** What is said of a number, as it is said of an address. */
const asOfAddress = (line) =>
  line
    .replaceAll(/phone/g, 'email')
    .replaceAll(/(?<!: )\bnumber\b/g, 'address')
    .replaceAll('sent there', 'mailed there')

/** The requests of a number say what those of an address do not. */
function unlikeAddress({ name }, parts) {
  const other = asOfAddress(name)
  const first = requests.find((one) => one.name === other)
  if (first === undefined || other === name) return parts
  const said = new Set(partsOf(first).flat())
  const rest = parts.map((part) => {
    const own = part.filter((line) => line !== '' && !said.has(asOfAddress(line)))
    if (own.length === 0) return []
    return part[0].startsWith('- ') ? [...own, ''] : part
  })
  if (rest.join() === parts.join()) return parts
  const but = rest.every((part) => part.length === 0) ? '.' : ', but:'
  return [
    [`As ${linkTo(other, name)}, with \`phone\` in the place of \`email\`${but}`, ''],
    ...rest,
  ]
}

/** All that is said of a request: what it takes, what it answers, and notes. */
const partsOf = (request) => [
  list('Headers', parametersIn('header', request.parameters)),
  list('Query', parametersIn('query', request.parameters)),
  bodyList(request.requestBody),
  successLists(request.responses),
  refusals(request),
  notesOf(request),
]

/** What the list of a proof says for all who take one. */
const ofProofs = new RegExp(
  'Requires a sign-in of the last ten minutes with every (?:required )?factor, or the same proof ' +
    'in the body\\.(?: Otherwise 403 `reauthentication-required`\\.)? ?',
)

function notesOf({ responses, requestBody, description = '' }) {
  const own = takesProof(requestBody) ? description.replace(ofProofs, '') : description
  const described = own.split('\n').filter((note) => note !== '' && note !== '- ')
  const notes = [...otherAnswers(responses), ...described.map((note) => withLinks(note))]
  return notes.length === 0 ? [] : [...notes, '']
}

/** Each row that has been said, and of which request: the first in the order of the files. */
const firstSaid = new Map()
/** So many words of rows, and more, are not said twice. */
const worthALink = 14
const wordsIn = (lines) => lines.join(' ').split(' ').length

/** Rows that stand at an earlier request, or higher up at this one, lead there. */
function unlikeEarlier(name, lines) {
  const isRow = (line) => /^- `[^`]+`(?:, `[^`]+`)*: /.test(line)
  const earlier = lines.map((line) => (isRow(line) ? firstSaid.get(line) : undefined))
  for (const line of lines) if (!firstSaid.has(line)) firstSaid.set(line, name)
  return lines.flatMap((line, index) => {
    const other = earlier[index]
    if (other === undefined) return [line]
    const begin = earlier.slice(0, index).findLastIndex((one) => one !== other) + 1
    const end = earlier.findIndex((one, at) => at > index && one !== other)
    const alike = lines.slice(begin, end)
    if (wordsIn(alike) < worthALink) return [line]
    const names = alike.map((one) => one.slice('- '.length, one.indexOf(': ')))
    return index === begin ? [`- ${names.join(', ')}: as in ${linkTo(other, name)}`] : []
  })
}

const fileOf = ({ tags: [tag] }) =>
  Object.entries(files).find(([, [, tags]]) => tags.includes(tag))?.[0]
function linkTo(name, from) {
  if (name === from) return 'the request'
  const [file, own] = [name, from].map((each) => fileOf(requests.find((one) => one.name === each)))
  return `[\`${name}\`](${file === own ? '' : `${file}.md`}#${anchorOf(name)})`
}

/** The option without which there is none of these requests. */
function optionOf(all) {
  const options = new Set(
    all.map((request) => request['x-there-with']?.replace(/^the option /, '')),
  )
  return options.size === 1 ? [...options][0] : undefined
}

function section(request) {
  const { name, summary, responses } = request
  const thereWith = optionOf([request])
  const isSaidAbove = thereWith === optionOf(requestsOf(request.tags[0]))
  const facts = [
    request['x-who'].replace(/^./, (letter) => letter.toUpperCase()),
    ...(thereWith === undefined || isSaidAbove ? [] : [`only with ${thereWith}`]),
    ...(isOAuth(responses) ? ['**OAuth**'] : []),
  ]
  return [
    `### ${name}`,
    '',
    `${withLinks(summary)} ${facts.join('; ')}.`,
    '',
    ...unlikeAddress(request, unlikeOther(request, partsOf(request))).flatMap((lines) =>
      unlikeEarlier(name, lines),
    ),
  ]
}

const requestsOf = (tag) => requests.filter(({ tags: [first] }) => first === tag)

function chapter(tag) {
  const option = optionOf(requestsOf(tag))
  const facts = option === undefined ? [] : [`All of them only with ${option}.`, '']
  return [`## ${tag}`, '', ...facts, ...requestsOf(tag).flatMap(section)]
}

const made = Object.entries(files).map(([file, [title, tags]]) => [
  `docs/http-api/${file}.md`,
  [
    `# ${title}`,
    '',
    'Made from [openapi.json](../../openapi.json). ' +
      '[What every request and answer has](../http-api.md).',
    '',
    ...tags.flatMap(chapter),
  ].join('\n'),
])
const links = Object.entries(files).flatMap(([file, [, tags]]) =>
  tags.map((tag) => {
    const each = requestsOf(tag).map(
      ({ name }) => `[\`${name}\`](http-api/${file}.md#${anchorOf(name)})`,
    )
    return `- **${tag}**: ${each.join(', ')}`
  }),
)
const lists = shared.flatMap((one) => [
  `### ${one.title}`,
  '',
  ...(one.note === undefined ? [] : [one.note, '']),
  ...joined(rowsOf(one.schema, one)).map((text) =>
    withLinks(text.replaceAll('](shared#', '](#'), ''),
  ),
  '',
])
const before = readFileSync(join(root, overview), 'utf8')
const between = [begin, '', ...links, '', '## What many requests share', '', ...lists, end]
const after = before.replace(new RegExp(`${begin}[\\s\\S]*${end}`), () => between.join('\n'))
const all = [[overview, after], ...made]
if (process.argv.includes('--update')) {
  mkdirSync(join(root, 'docs/http-api'), { recursive: true })
  for (const [file, text] of all) writeFileSync(join(root, file), text)
}
const isThere = (file, text) => {
  try {
    return readFileSync(join(root, file), 'utf8') === text
  } catch {
    return false
  }
}
const stale = all.filter(([file, text]) => !isThere(file, text) || !text.includes('###'))
const tagged = Object.values(files).flatMap(([, tags]) => tags)
const untold = described.tags.filter(({ name }) => !tagged.includes(name))
finish(
  'http-api',
  [
    ...stale.map(([file]) => `${file}: differs from openapi.json; run \`npm run update\``),
    ...untold.map(({ name }) => `check-http-api.mjs: no file of docs/http-api has the tag ${name}`),
  ],
  `${requests.length} requests, as docs/http-api says`,
)
