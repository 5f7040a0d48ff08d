import { spawnSync } from 'node:child_process';
import { chown, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';

/** The account that a store runs as instead of root. */
export interface StoreAccount {
  readonly uid: number;
  readonly gid: number;
}

/** Arguments of setpriv(1) to switch to that account permanently; none for null. */
export function becomeArguments(account: StoreAccount | null): readonly string[] {
  return account === null ? [] : [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups'];
}

/**
 * The account for a store with its data in `dataFolder`; null: the current account. Postgres
 * refuses to run as root, and Redis does not need root's privileges, so root starts them as the
 * owner of the data, else as `postgres`, else as `nobody`.
 */
export async function storeAccount(dataFolder: string): Promise<StoreAccount | null> {
  if (process.getuid?.() !== 0) return null;
  const owner = await stat(dataFolder).catch(() => null);
  if (owner !== null && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const accounts = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  const found = accounts.find(([name]) => name === 'postgres') ?? accounts.find(([name]) => name === 'nobody');
  if (found === undefined)
    throw new Error('The embedded stores do not run as root, and neither the account "postgres" nor "nobody" exists.');
  return { uid: Number(found[2]), gid: Number(found[3]) };
}

/**
 * Creates a folder that only the account can use. Only the store itself may write to it: if root
 * wrote a file where another account can place a link, root would write to the link's target.
 */
export async function makePrivateFolder(folder: string, account: StoreAccount | null): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (account === null) return;
  await chown(folder, account.uid, account.gid);
  if (spawnSync('setpriv', [...becomeArguments(account), 'test', '-w', folder]).status === 0) return;
  throw new Error(
    `${folder} is not accessible to the account that the store runs as (uid ${account.uid}). ` +
      'Choose a STATE_DIR outside of private home folders, for example /var/lib/ad-server.',
  );
}

/** Writes a file that only the account can read, into a folder where only this process can write. */
export async function writePrivateFile(file: string, text: string, account: StoreAccount | null): Promise<void> {
  await rm(file, { force: true });
  await writeFile(file, text, { flag: 'wx', mode: 0o600 });
  if (account !== null) await chown(file, account.uid, account.gid);
}
