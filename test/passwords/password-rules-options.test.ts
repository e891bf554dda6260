import { afterEach, describe, expect, it } from 'vitest'
import { checkPasswordRules } from '../../src/passwords/password-rules.js'

const refusedAs = (option: string) => expect.objectContaining({ name: 'AuthConfigError', option })

describe('passwordRules', () => {
  it('have defaults', () => {
    for (const given of [undefined, {}])
      expect(checkPasswordRules(given)).toEqual({
        minLength: 15,
        minLengthWithSecondFactor: 8,
        maxLength: 256,
        breachedFailsClosed: false,
        checkAtLogin: false,
      })
  })

  it.each([
    ['minLength', 7],
    ['minLength', 65],
    ['minLength', 15.5],
    ['minLength', '15'],
    ['minLengthWithSecondFactor', 7],
    ['minLengthWithSecondFactor', 16],
    ['maxLength', 63],
    ['maxLength', 1025],
    ['blocklist', ['password']],
    ['blocklist', 'password'],
    ['blocklist', null],
    ['breached', 'https://api.example'],
    ['breachedFailsClosed', 'false'],
    ['checkAtLogin', 1],
    ['checkAtLogin', true],
    ['context', ['ada']],
    ['minlength', 15],
  ])('are refused by name: %s %j', (name, value) => {
    expect(() => checkPasswordRules({ [name]: value })).toThrow(
      refusedAs(`accounts.passwordRules.${name}`),
    )
  })

  it('are an object', () => {
    for (const given of [null, [], 'strict', 8])
      expect(() => checkPasswordRules(given)).toThrow(refusedAs('accounts.passwordRules'))
  })

  afterEach(() => {
    delete (Object.prototype as { minLength?: unknown }).minLength
  })

  it('take nothing from Object.prototype', () => {
    Object.assign(Object.prototype, { minLength: 8 })
    expect(checkPasswordRules({}).minLength).toBe(15)
  })
})
