import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { PostgresBinaries } from '../src/embedded/postgres-binaries.ts';

const DEBIAN_INSTALLATIONS = '/usr/lib/postgresql';
/** The package of the embedded Postgres has the server alone. */
const TOOLS = ['initdb', 'postgres', 'psql', 'createdb', 'dropdb', 'pg_dump', 'pg_restore'];

/**
 * An installation of Postgres with its server and the tools of an operator, of one version: pg_dump refuses a server that is
 * newer than itself.
 * @throws when there is none; the message says what to install
 */
export const postgresWithTools = (): PostgresBinaries => {
  const debian = existsSync(DEBIAN_INSTALLATIONS) ? readdirSync(DEBIAN_INSTALLATIONS).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...debian.map((major) => path.join(DEBIAN_INSTALLATIONS, major, 'bin')),
    ...(process.env['PATH'] ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder)),
  ];
  const bin = folders.find((folder) => TOOLS.every((tool) => existsSync(path.join(folder, tool))));
  if (bin === undefined) throw new Error(`No Postgres with ${TOOLS.join(', ')} is installed: on Debian, apt-get install postgresql.`);
  const version = execFileSync(path.join(bin, 'postgres'), ['--version'], { encoding: 'utf8' });
  return { bin, major: Number(/\d+/.exec(version)?.[0]) };
};
