// A host that is CommonJS, and loads the api with require(), which Node allows for ES modules since
// 20.19.
const express = require('express')
const api = require('messaging-auth-router')
const { memoryStores } = require('messaging-auth-router/stores/memory')

import('./rehearse.mjs')
  .then(({ rehearse }) => rehearse({ ...api, memoryStores, express }))
  .catch((error) => {
    process.stderr.write(`${error.stack}\n`)
    process.exitCode = 1
  })
