// Samba as a domain controller of Active Directory, in a folder of its own: the real server behind
// what test/directories/support/active-directory.ts answers.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Attribute, Change, Client } from 'ldapts'
import type { LdapDirectoryOptions } from 'messaging-auth-router/directories'

// Its ports are fixed, so it has an address of the loopback that nothing else uses.
const address = '127.0.0.53'
const host = 'dc1.corp.example.com'
const domain = 'DC=corp,DC=example,DC=com'
const people = `OU=Staff,${domain}`
const packages = ['samba', 'samba-ad-provision', 'samba-dsdb-modules', 'samba-vfs-modules']
const adminPassword = 'Administrator 4 the tests'
/** Wrong passwords in a row that lock somebody out: more than the contract tries. */
export const lockoutThreshold = 10
/** Seconds that it may take to answer, on a busy machine. */
const patience = 120

type Values = Readonly<Record<string, string | Buffer | readonly string[]>>

/** A domain, and the way to change who is in it. */
export interface DomainController {
  readonly options: LdapDirectoryOptions
  /** Adds a person with the password `Password of <name>`, and answers the DN. */
  person(name: string, values?: Values): Promise<string>
  group(name: string, members: readonly string[]): Promise<string>
  set(dn: string, values: Values): Promise<void>
  move(dn: string, to: string): Promise<void>
  remove(dn: string): Promise<void>
  /** Ends it, and removes its folder. */
  close(): Promise<void>
}

/** A password as Active Directory takes a new one: MS-ADTS §3.1.1.3.1.5.1. */
export const unicodePwd = (password: string): Buffer => Buffer.from(`"${password}"`, 'utf16le')

export const dnOf = (name: string): string => `CN=Name of ${name},${people}`

/** Starts one; installs Samba where it is not yet. */
export async function startDomainController(): Promise<DomainController> {
  install()
  const folder = mkdtempSync(join(tmpdir(), 'domain-'))
  provision(folder)
  const config = join(folder, 'etc/smb.conf')
  const server = spawn('/usr/sbin/samba', ['-i', '-M', 'single', '-s', config], { stdio: 'ignore' })
  const ended = new Promise((resolve) => server.once('exit', resolve))
  const stop = async () => {
    server.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const ca = await appears(join(folder, 'private/tls/ca.pem'))
    const admin = await signedIn({ ca, servername: host })
    const controller = change(admin, { ca, servername: host })
    await admin.add(people, { objectClass: 'organizationalUnit' })
    await controller.person('chat')
    return {
      ...controller,
      async close() {
        await admin.unbind()
        await stop()
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

function install(): void {
  const isThere = ['/usr/sbin/samba', '/usr/share/samba/setup/provision.ldif'].every(existsSync)
  if (isThere) return
  const command = ['install', '-y', '--no-install-recommends', ...packages]
  if (process.getuid?.() !== 0) throw new Error(`As root: apt-get ${command.join(' ')}`)
  // The packages would start servers of their own.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
  for (const args of [['update'], command]) must('apt-get', args, env)
}

function provision(folder: string): void {
  const settings = [
    'interfaces=127.0.0.53/8',
    'bind interfaces only=yes',
    'server services=ldap',
    `log file=${join(folder, 'samba.log')}`,
  ]
  const tool = (...args: readonly string[]) =>
    must('samba-tool', args, { ...process.env, PATH: '/usr/sbin:/usr/bin:/sbin:/bin' })
  tool(
    ...['domain', 'provision', '--realm=CORP.EXAMPLE.COM', '--domain=CORP', '--host-name=dc1'],
    ...['--server-role=dc', '--dns-backend=NONE', `--adminpass=${adminPassword}`],
    ...[`--targetdir=${folder}`, ...settings.map((one) => `--option=${one}`)],
  )
  const config = `--configfile=${join(folder, 'etc/smb.conf')}`
  const rules = ['--complexity=off', '--min-pwd-length=1', '--history-length=0', '--min-pwd-age=0']
  tool(
    'domain',
    'passwordsettings',
    'set',
    ...rules,
    `--account-lockout-threshold=${lockoutThreshold}`,
    config,
  )
}

function must(command: string, args: readonly string[], env: NodeJS.ProcessEnv): void {
  const { status, stdout, stderr, error } = spawnSync(command, args, { env, encoding: 'utf8' })
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`${command} ${args[0]} failed\n${stdout}${stderr}`)
}

// It makes its certificate when it starts, in several steps.
async function appears(file: string): Promise<string> {
  for (let seconds = 0; seconds < patience; seconds += 1) {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
    if (text.includes('END CERTIFICATE')) return text
    await wait(1000)
  }
  throw new Error(`${file} was not written within ${patience} s`)
}

interface Tls {
  readonly ca: string
  readonly servername: string
}

async function signedIn(tls: Tls): Promise<Client> {
  for (let seconds = 0; ; seconds += 1) {
    const admin = new Client({ url: `ldaps://${address}`, tlsOptions: tls, timeout: 20_000 })
    try {
      await admin.bind(`CN=Administrator,CN=Users,${domain}`, adminPassword)
      return admin
    } catch (error) {
      await admin.unbind()
      if (seconds === patience) throw error
      await wait(1000)
    }
  }
}

function change(admin: Client, tls: Tls): Omit<DomainController, 'close'> {
  const list = (values: Values) =>
    Object.entries(values).map(([type, value]) => new Attribute({ type, values: valuesOf(value) }))
  return {
    options: {
      id: 'corp',
      name: 'Example Ltd',
      kind: 'active-directory',
      urls: [`ldaps://${address}`],
      bind: { dn: dnOf('chat'), password: 'Password of chat' },
      base: people,
      tls,
    },
    async person(name, values = {}) {
      const attributes = {
        objectClass: 'user',
        sAMAccountName: name,
        userPrincipalName: `${name}@corp.example.com`,
        displayName: `Name of ${name}`,
        mail: `${name}@mail.example`,
        unicodePwd: unicodePwd(`Password of ${name}`),
        userAccountControl: '512',
        ...values,
      }
      await admin.add(dnOf(name), list(attributes))
      return dnOf(name)
    },
    async group(name, members) {
      const dn = `CN=${name},${people}`
      await admin.add(dn, list({ objectClass: 'group', sAMAccountName: name, member: members }))
      return dn
    },
    async set(dn, values) {
      for (const modification of list(values))
        await admin.modify(dn, new Change({ operation: 'replace', modification }))
    },
    move: (dn, to) => admin.modifyDN(dn, to),
    remove: (dn) => admin.del(dn),
  }
}

function valuesOf(value: Values[string]): string[] | Buffer[] {
  if (Buffer.isBuffer(value)) return [value]
  return typeof value === 'string' ? [value] : [...(value as readonly string[])]
}
