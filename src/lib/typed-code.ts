/** Characters; longer than any code with what stands between its digits. */
const maxTypedChars = 100

/**
 * The digits of a code without the blanks and hyphens with which apps show it and people copy it.
 * A text that is too long to be a code is returned as it is. Every code of digits is compared in
 * this form, at whichever door.
 */
export function typedDigits(typed: string): string {
  return typed.length > maxTypedChars ? typed : typed.replaceAll(/[\s\p{Pd}]/gu, '')
}
