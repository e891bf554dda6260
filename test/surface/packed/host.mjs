// A host that is an ES module.
import express from 'express'
import * as api from 'messaging-auth-router'
import { memoryStores } from 'messaging-auth-router/stores/memory'
import { rehearse } from './rehearse.mjs'

await rehearse({ ...api, memoryStores, express })
