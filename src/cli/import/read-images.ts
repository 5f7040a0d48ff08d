import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { BannerFiles } from '../../imports/revive/read-banner-file.ts';

const TIMEOUT_MS = 20_000;

/** Pictures that Revive stores as files. @param images their folder or address; undefined: not named */
export const readImages =
  (images: string | undefined): BannerFiles['inFolder'] =>
  async (filename) => {
    if (images === undefined) return { cannot: `its file ${filename} is in a folder of Revive's web server: name that with --images` };
    // A name in the database must not lead out of the folder.
    if (filename === '' || filename !== path.basename(filename)) return { cannot: `"${filename}" is no name of a file` };
    try {
      if (!/^https?:\/\//.test(images)) return await readFile(path.join(images, filename));
      const answer = await fetch(`${images.replace(/\/$/, '')}/${encodeURIComponent(filename)}`, {
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      if (!answer.ok) return { cannot: `its file ${filename} was answered with status ${answer.status}` };
      return Buffer.from(await answer.arrayBuffer());
    } catch (fault) {
      return { cannot: `its file ${filename} cannot be read: ${(fault as NodeJS.ErrnoException).code ?? (fault as Error).message}` };
    }
  };
