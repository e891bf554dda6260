import { sqlContract } from './sql-contract.js'

sqlContract('SQLite (libsql)')
