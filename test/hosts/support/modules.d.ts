declare module 'express4-16' {
  import express from 'express'
  export = express
}
