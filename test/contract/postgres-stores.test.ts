import { sqlContract } from './sql-contract.js'

sqlContract('PostgreSQL')
