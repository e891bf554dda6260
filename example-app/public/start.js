// Runs before anything is drawn: whoever is signed in must not see the sign-in form for a moment.
const classes = document.documentElement.classList
const session = JSON.parse(localStorage.getItem('chat.session'))
// The pages of the server sign this page in as an app, whose token manages no account. The page's
// own form does, as a client of its own: `/?form`.
const isApp = session?.clientId !== undefined
const isByForm = new URLSearchParams(location.search).has('form')
classes.toggle('signed-in', session !== null && !(isApp && isByForm))
classes.toggle('by-form', isByForm)
