import { createHash } from 'node:crypto';

/** The edition of an entity that shows what another row says. */
export const editionWith = (edition: number, inherited: object): number =>
  createHash('sha256')
    .update(`${edition} ${JSON.stringify(inherited)}`)
    .digest()
    .readUIntBE(0, 6);

export const NOTHING: readonly string[] = [];

export const isEqualList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((one, i) => one === b[i]);
