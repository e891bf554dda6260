// Parse Server with its LiveQuery, as its documentation starts it, and the sign-in of the docs
// beside it. Arguments: the example, the database.
import { createServer } from 'node:http'
import express from 'express'
import { ParseServer } from 'parse-server'
import pg from 'pg'

const [example, databaseURI] = process.argv.slice(2)
const { addSignIn } = await import(example)
const app = express()
const server = createServer(app)
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${server.address().port}`

const parse = new ParseServer({
  databaseURI,
  appId: 'chat',
  masterKey: 'a master key for tests only',
  serverURL: `${url}/parse`,
  allowClientClassCreation: true,
  liveQuery: { classNames: ['Message'] },
  silent: true,
})
await parse.start()
app.use('/parse', parse.app)
addSignIn(app, server, new pg.Pool({ connectionString: databaseURI }))
await ParseServer.createLiveQueryServer(server, {
  appId: 'chat',
  masterKey: 'a master key for tests only',
  serverURL: `${url}/parse`,
})
process.stdout.write(`listening on ${url}\n`)
process.on('SIGTERM', () => process.exit(0))
