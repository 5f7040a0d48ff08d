import type { Knex } from 'knex';
import { isLimited, maySee, type Scope } from '../access/scope.ts';
import { nextPageLink } from '../api/page-of-rows.ts';
import { answer, done, GONE, refuse, refuseWith, type Handlers } from '../api/route.ts';
import { changedBy, recordChange } from '../bookings/audit-trail.ts';
import { isAmong, isVisible, onlyVisible, scopeBinding, visibleIds } from '../bookings/record-scope.ts';
import { ASSET_FOLDER, MAX_UPLOAD_BYTES, MAX_UPLOAD_WORDS, MAX_VIDEO_BYTES, MAX_VIDEO_WORDS } from '../catalog/model/asset-rules.ts';
import { absoluteAddress, type Addresses } from '../creative/absolute-address.ts';
import { readBody } from '../http/request/read-body.ts';
import {
  creativesWith,
  deleteAsset,
  findAsset,
  hashesIn,
  listAssets,
  picturedWith,
  readUses,
  storeAsset,
  type StoredAsset,
} from '../uploads/asset-store.ts';
import { readUpload } from '../uploads/read-upload.ts';
import type { ASSET_API } from './asset-api.ts';

export interface AssetRoutesOptions {
  readonly knex: Knex;
  readonly addresses: Addresses;
  /** Bytes of files that a publisher may have. */
  readonly maxStoredBytes: number;
}

/** Uploads of more than MAX_UPLOAD_BYTES that are in memory at the same time. */
const MAX_LARGE_UPLOADS = 2;

/** Records that have a file as a picture. */
const PICTURED = [
  { table: 'placements', words: 'on the page pictures of placements' },
  { table: 'campaigns', words: 'a screenshot of campaigns' },
] as const;

/** Stores uploads, lists them, and deletes one that no creative uses. */
export const assetRoutes = ({ knex, addresses, maxStoredBytes }: AssetRoutesOptions): Handlers<typeof ASSET_API> => {
  const shown = ({ path, created_at, ...asset }: StoredAsset) => ({
    url: absoluteAddress(ASSET_FOLDER + encodePath(path), addresses),
    ...asset,
    created_at: created_at.toISOString(),
  });
  /** A file is stored once: what those said of it who stored the same bytes first is not for others. */
  const shownTo = (scope: Scope, asset: StoredAsset) => {
    if (!isLimited(scope)) return shown(asset);
    const isOwn = asset.publisher_id !== null && maySee(scope.publishers, asset.publisher_id);
    return shown({ ...asset, publisher_id: isOwn ? asset.publisher_id : null, name: isOwn && !scope.advertisers ? asset.name : '' });
  };
  const mayStoreFor = async (trx: Knex, scope: Scope, publisherId: number | null): Promise<boolean> =>
    publisherId === null
      ? !isLimited(scope)
      : (await onlyVisible(trx('publishers').where({ id: publisherId }), 'publishers', scope).first('id')) !== undefined;

  let largeUploads = 0;

  return {
    storeAsset: async ({ publisher_id: publisherId = null, name = '' }, { caller, request }) => {
      const stated = Number(request.headers['content-length'] ?? Infinity);
      const isLarge = stated > MAX_UPLOAD_BYTES && stated <= MAX_VIDEO_BYTES;
      if (isLarge && largeUploads >= MAX_LARGE_UPLOADS) return BUSY;
      if (isLarge) largeUploads++;
      const body = await readBody(request, isLarge ? MAX_VIDEO_BYTES : MAX_UPLOAD_BYTES).finally(() => isLarge && largeUploads--);
      if ('gone' in body) return GONE;
      if ('refusal' in body) return body.refusal.code === 'body_too_large' ? TOO_LARGE : refuseWith(body.refusal);
      const read = await readUpload(body.body);
      if ('fault' in read) return refused(read.isTooLarge ? 'body_too_large' : 'invalid_request', read.fault);
      return knex.transaction(async (trx) => {
        if (!(await mayStoreFor(trx, caller, publisherId))) return UNKNOWN_PUBLISHER;
        const outcome = await storeAsset(trx, {
          ...{ asset: read.asset, publisherId, name, maxStoredBytes },
          tellsFree: caller.advertisers === null,
        });
        if ('fault' in outcome) return refused('assets_full', outcome.fault);
        const { stored, isNew } = outcome;
        if (isNew)
          await recordChange(trx, { ...changedBy(caller), action: 'create', ...auditOf(stored), before: null, after: shown(stored) });
        if (!isLimited(caller)) return answer(shown(stored));
        return answer(shown({ ...stored, publisher_id: publisherId, name, created_at: new Date() }));
      });
    },
    listAssets: async ({ publisher_id: publisherId, include, limit, offset }, { url, caller }) => {
      const { rows, total } = await listAssets(knex, { publisherId, only: onlySeen(knex, caller), limit, offset });
      const hashes = rows.map(({ sha256 }) => sha256);
      const useOf =
        include === 'uses'
          ? await readUses(knex, hashes, { sql: isVisible('creatives', caller), bindings: scopeBinding(caller) })
          : undefined;
      const assets = rows.map((asset) => ({ ...shownTo(caller, asset), ...(useOf && { used_by: useOf(asset.sha256) }) }));
      const more = offset + rows.length < total;
      return answer(assets, { 'X-Total-Count': String(total), ...nextPageLink(url, { rows, more }, { limit, offset }) });
    },
    deleteAsset: ({ sha256 }, { caller }) =>
      knex.transaction(async (trx) => {
        // A creative that is written meanwhile either finds the file gone, or is found here.
        await trx.raw('select version from catalog_version for update');
        const asset = await findAsset(trx, sha256);
        const isOwn = asset && (!caller.publishers || (asset.publisher_id !== null && maySee(caller.publishers, asset.publisher_id)));
        if (!isOwn) return refuse('not_found', 'There is no file with this SHA-256.');
        const users = await creativesWith(trx, sha256);
        const seen = await visibleIds(trx, 'creatives', caller, users);
        if (users.length > 0) return refuse('conflict', `The file is used by creatives${seen.length > 0 ? `: ${seen.join(', ')}` : ''}.`);
        for (const { table, words } of PICTURED) {
          const ids = await picturedWith(trx, table, sha256);
          const known = await onlyVisible(trx(table).whereIn('id', ids), table, caller).pluck<(string | number)[]>('id');
          if (ids.length > 0) return refuse('conflict', `The file is ${words}${known.length > 0 ? `: ${known.join(', ')}` : ''}.`);
        }
        await deleteAsset(trx, sha256);
        await recordChange(trx, { ...changedBy(caller), action: 'delete', ...auditOf(asset), before: shown(asset), after: null });
        return done();
      }),
  };
};

/** Files of the publishers of a scope, and those that its creatives use. */
const onlySeen = (knex: Knex, scope: Scope): Knex.Raw => {
  if (!isLimited(scope)) return knex.raw('true');
  const used = `sha256 in (select sha256 from (${hashesIn(isVisible('creatives', scope))}) as used)`;
  return knex.raw(scope.advertisers ? used : `(${isAmong('publishers', 'publisher_id', scope)} or ${used})`, { ...scopeBinding(scope) });
};

const refused = (code: 'invalid_request' | 'assets_full' | 'body_too_large', fault: string) => refuse(code, `The file ${fault}.`);
const TOO_LARGE = refused(
  'body_too_large',
  `is too large: at most ${MAX_VIDEO_WORDS} are accepted, and without a Content-Length at most ${MAX_UPLOAD_WORDS}. Name a larger video by its address`,
);
const BUSY = refuse('unavailable', 'Other large files are being uploaded. Send it again in some seconds.');
const UNKNOWN_PUBLISHER = refuse('invalid_request', 'publisher_id must be the id of a publisher.');

const auditOf = ({ sha256 }: StoredAsset) => ({ entity: 'asset', entityId: sha256 });

/** Names of files may have any letters. */
const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');
