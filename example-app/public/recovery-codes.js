import { byId, element, say } from './page.js'

const list = byId('recovery-codes')
let shown = []

// Leaving the page would lose them: the browser asks first.
addEventListener('beforeunload', (event) => shown.length > 0 && event.preventDefault())

/** Makes the buttons below the codes work. `onKept` is called when the user has kept them. */
export function prepareRecoveryCodes(onKept) {
  byId('copy-codes').addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(asText())
      say('two-factor-news', 'Copied. Keep them where you keep passwords.')
    } catch {
      say(
        'two-factor-problem',
        'This browser does not let the page copy. Select the codes and copy them yourself.',
      )
    }
  })
  byId('download-codes').addEventListener('click', () => {
    const link = element('a')
    link.href = URL.createObjectURL(new Blob([asText()], { type: 'text/plain' }))
    link.download = 'recovery-codes.txt'
    link.click()
    URL.revokeObjectURL(link.href)
  })
  byId('codes-kept').addEventListener('click', onKept)
}

export function showRecoveryCodes(codes) {
  shown = codes
  list.replaceChildren(...codes.map((code) => element('li', '', code)))
}

export function areRecoveryCodesShown() {
  return shown.length > 0
}

/** The server keeps digests only, and neither does the page keep them. */
export function forgetRecoveryCodes() {
  showRecoveryCodes([])
}

function asText() {
  return `${shown.join('\n')}\n`
}
