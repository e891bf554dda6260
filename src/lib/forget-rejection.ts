/**
 * Where a promise is no answer: its rejection, which nothing would catch, must not end the process.
 */
export function forgetRejection(answer: unknown): void {
  if (answer instanceof Promise) answer.catch(() => {})
}
