// Express 4 is installed under an alias and is used as Express 5 is.
declare module 'express4' {
  export { default } from 'express'
}
