import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../../src/embedded/free-port.ts';
import { startServer } from '../../testkit/start-process.ts';
import type { Booked, SitePlan } from './plan-site.ts';

const FILL = fileURLToPath(new URL('./fill.php', import.meta.url));
const DATABASE = 'revive';
const USER = 'revive';
const PASSWORD = 'of-this-proof';
const MAX_OUTPUT = 64 * 1024 * 1024;

/** An installation of Revive Adserver that serves, in a database of its own. */
export interface Revive {
  /** What the constants of its code say. */
  readonly version: string;
  readonly databaseVersion: string;
  readonly port: number;
  /** As `ads import revive --from` takes it. */
  readonly databaseUrl: string;
  /** Pictures that it keeps as files. */
  readonly images: string;
  /** Books by Revive's own classes, and lets it set the priorities of campaigns. */
  fill(plan: SitePlan): Promise<Booked>;
  /** What it has written of faults in PHP. */
  faults(): readonly string[];
  stop(): Promise<void>;
}

const run = async (command: string, args: readonly string[], cwd?: string): Promise<string> => {
  const { stdout, stderr } = await promisify(execFile)(command, args, { maxBuffer: MAX_OUTPUT, ...(cwd !== undefined && { cwd }) });
  return stdout + stderr;
};

const php = process.env['PHP'] ?? 'php';
const phpArguments = process.env['PHP_ARGUMENTS']?.split(' ') ?? [];

/** MariaDB with an empty data folder. It refuses to run as root. */
const startMariaDb = async (folder: string) => {
  const port = await freePort();
  const own = process.getuid?.() === 0 ? ['--user=mysql'] : [];
  const data = path.join(folder, 'data');
  const common = ['--no-defaults', `--datadir=${data}`, ...own];
  await mkdir(data);
  await run('mariadb-install-db', [...common, '--auth-root-authentication-method=normal', '--skip-test-db']);
  const server = await startServer({
    name: 'MariaDB',
    command: [
      ...['mariadbd', ...common, '--bind-address=127.0.0.1', `--port=${port}`],
      ...[`--socket=${path.join(data, 'socket')}`, '--innodb-flush-log-at-trx-commit=0', '--skip-log-bin'],
    ],
    port,
  });
  const client = ['--no-defaults', '--host=127.0.0.1', `--port=${port}`, '--user=root', '--batch', '--skip-column-names'];
  const query = (sql: string): Promise<string> => run('mariadb', [...client, '--execute', sql]);
  await query(
    `create database ${DATABASE} character set utf8mb4; create user ${USER}@'%' identified by '${PASSWORD}'; grant all on ${DATABASE}.* to ${USER}@'%'`,
  );
  return { port, version: (await query('select version()')).trim(), stop: () => server.stop() };
};

/** As Revive's installer reads them. */
const installerSettings = (folder: string, host: string, databasePort: number): string =>
  [
    ';<?php exit; ?>',
    '[database]',
    `type=mysqli\nhost=127.0.0.1\nname=${DATABASE}\nport=${databasePort}\nusername=${USER}\npassword=${PASSWORD}`,
    '[table]\nprefix=rv_\ntype=INNODB',
    '[admin]\nusername=admin\npassword=of-this-proof-alone\nemail=admin@example.com\nlanguage=en\ntimezone=Europe/Berlin',
    `[paths]\nrequireSSL=0\nadmin=${host}/www/admin\ndelivery=${host}/www/delivery\nimages=${host}/www/images`,
    `imageStore=${path.join(folder, 'www', 'images')}`,
  ].join('\n');

/** Settings that its screens change: pictures in the database, places of visitors, and no maintenance while pages are served. */
const chosen = (settings: string, places: string): string =>
  settings
    .replace(/^sql=.*$/m, 'sql=1')
    .replace(/^autoMaintenance=.*$/m, 'autoMaintenance=0')
    .replace(/^\[geotargeting\]\ntype=.*$/m, '[geotargeting]\ntype="geoTargeting:rvMaxMindGeoIP2:rvMaxMindGeoIP2"')
    .replace(/^mmdb_paths=.*$/m, `mmdb_paths="${places}"`);

export interface ReviveOptions {
  /** A checkout or an unpacked release, with its libraries. It is copied. */
  readonly source: string;
  /** An empty folder that other accounts may read. */
  readonly folder: string;
  /** The host of its tags. */
  readonly host: string;
  /** A MaxMind database of countries and cities. */
  readonly places: string;
}

/** Installs Revive Adserver by its own installer, and serves it by PHP. @throws where PHP or MariaDB is not there */
export const startRevive = async ({ source, folder, host, places }: ReviveOptions): Promise<Revive> => {
  await chmod(folder, 0o755);
  const home = path.join(folder, 'revive');
  await cp(source, home, { recursive: true, filter: (file) => !/\/(?:\.git|tests)$/.test(file) });
  for (const made of ['plugins', 'www/admin/plugins', 'www/images']) await mkdir(path.join(home, made), { recursive: true });
  for (const left of ['INSTALLED', `${host}.conf.php`, 'default.conf.php']) await rm(path.join(home, 'var', left), { force: true });
  const database = await startMariaDb(folder);
  try {
    const settings = path.join(folder, 'installer.conf.php');
    await writeFile(settings, installerSettings(home, host, database.port));
    await writeFile(path.join(home, 'var', 'UPGRADE'), '');
    const installed = await run(php, [...phpArguments, 'scripts/installer', 'install', '-f', settings], home);
    const configuration = path.join(home, 'var', `${host}.conf.php`);
    const written = await readFile(configuration, 'utf8').catch(() => '');
    if (!installed.includes('You can now log in')) throw new Error(`Revive was not installed: ${installed.slice(-500)}`);
    await writeFile(configuration, chosen(written, places));
    const port = await freePort();
    const served = ['-d', 'display_errors=0', '-d', 'log_errors=1', '-S', `127.0.0.1:${port}`, '-t', home];
    const server = await startServer({ name: 'PHP', port, command: [php, ...phpArguments, ...served] });
    return {
      version: /'VERSION', '([^']+)'/.exec(await readFile(path.join(home, 'constants.php'), 'utf8'))?.[1] ?? 'unknown',
      databaseVersion: database.version,
      port: server.port,
      databaseUrl: `mysql://${USER}:${PASSWORD}@127.0.0.1:${database.port}/${DATABASE}`,
      images: path.join(home, 'www', 'images'),
      fill: async (plan) => {
        const filling = spawn(php, [...phpArguments, FILL, home, host]);
        const ended = Promise.all([text(filling.stdout), text(filling.stderr), once(filling, 'close')]);
        filling.stdin.end(JSON.stringify(plan));
        const [answer, faults, closed] = await ended;
        if (closed[0] !== 0 || answer === '') throw new Error(`Revive was not filled: ${faults.slice(0, 1_000)}`);
        return JSON.parse(answer) as Booked;
      },
      faults: () => server.output().match(/PHP (?:Fatal|Parse|Warning).*/g) ?? [],
      stop: async () => {
        await server.stop();
        await database.stop();
      },
    };
  } catch (fault) {
    await database.stop();
    throw fault;
  }
};
