// Runs before anything is drawn: whoever is signed in must not see the sign-in form for a moment.
document.documentElement.classList.toggle(
  'signed-in',
  localStorage.getItem('chat.session') !== null,
)
