/**
 * For a promise that is not awaited: its rejection must not end the process.
 */
export function forgetRejection(answer: unknown): void {
  if (answer instanceof Promise) answer.catch(() => {})
}
