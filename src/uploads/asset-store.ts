import type { Knex } from 'knex';
import { sizeInWords } from '../catalog/model/asset-rules.ts';
import type { Asset } from './asset.ts';

/** An asset without its files. */
export interface StoredAsset {
  readonly sha256: string;
  /** null: it belongs to no publisher. */
  readonly publisher_id: number | null;
  /** The name of the uploaded file; '' when the client gave none. */
  readonly name: string;
  readonly path: string;
  readonly type: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly bytes: number;
  /** Of a video or a sound. */
  readonly duration_ms: number | null;
  readonly bitrate_kbps: number | null;
  readonly codec: string | null;
  readonly created_at: Date;
}

export interface NewAsset {
  readonly asset: Asset;
  readonly publisherId: number | null;
  readonly name: string;
  /** Bytes that the publisher may have stored, with this one. */
  readonly maxStoredBytes: number;
  /** Whether a refusal says how much is left. */
  readonly tellsFree: boolean;
}

export type StoreOutcome = { readonly stored: StoredAsset; readonly isNew: boolean } | { readonly fault: string };

export interface AssetQuery {
  /** undefined: of all publishers. */
  readonly publisherId: number | undefined;
  /** SQL of a condition on a row of assets. */
  readonly only: Knex.Raw;
  readonly limit: number;
  readonly offset: number;
}

const COLUMNS = [
  ...(['sha256', 'publisher_id', 'name', 'path', 'type', 'width', 'height', 'bytes'] as const),
  ...(['duration_ms', 'bitrate_kbps', 'codec', 'created_at'] as const),
] as const;

/**
 * Stores an asset with all of its files; one that is stored already stays as it is. Uploads are
 * stored one at a time, so that two cannot fill the last place together.
 */
export const storeAsset = async (
  trx: Knex.Transaction,
  { asset, publisherId, name, maxStoredBytes, tellsFree }: NewAsset,
): Promise<StoreOutcome> => {
  await trx.raw('lock table assets in share row exclusive mode');
  const known = await findAsset(trx, asset.sha256);
  if (known) return { stored: known, isNew: false };
  const { files, playback, ...row } = asset;
  const storedBytes = files.reduce((sum, { content }) => sum + content.length, 0);
  const [used] = await trx('assets').where({ publisher_id: publisherId }).sum<{ sum: string | null }[]>('stored_bytes');
  const free = Math.max(0, maxStoredBytes - Number(used?.sum ?? 0));
  if (storedBytes > free && !tellsFree) return { fault: `needs ${sizeInWords(storedBytes)}, and the publisher has no place left for it` };
  if (storedBytes > free) {
    const owner = publisherId === null ? 'files without a publisher' : `publisher ${publisherId}`;
    return {
      fault: `needs ${sizeInWords(storedBytes)}, and of the ${sizeInWords(maxStoredBytes)} for ${owner} ${sizeInWords(free)} are left: delete files that no creative uses`,
    };
  }
  const [stored] = await trx('assets')
    .insert({
      ...{ ...row, publisher_id: publisherId, name, stored_bytes: storedBytes },
      ...(playback && { duration_ms: playback.durationMs, bitrate_kbps: playback.bitrateKbps, codec: playback.codec }),
    })
    .returning<StoredAsset[]>([...COLUMNS]);
  if (!stored) throw new Error('Postgres returned no row for an asset that it stored.');
  await trx('asset_files').insert(files.map((file) => ({ ...file, sha256: asset.sha256 })));
  return { stored, isNew: true };
};

/** A page, newest first, and how many there are in all. */
export const listAssets = async (
  knex: Knex,
  { publisherId, only, limit, offset }: AssetQuery,
): Promise<{ readonly rows: readonly StoredAsset[]; readonly total: number }> => {
  const query = knex('assets').where(only);
  if (publisherId !== undefined) void query.where({ publisher_id: publisherId });
  const [counted, rows] = await Promise.all([
    query.clone().count<{ count: string }[]>('* as count'),
    query
      .clone()
      .orderBy([{ column: 'created_at', order: 'desc' }, 'sha256'])
      .limit(limit)
      .offset(offset)
      .select<StoredAsset[]>(COLUMNS),
  ]);
  return { rows, total: Number(counted[0]?.count) };
};

/** The creatives that use an asset. */
export interface AssetUse {
  readonly total: number;
  /** The first by id; null: no creative uses it. */
  readonly first: { readonly id: number; readonly name: string } | null;
}

/** Creatives that a refusal names. */
const MAX_USERS = 20;
const NOT_USED: AssetUse = { total: 0, first: null };

/** SQL: the hashes of files that creatives use. @param where the condition on creatives */
export const hashesIn = (where: string): string =>
  `select distinct found[1] as sha256, id, name from creatives, regexp_matches(content, '[0-9a-f]{64}', 'g') as found where ${where}`;

/** By hash. Reads every creative once. @param only SQL of the condition on creatives, with its bindings */
export const readUses = async (
  knex: Knex,
  hashes: readonly string[],
  only: { readonly sql: string; readonly bindings: object },
): Promise<(sha256: string) => AssetUse> => {
  const { rows } = await knex.raw<{ rows: { sha256: string; total: number; id: number; name: string }[] }>(
    `select distinct on (sha256) sha256, id, name, (count(*) over (partition by sha256))::int as total
     from (${hashesIn(only.sql)}) as uses
     where sha256 = any(cast(:hashes as text[])) order by sha256, id`,
    { ...only.bindings, hashes },
  );
  const uses = new Map(rows.map(({ sha256, total, id, name }) => [sha256, { total, first: { id, name } }]));
  return (sha256) => uses.get(sha256) ?? NOT_USED;
};

export const findAsset = async (knex: Knex, sha256: string): Promise<StoredAsset | undefined> =>
  knex('assets')
    .where({ sha256 })
    .first<StoredAsset | undefined>([...COLUMNS]);

/** Ids of creatives whose content names the asset. Reads every creative. */
export const creativesWith = async (knex: Knex, sha256: string): Promise<readonly number[]> =>
  (await knex('creatives').whereLike('content', `%${sha256}%`).orderBy('id').limit(MAX_USERS).pluck('id')) as number[];

/** Columns that hold pictures, by their tables. */
const PICTURES = { placements: 'page_pictures', campaigns: 'screenshots' } as const;

/** Ids of placements on whose page pictures the asset is, or of campaigns that have it as a screenshot. */
export const picturedWith = async (knex: Knex, table: keyof typeof PICTURES, sha256: string): Promise<readonly (string | number)[]> =>
  (await knex(table)
    .whereRaw(`${PICTURES[table]}::text like ?`, [`%${sha256}%`])
    .orderBy('id')
    .limit(MAX_USERS)
    .pluck('id')) as (string | number)[];

export const deleteAsset = async (trx: Knex.Transaction, sha256: string): Promise<void> => {
  await trx('assets').where({ sha256 }).delete();
};

/** A part of a stored file. */
export interface AssetPart {
  readonly type: string;
  /** Of the whole file. */
  readonly bytes: number;
  readonly content: Buffer;
}

/** Files are read in parts of so many bytes: a video is never in memory as a whole. */
export const PART_BYTES = 1024 * 1024;

/**
 * Reads a part, counted from 0, of a file by its path below /static/assets/. Postgres reads no more of
 * the content than it returns, because it is stored uncompressed outside of the row.
 */
export const readAssetPart = async (knex: Knex, path: string, part: number): Promise<AssetPart | undefined> => {
  const { rows } = await knex.raw<{ rows: AssetPart[] }>(
    `select type, octet_length(content) as bytes, substring(content from :first for :count) as content from asset_files where path = :path`,
    { path, first: part * PART_BYTES + 1, count: PART_BYTES },
  );
  return rows[0];
};
