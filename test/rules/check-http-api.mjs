// Makes the tables of docs/http-api.md from docs/http-api.json, which is the one list of requests
// and answers; without --update it only compares. That the router does what the list says is tried
// by test/docs/http-api.test.ts.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { finish, root } from './support.mjs'

const document = join(root, 'docs/http-api.md')
const [begin, end] = ['<!-- endpoints -->', '<!-- /endpoints -->']
const { endpoints } = JSON.parse(readFileSync(join(root, 'docs/http-api.json'), 'utf8'))

/** A link to each RFC, and to the section where one is named. */
const withLinks = (text) =>
  text.replaceAll(/RFC (\d{4})(?: §([\d.]+\d|\d))?/g, (name, number, section) => {
    const anchor = section === undefined ? '' : `#section-${section}`
    return `[${name}](https://www.rfc-editor.org/rfc/rfc${number}${anchor})`
  })
const anchorOf = (error) => error.toLowerCase().replace('invalid_request', 'invalid-request')
const cell = (text) => withLinks(text).replaceAll('|', '\\|')

function whoOf({ signedIn, fullScope, whileEnrolling }) {
  if (!signedIn) return 'anybody'
  const scope = fullScope ? ', full scope' : ''
  return `signed in${scope}${whileEnrolling ? '; open while enrolling' : ''}`
}

const memberRow = ({ name, type, required, what }) =>
  `| \`${name}\` | ${type} | ${required ? 'yes' : 'no'} | ${cell(what)} |`

function table(caption, always, members) {
  if (members.length === 0) return []
  return [
    `${caption}:`,
    '',
    `| member | type | ${always} | what |`,
    '| --- | --- | --- | --- |',
    ...members.map(memberRow),
    '',
  ]
}

const refusals = (answers) =>
  answers
    .filter(({ errors }) => errors !== undefined)
    .map(({ status, errors }) => {
      const links = errors.map((error) => `[\`${error}\`](errors.md#${anchorOf(error)})`)
      return `${status} ${links.join(', ')}`
    })

function section({ method, path, alsoMethods = [], summary, auth, needs, ...endpoint }) {
  const { request, answers, notes, errorStyle, needsOption } = endpoint
  const success = answers.find(({ status }) => status === 200)
  const facts = [
    `Who: ${whoOf(auth)}`,
    ...(needs === undefined ? [] : [`there only with the store \`${needs}\``]),
    ...(needsOption === undefined ? [] : [`there only with \`${needsOption}\``]),
    ...(errorStyle === 'oauth' ? ['**OAuth**'] : []),
    ...(alsoMethods.length === 0 ? [] : [`also \`${alsoMethods.join('`, `')}\``]),
  ]
  return [
    `#### ${method} ${path}`,
    '',
    withLinks(summary),
    '',
    `${facts.join('; ')}.`,
    '',
    ...table('Headers', 'required', request.headers),
    ...table('Body', 'required', request.members),
    ...table('Answer 200', 'always', success.members),
    `Refusals: ${refusals(answers).join('; ')}.`,
    '',
    ...notes.map((note) => `- ${withLinks(note)}`),
    ...(notes.length === 0 ? [] : ['']),
  ]
}

const groups = [...new Set(endpoints.map(({ group }) => group))]
const overview = [
  '| request | who | what |',
  '| --- | --- | --- |',
  ...endpoints.map(({ method, path, auth, summary }) => {
    const anchor = `${method} ${path}`.toLowerCase().replaceAll(/[^\w -]/g, '')
    const link = `[\`${method} ${path}\`](#${anchor.replaceAll(' ', '-')})`
    return `| ${link} | ${whoOf(auth)} | ${withLinks(summary)} |`
  }),
]
const made = [
  begin,
  '',
  ...overview,
  '',
  ...groups.flatMap((group) => [
    `### ${group}`,
    '',
    ...endpoints.filter((endpoint) => endpoint.group === group).flatMap(section),
  ]),
  end,
].join('\n')

const before = readFileSync(document, 'utf8')
const after = before.replace(new RegExp(`${begin}[\\s\\S]*${end}`), () => made)
if (process.argv.includes('--update')) writeFileSync(document, after)
const isStale = readFileSync(document, 'utf8') !== after || !after.includes(made)
finish(
  'http-api',
  isStale
    ? ['docs/http-api.md: differs from docs/http-api.json; run `npm run http-api:update`']
    : [],
  `${endpoints.length} endpoints, as docs/http-api.md says`,
)
