import { describe, expect, it } from 'vitest'
import { AuthConfigError, type RenderPage, type View } from '../../src/index.js'
import { type html, markupOf } from '../../src/pages/html.js'
import { renderPage } from '../../src/pages/render.js'
import { askedPages } from '../../src/testing/page-contract/rendered.js'
import { pageContract } from '../../src/testing/testing.js'

/** Markup as a host's own template has it. */
const asTemplate = (make: typeof html, markup: string) =>
  make([markup] as unknown as TemplateStringsArray)

/** The router's own pages, changed before they go out. */
const changed =
  (change: (markup: string, view: View) => string): RenderPage =>
  (view, tools) =>
    asTemplate(tools.html, change(markupOf(renderPage(view, tools)), view))

const replaced = (from: string | RegExp, to: string) =>
  changed((markup) => markup.replace(from, to))

const nameOf = (view: View) => ('client' in view ? (view.client?.name ?? '') : '')

/** Functions that are wrong in one respect: the test that must fail, and what it says. */
const bad: Record<string, readonly [render: RenderPage, test: string, says: RegExp]> = {
  'answers text': [
    () => '<!doctype html>' as never,
    'every page is made by html, or left to the router',
    /sign-in: render answered a value of type string/,
  ],
  'takes its time': [
    (async () => null) as never,
    'every page is made by html, or left to the router',
    /a promise, but it cannot wait/,
  ],
  'forgets that there may be no client': [
    (view) => {
      if (view.page === 'sign-in') String((view.client as { name: string }).name)
      return null
    },
    'every page is made by html, or left to the router',
    /sign-in-alone.*render threw TypeError/,
  ],
  'styles a page by itself': [
    replaced('<main>', '<main style="color:red">'),
    'every page is made by html, or left to the router',
    /render threw TypeError: a template holds a script, a style/,
  ],
  'begins anywhere': [
    replaced('<!doctype html>', ''),
    'a page is a document in its language, with a title',
    /<!doctype html>/,
  ],
  'speaks English alone': [
    replaced(/lang="\w+"/, 'lang="en"'),
    'a page is a document in its language, with a title',
    /in Arabic.*texts\.tag/,
  ],
  'writes from the left': [
    replaced(/dir="\w+"/, 'dir="ltr"'),
    'a page is a document in its language, with a title',
    /texts\.direction/,
  ],
  'has no title': [
    replaced(/<title>.*<\/title>/, '<title></title>'),
    'a page is a document in its language, with a title',
    /no <title>/,
  ],
  'is tiny on a phone': [
    replaced('name="viewport"', 'name="description"'),
    'a page is a document in its language, with a title',
    /viewport/,
  ],
  'has a heading too many': [
    replaced('<main>', '<h1>Example</h1><main>'),
    'a page has one heading',
    /has 2 <h1>/,
  ],
  'has an empty heading': [
    replaced(/<h1>.*<\/h1>/, '<h1><b></b></h1>'),
    'a page has one heading',
    /says nothing/,
  ],
  'has an id twice': [
    replaced('<main>', '<main id="a"><p id="a"></p>'),
    'a page has no id twice',
    /the id "a" twice/,
  ],
  'brings a script': [
    replaced('</head>', '<script src="/own.js"></script></head>'),
    'a page runs and styles nothing inline',
    /<script>/,
  ],
  'has a script for a link': [
    replaced('<main>', '<main><a href="java&#9;script:history.back()">Back</a>'),
    'a page runs and styles nothing inline',
    /has a script in the href of <a>/,
  ],
  'writes attributes as in JSX': [
    replaced(' action="', ' formAction="'),
    'every page is made by html, or left to the router',
    /render threw TypeError: write formaction, not formAction/,
  ],
  'plays what an app calls itself': [
    (view, tools) =>
      nameOf(view).startsWith('/')
        ? tools.html`${renderPage(view, tools)}<video poster="${nameOf(view)}"></video>`
        : null,
    'no name becomes a link',
    /poster of <video>/,
  ],
  'loads a font from elsewhere': [
    replaced('</head>', '<link rel="stylesheet" href="https://fonts.example/a.css"></head>'),
    'a page loads nothing from elsewhere',
    /fonts\.example/,
  ],
  'links to what an app calls itself': [
    (view, tools) =>
      nameOf(view).startsWith('/')
        ? tools.html`${renderPage(view, tools)}<a href="${nameOf(view)}">app</a>`
        : null,
    'no name becomes a link',
    /href of <a>/,
  ],
  'links to the host of an app': [
    (view, tools) => {
      const host = view.page === 'consent' ? view.client.host : null
      if (host === null) return null
      return tools.html`${renderPage(view, tools)}<a href="${`https://${host}/`}">app</a>`
    },
    'no name becomes a link',
    /consent, with strange names/,
  ],
  'shows its forms by the query': [
    replaced(/method="post"/, 'method="get"'),
    'a form goes to where it is told, by post',
    /without method="post"/,
  ],
  'sends a form to a page of its own': [
    replaced(/action="[^"]*"/, 'action="/my/sign-in"'),
    'a form goes to where it is told, by post',
    /view\.form\.action/,
  ],
  'sends a button elsewhere': [
    replaced('<button', '<button formaction="/my/sign-in"'),
    'a form goes to where it is told, by post',
    /formaction/,
  ],
  'asks on a page that nobody reads': [
    (view, { html }) =>
      view.page === 'signed-out'
        ? html`<form method="post" action="/"><button>Go</button></form>`
        : null,
    'a form goes to where it is told, by post',
    /which nobody would read/,
  ],
  'leaves out its forms': [
    changed((markup) => markup.replaceAll(/<form[\s\S]*?<\/form>/g, '')),
    'a form goes to where it is told, by post',
    /has no form/,
  ],
  'knows but one hidden field': [
    changed((markup) => markup.replaceAll(/<input type="hidden" name="one-more"[^>]*>/g, '')),
    'a form keeps its hidden fields',
    /view\.form\.hidden/,
  ],
  'forgets the second form': [
    replaced(/(class="aside">)\s*(<input type="hidden"[^>]*>)+/, '$1'),
    'a form keeps its hidden fields',
    /sign-in/,
  ],
  'has a form without a button': [
    changed((markup) => markup.replaceAll('type="submit"', 'type="button"')),
    'a form can be sent, by Enter as well',
    /without a button/,
  ],
  'cancels when Enter is pressed': [
    replaced('<label', '<button name="choice" value="cancel" formnovalidate>X</button><label'),
    'a form can be sent, by Enter as well',
    /come first/,
  ],
  'asks for an e-mail address': [
    replaced('name="username"', 'name="email"'),
    'a form has the fields that its answer is read from',
    /username and password/,
  ],
  'shows the password': [
    replaced('type="password"', 'type="text"'),
    'a form has the fields that its answer is read from',
    /password as a field of type text/,
  ],
  'asks for the password on a page of its own': [
    replaced('<div class="field">\n<label for="current-password">', '</form><form><div><label>'),
    'a form has the fields that its answer is read from',
    /no form with username and password/,
  ],
  'makes up a token': [
    replaced('autocomplete="current-password"', 'autocomplete="password"'),
    'managers of passwords know the fields',
    /autocomplete="current-password"/,
  ],
  'cuts codes': [
    replaced('name="code"', 'name="code" maxlength="6"'),
    'managers of passwords know the fields',
    /maxlength/,
  ],
  'lets nobody cancel': [
    replaced(/<form[^>]*class="aside"[\s\S]*?<\/form>/, ''),
    'a form has a button for each choice',
    /name="choice" value="cancel"/,
  ],
  'has a button that a required field holds back': [
    changed((markup) => markup.replaceAll(' formnovalidate', '')),
    'a form has a button for each choice',
    /formnovalidate/,
  ],
  'has placeholders instead of labels': [
    replaced(/<label for="username">.*<\/label>/, ''),
    'each field has a label',
    /the field username/,
  ],
  'forgets what was typed': [
    replaced(/value="alice@mial.example"/, 'value=""'),
    'a form has what was typed, and no password',
    /view\.username/,
  ],
  'unticks the box': [
    replaced(' checked', ''),
    'a form has what was typed, and no password',
    /view\.stay/,
  ],
  'fills in a password': [
    replaced('type="password"', 'type="password" value="secret"'),
    'a form has what was typed, and no password',
    /password with a value/,
  ],
  'keeps to itself what is wrong': [
    replaced(/<p id="fault"[^>]*>.*<\/p>/, ''),
    'a form that comes back says why',
    /sign-in-[\w-]+: .*view\.form\.fault/,
  ],
  'has words of its own for every refusal': [
    replaced('Guests may not come in on Sundays.', 'No.'),
    'a form that comes back says why',
    /beforeLogin/,
  ],
  'leaves out passkeys': [
    replaced(/<button type="button"[^>]*data-passkey[\s\S]*?<\/script>/, ''),
    'a form keeps what the view has for passkeys',
    /sign-in-passkey: has no form with all of view\.passkey/,
  ],
  'always finds fault': [
    replaced('<main>', '<main><p role="alert">Careful!</p>'),
    'a form that comes back says why',
    /though nothing is wrong/,
  ],
  'hides who an app belongs to': [
    changed((markup) => markup.replaceAll('build.example.net', 'a site')),
    'a page shows what its reader must know',
    /view\.client\.host/,
  ],
  'shows nine codes': [
    replaced(/<li><code>.*?<\/code><\/li>/, ''),
    'a page shows what its reader must know',
    /view\.codes/,
  ],
  'knows no recovery codes': [
    replaced(/<a href="[^"]*recovery-code[^"]*">/, '<a>'),
    'a page has the links that it is given',
    /view\.otherMethod/,
  ],
  'hands over without a link': [
    replaced(/<a class="button" href="[^"]*">/, '<a class="button">'),
    'a page has the links that it is given',
    /view\.redirect/,
  ],
  'waits on the last page': [
    replaced('content="0; url=', 'content="5; url='),
    'the last page leads to the app by itself, and no other leads anywhere',
    /view\.redirect/,
  ],
  'reloads itself': [
    replaced('</head>', '<meta http-equiv="Refresh" content="60"></head>'),
    'the last page leads to the app by itself, and no other leads anywhere',
    /what was typed is lost/,
  ],
}

async function failuresOf(render: RenderPage): Promise<Map<string, string>> {
  const failures = new Map<string, string>()
  for (const { name, run } of pageContract(render))
    await run().catch((error: unknown) => failures.set(name, String(error)))
  return failures
}

describe('the pages of the router', () => {
  for (const { name, run } of pageContract(renderPage)) it(name, run)
})

describe('the contract of pages', () => {
  it.each(Object.entries(bad))(
    'finds out a function that %s',
    async (_name, [render, test, says]) => {
      const failures = await failuresOf(render)
      expect([...failures.keys()]).toContain(test)
      expect(failures.get(test)).toMatch(says)
    },
  )

  it('has a bad function for each of its tests', () => {
    const tried = new Set(Object.values(bad).map(([, test]) => test))
    const names = pageContract(renderPage).map(({ name }) => name)
    expect(names.filter((name) => !tried.has(name))).toEqual([])
  })

  it('lets pass what is left to the router, one page or all of them', async () => {
    expect(await failuresOf(() => null)).toEqual(new Map())
    const some: RenderPage = (view, tools) =>
      view.page === 'sign-in' ? renderPage(view, tools) : null
    expect(await failuresOf(some)).toEqual(new Map())
  })

  it('takes fields in their labels, single words for attributes, and comments', async () => {
    const render: RenderPage = (view, { html, texts, stylesheet }) =>
      view.page === 'sign-out'
        ? html`<!doctype html>
<!-- No tags are
in comments. --><html lang="${texts.tag}" dir="${texts.direction}">
<meta name=viewport content="width=device-width"><title>Out</title>
<link rel=stylesheet href="${stylesheet}">
<h1>Out</h1><p>${view.account.username}</p>${view.form.fault && html`<p role=alert>Again</p>`}
<form method="post" action="${view.form.action}">${view.form.hidden}
<label>Why? <input name=why></label><button>Out</button>
${view.everywhere ? html`<button name=choice value=everywhere>All</button>` : null}</form></html>`
        : null
    expect(await failuresOf(render)).toEqual(new Map())
  })

  it('asks for every kind of page, and for every fault of a form', () => {
    const views = askedPages().map(({ view }) => view)
    const kinds: Record<View['page'], true> = {
      'sign-in': true,
      code: true,
      'new-name': true,
      connect: true,
      'account-identities': true,
      'account-delete': true,
      confirm: true,
      'second-factor': true,
      enrol: true,
      'enrol-passkey': true,
      'add-passkey': true,
      'recovery-codes': true,
      continue: true,
      consent: true,
      account: true,
      'account-factor': true,
      'account-passkeys': true,
      'account-password': true,
      forgot: true,
      reset: true,
      register: true,
      'confirm-register': true,
      undo: true,
      note: true,
      'account-email': true,
      'confirm-email': true,
      'code-elsewhere': true,
      'device-code': true,
      device: true,
      link: true,
      'link-sign-in': true,
      'link-device': true,
      'hand-over': true,
      'sign-out': true,
      'signed-out': true,
      error: true,
    }
    expect(new Set(views.map(({ page }) => page))).toEqual(new Set(Object.keys(kinds)))
    const faults = views.flatMap((view) => ('form' in view ? (view.form.fault?.kind ?? []) : []))
    expect([...new Set(faults)].toSorted()).toEqual([
      'busy',
      'no-cookie',
      'other-account',
      'refused',
      'signed-out',
      'stale',
      'throttled',
      'too-soon',
      'wrong',
      'wrong-passkey',
    ])
  })

  it('refuses what is no function', () => {
    expect(() => pageContract({} as never)).toThrow(AuthConfigError)
  })
})
