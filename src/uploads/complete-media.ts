import type { Knex } from 'knex';
import { isObject } from '../base/narrow.ts';
import { parseJson } from '../base/parse-json.ts';
import { ASSET_PATH } from '../catalog/model/asset-rules.ts';
import type { StoredAsset } from './asset-store.ts';

type Json = Readonly<Record<string, unknown>>;

type StoredMedia = Pick<StoredAsset, 'sha256' | 'type' | 'width' | 'height' | 'bytes' | 'duration_ms' | 'bitrate_kbps' | 'codec'>;

/**
 * Fills in what was read from the uploaded files that a video names: type, size, bitrate, codec, and the
 * duration where the content does not say it. What the files say counts. Other content stays as it is.
 */
export const completeMedia = async (trx: Knex.Transaction, input: Json): Promise<Json> => {
  const { format, content } = input;
  if ((format !== 'video' && format !== 'audio') || typeof content !== 'string') return input;
  const video = parseJson(content);
  // The checks report it.
  if (!isObject(video)) return input;
  const media: readonly unknown[] = Array.isArray(video['media']) ? video['media'] : [];
  const hashes = [...media, video['mezzanine']].flatMap((file) => hashOf(file) ?? []);
  if (hashes.length === 0) return input;
  const rows = await trx('assets')
    .whereIn('sha256', hashes)
    .select<StoredMedia[]>('sha256', 'type', 'width', 'height', 'bytes', 'duration_ms', 'bitrate_kbps', 'codec');
  const stored = new Map(rows.map((row) => [row.sha256, row]));
  const complete = (file: unknown): unknown => {
    const row = stored.get(hashOf(file) ?? '');
    return row && isObject(file) ? { ...file, ...factsOf(row) } : file;
  };
  const durationMs = media.map((file) => stored.get(hashOf(file) ?? '')?.duration_ms ?? null).find((ms) => ms !== null);
  return {
    ...input,
    content: JSON.stringify({
      ...((video['duration'] ?? null) === null && durationMs !== undefined && { duration: durationMs / 1000 }),
      ...video,
      ...(media.length > 0 && { media: media.map(complete) }),
      ...(isObject(video['mezzanine']) && { mezzanine: complete(video['mezzanine']) }),
    }),
  };
};

const factsOf = ({ type, width, height, bytes, bitrate_kbps: bitrate, codec }: StoredMedia): Json => ({
  type,
  ...(width !== null && height !== null && { width, height }),
  ...(bitrate !== null && { bitrate }),
  ...(codec !== null && { codec }),
  bytes,
});

const hashOf = (file: unknown): string | undefined => {
  const url = isObject(file) ? file['url'] : undefined;
  if (typeof url !== 'string') return undefined;
  // Also with the address of this service or of a CDN before it.
  return ASSET_PATH.exec(url.replace(/^https?:\/\/[^/]+/i, ''))?.[1];
};
