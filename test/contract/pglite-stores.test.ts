import { sqlContract } from './sql-contract.js'

sqlContract('PGlite')
