import { databaseKinds } from '../support/databases.js'
import { sqlContract } from './sql-contract.js'

databaseKinds.filter(({ isServer }) => !isServer).forEach(sqlContract)
