// Runs before anything is drawn: whoever is signed in must not see the sign-in for a moment. The
// client reads its store later, so chat.js notes here what it has seen last.
const classes = document.documentElement.classList
// Without it the page says that it needs JavaScript, and shows nothing that waits for it.
classes.add('scripted')
classes.toggle('signed-in', localStorage.getItem('chat.signed-in') !== null)
