import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openLakeStore } from '../../src/events/sinks/lake/open-lake.ts';

/** Copies the files below a folder of a lake, for programs that read files. */
export const copyLake = async (url: string, folder: string, to: string): Promise<void> => {
  const store = await openLakeStore(new URL(url));
  for (const name of await store.list(folder)) {
    const file = path.join(to, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, await store.get(name));
  }
  store.close();
};
