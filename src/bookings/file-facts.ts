import type { Knex } from 'knex';
import type { FileFacts } from '../creative/checks/creative-findings.ts';
import { pictureMovement } from '../creative/checks/picture-movement.ts';
import { readAdFacts } from '../creative/checks/read-ad-facts.ts';
import { withoutEntryScript } from '../uploads/entry-script.ts';

interface AssetRow {
  readonly sha256: string;
  readonly type: string;
  readonly bytes: number;
  readonly facts: FileFacts | null;
}

interface FileRow {
  readonly path: string;
  readonly type: string;
  readonly content: Buffer;
}

const NAMED = /\/static\/assets\/([0-9a-f]{64})[./]/g;

/** What is known of the uploaded files that a content names. Each is read once, and remembered beside it. */
export const fileFactsOf = async (knex: Knex, content: string): Promise<readonly FileFacts[]> => {
  const named = [...new Set(Array.from(content.matchAll(NAMED), ([, sha256 = '']) => sha256))];
  if (named.length === 0) return [];
  const rows = await knex('assets').whereIn('sha256', named).orderBy('sha256').select<AssetRow[]>('sha256', 'type', 'bytes', 'facts');
  const all: FileFacts[] = [];
  for (const row of rows) all.push(row.facts ?? (await readFacts(knex, row)));
  return all;
};

const isRead = ({ type }: Pick<AssetRow, 'type'>): boolean => type === 'text/html' || type.startsWith('image/');

const readFacts = async (knex: Knex, { sha256, type, bytes }: AssetRow): Promise<FileFacts> => {
  const facts = isRead({ type }) ? factsOf(type, bytes, await filesOf(knex, sha256)) : { bytes, movement: 0, ad: null };
  await knex('assets')
    .where({ sha256 })
    .update({ facts: JSON.stringify(facts) });
  return facts;
};

const filesOf = (knex: Knex, sha256: string): Promise<readonly FileRow[]> =>
  knex('asset_files').where({ sha256 }).orderBy('path').select<FileRow[]>('path', 'type', 'content');

const factsOf = (type: string, bytes: number, files: readonly FileRow[]): FileFacts => {
  const movement = files.filter((file) => file.type.startsWith('image/')).map(({ content }) => pictureMovement(content));
  const moves = movement.includes('endless') ? 'endless' : Math.max(0, ...movement.map(Number));
  if (type !== 'text/html') return { bytes, movement: moves, ad: null };
  const texts = files.filter((file) => /^text\/|javascript|json|svg/.test(file.type)).map(({ content }) => content.toString('utf8'));
  return { bytes, movement: moves, ad: readAdFacts(texts.map(withoutEntryScript)) };
};
