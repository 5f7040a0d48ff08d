import { readFile, stat } from 'node:fs/promises';
import { parse } from 'yaml';
import { sizeInWords } from '../../catalog/model/asset-rules.ts';
import type { ImportedHead } from '../../imports/imported.ts';
import type { BookingsClient } from '../bookings-client.ts';
import { CliFault } from '../cli-fault.ts';

/** The bytes of a file that is imported. @throws CliFault when it cannot be read, or is larger than it may be */
export const readSourceFile = async (name: string, maxBytes: number, remedy: string): Promise<Buffer> => {
  const { size } = await stat(name).catch((fault: NodeJS.ErrnoException) => {
    throw new CliFault(`${name} cannot be read: ${fault.code}`);
  });
  if (size > maxBytes) throw new CliFault(`${name} has ${sizeInWords(size)}; at most ${sizeInWords(maxBytes)} are read: ${remedy}`);
  return readFile(name);
};

/** What the declaration of a publisher says of it. */
export const headOf = async (client: BookingsClient, publisher: string): Promise<ImportedHead> => {
  const { installation, publisher: own } = parse(await client.pull(publisher)) as ImportedHead;
  return { ...(installation !== undefined && { installation }), publisher: own };
};
