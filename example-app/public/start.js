// Runs before anything is drawn: whoever is signed in must not see the sign-in form for a moment.
// The client reads its store later, so chat.js notes here what it has seen last.
const classes = document.documentElement.classList
// Without it the page says that it needs JavaScript, and shows nothing that waits for it.
classes.add('scripted')
const signedInBy = localStorage.getItem('chat.signed-in-by')
// The pages of the server sign this page in as an app, whose token manages no account. The page's
// own form does, as a client of its own: `/?form`.
const isByForm = new URLSearchParams(location.search).has('form')
classes.toggle('signed-in', signedInBy !== null && !(signedInBy === 'app' && isByForm))
classes.toggle('by-form', isByForm)
