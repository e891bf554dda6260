/** A start tag with its attributes, each with the text that its value stands for. */
export interface Tag {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  /** What stands before its end tag; empty without one. */
  readonly content: string
}

/** A form: its own tag, and those within. */
export interface FormTags {
  readonly form: Tag
  readonly inside: readonly Tag[]
}

const startTag =
  /<([a-z][a-z0-9-]*)((?:\s+[a-z][a-z0-9:-]*(?:\s*=\s*(?:"[^"]*"|[^\s"'<>=]+))?)*)\s*\/?>/gi

/**
 * All start tags in order. Markup that `html` has made is simpler than HTML may be: it has no
 * single quotes, and no sign of a tag within a text or a comment.
 */
export function tagsOf(markup: string): readonly Tag[] {
  const lowered = markup.toLowerCase()
  return [...markup.matchAll(startTag)].map(({ 0: whole, 1: given = '', 2: rest = '', index }) => {
    const name = given.toLowerCase()
    const start = index + whole.length
    const end = lowered.indexOf(`</${name}>`, start)
    return {
      name,
      attributes: attributesOf(rest),
      content: end < 0 ? '' : markup.slice(start, end),
    }
  })
}

/** The forms among the tags of a page. */
export function formsOf(tags: readonly Tag[]): readonly FormTags[] {
  const forms = tags.filter(({ name }) => name === 'form')
  return forms.map((form) => ({ form, inside: tagsOf(form.content) }))
}

/** What people read, without blanks: where they are is a matter of taste. */
export function textOf(markup: string): string {
  return packed(unescaped(markup.replaceAll(startTag, '').replaceAll(/<[/!][^<>]*>/g, '')))
}

/** A text without its blanks. */
export function packed(text: string): string {
  return text.replaceAll(/\s/g, '')
}

function attributesOf(list: string): Record<string, string> {
  const pairs = list.matchAll(/([a-z][a-z0-9:-]*)(?:\s*=\s*(?:"([^"]*)"|([^\s"'<>=]+)))?/gi)
  return Object.fromEntries(
    [...pairs].map(([, name = '', quoted, bare = '']) => [
      name.toLowerCase(),
      unescaped(quoted ?? bare),
    ]),
  )
}

const named: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  amp: '&',
  colon: ':',
  Tab: '\t',
  NewLine: '\n',
}

// Once over all of it: what an entity stands for may be the beginning of another.
function unescaped(text: string): string {
  return text.replaceAll(
    /&(?:#(\d{1,6})|#x([\da-f]{1,5})|(\w+));/gi,
    (whole, decimal, hex, name) => {
      if (name !== undefined) return named[name] ?? whole
      const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
      return String.fromCodePoint(code)
    },
  )
}
