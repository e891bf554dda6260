/** The wiki's only page: for whoever is signed in, and for strangers. */
export function home(name: string | undefined): string {
  if (name !== undefined)
    return page(`<h1>Hello ${escaped(name)}</h1>
<form method="post" action="/sign-out"><button>Sign out</button></form>`)
  return page(`<h1>Wiki</h1>
<p><a href="/sign-in">Sign in with Chat</a></p>`)
}

/** Where the chat did not answer, or said no. */
export const problem: string = page(`<h1>This did not work</h1>
<p><a href="/">Try again</a></p>`)

function page(content: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Wiki</title>
${content}
`
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
