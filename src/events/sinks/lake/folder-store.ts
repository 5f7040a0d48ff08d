import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { LakeFileGone, type LakeStore } from './lake-store.ts';

/** The end of a name under which a file is written before it has its own. */
const UNFINISHED = '.unfinished';

const codeOf = (fault: unknown): unknown => (fault as { readonly code?: unknown }).code;

/** A lake in a folder of a file system, which is created with the first file. A file is flushed to the disk before it has its name, and so is its folder afterwards. */
export const createFolderStore = (root: string): LakeStore => {
  const pathOf = (name: string): string => path.join(root, ...name.split('/'));

  const flushed = async (folder: string): Promise<void> => {
    const handle = await open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  };

  /** What is created is durable only when the folder that names it is. */
  const createFolder = async (folder: string): Promise<void> => {
    const first = await mkdir(folder, { recursive: true });
    if (first === undefined) return;
    for (let made = folder; made.length >= first.length; made = path.dirname(made)) await flushed(path.dirname(made));
  };

  return {
    put: async (name, bytes, signal) => {
      const to = pathOf(name);
      const folder = path.dirname(to);
      await createFolder(folder);
      const unfinished = `${to}.${randomUUID()}${UNFINISHED}`;
      try {
        const handle = await open(unfinished, 'wx');
        try {
          await handle.writeFile(bytes, { signal });
          await handle.sync();
        } finally {
          await handle.close();
        }
        await rename(unfinished, to);
      } catch (fault) {
        await rm(unfinished, { force: true });
        throw fault;
      }
      await flushed(folder);
    },
    get: async (name, signal) => {
      try {
        return await readFile(pathOf(name), { signal });
      } catch (fault) {
        throw codeOf(fault) === 'ENOENT' ? new LakeFileGone(name) : fault;
      }
    },
    list: async (folder) => {
      try {
        const found = await readdir(pathOf(folder), { recursive: true, withFileTypes: true });
        return found
          .filter((entry) => entry.isFile() && !entry.name.endsWith(UNFINISHED))
          .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
          .sort();
      } catch (fault) {
        if (codeOf(fault) === 'ENOENT') return [];
        throw fault;
      }
    },
    remove: async (names) => {
      for (const name of names) await rm(pathOf(name), { force: true });
    },
    close: () => undefined,
  };
};
