import { spawnSync } from 'node:child_process';
import { chown, mkdir, readFile, stat } from 'node:fs/promises';

/** The account that a store runs as: root gives its powers up, anyone else keeps their own. */
export interface StoreAccount {
  readonly uid: number;
  readonly gid: number;
}

/** Arguments of setpriv(1) that become that account for good; none when there is nothing to give up. */
export function becomeArguments(account: StoreAccount | null): readonly string[] {
  return account === null ? [] : [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups'];
}

/**
 * The account for a store whose data lies in `dataFolder`; null: the one we have. Postgres refuses to run as root, and neither store has any
 * use for root's powers, so under root it is the owner of the data, else `postgres`, else `nobody`.
 */
export async function storeAccount(dataFolder: string): Promise<StoreAccount | null> {
  if (process.getuid?.() !== 0) return null;
  const owner = await stat(dataFolder).catch(() => null);
  if (owner !== null && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const accounts = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  const found = accounts.find(([name]) => name === 'postgres') ?? accounts.find(([name]) => name === 'nobody');
  if (found === undefined)
    throw new Error('The embedded stores do not run as root, and there is no account "postgres" or "nobody" for them.');
  return { uid: Number(found[2]), gid: Number(found[3]) };
}

/**
 * Makes a folder that belongs to the account alone. Only what the store itself writes may lie in it: root writing a file
 * where another account can put a link would write wherever that link leads.
 */
export async function makePrivateFolder(folder: string, account: StoreAccount | null): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (account === null) return;
  await chown(folder, account.uid, account.gid);
  if (spawnSync('setpriv', [...becomeArguments(account), 'test', '-w', folder]).status === 0) return;
  throw new Error(
    `${folder} cannot be reached by the account that the store runs as (uid ${account.uid}). ` +
      'Choose a STATE_DIR outside of private home folders, for example /var/lib/ad-server.',
  );
}
