import { Router, type Request } from 'express';
import type { Knex } from 'knex';
import { creativesWith, deleteAsset, findAsset, listAssets, readUses, storeAsset, type StoredAsset } from '../uploads/asset-store.ts';
import { readUpload } from '../uploads/read-upload.ts';
import { ASSET_FOLDER, MAX_UPLOAD_BYTES } from '../catalog/model/asset-rules.ts';
import { absoluteAddress, type Addresses } from '../creative/absolute-address.ts';
import { sendJson } from '../http/answers/send-json.ts';
import { methodNotAllowed } from '../http/problems/error-handler.ts';
import { problem, sendProblem, type Problem } from '../http/problems/problem.ts';
import { readBody } from '../http/request/read-body.ts';
import { actorOf } from '../api/admin-gate.ts';
import { recordChange } from '../bookings/audit-trail.ts';
import { ENTITY_KINDS, readEntityId } from '../bookings/entity-kind.ts';
import { nextPageLink } from '../bookings/page-of-rows.ts';
import { readPage, searchOf } from '../bookings/list-query.ts';

export interface AssetRoutesOptions {
  readonly knex: Knex;
  readonly addresses: Addresses;
  /** Bytes of files that a publisher may have. */
  readonly maxStoredBytes: number;
}

/** Assets of a page of the list. */
export const ASSET_PAGE = { default: 100, max: 1_000 };
export const MAX_FILE_NAME_LENGTH = 256;

/** PUT /assets stores an upload, GET lists, DELETE /assets/{sha256} deletes one that no creative uses. */
export const assetRoutes = ({ knex, addresses, maxStoredBytes }: AssetRoutesOptions): Router => {
  const shown = ({ path, created_at, ...asset }: StoredAsset): object => ({
    url: absoluteAddress(ASSET_FOLDER + encodePath(path), addresses),
    ...asset,
    created_at: created_at.toISOString(),
  });
  const router = Router();

  const all = router.route('/assets');
  all.put(async (req, res) => {
    const body = await readBody(req, MAX_UPLOAD_BYTES);
    if ('gone' in body) return;
    if ('refusal' in body) return sendProblem(res, body.refusal.code === 'body_too_large' ? TOO_LARGE : body.refusal);
    const search = searchOf(req);
    const name = (search.get('name') ?? '').slice(0, MAX_FILE_NAME_LENGTH);
    const publisherId = readPublisherId(search);
    const read = await readUpload(body.body);
    if ('fault' in read) return sendProblem(res, refused('invalid_request', read.fault));
    const outcome = await knex.transaction(async (trx) => {
      if (publisherId === undefined || (publisherId !== null && !(await trx('publishers').where({ id: publisherId }).first('id'))))
        return undefined;
      const stored = await storeAsset(trx, { asset: read.asset, publisherId, name, maxStoredBytes });
      if ('stored' in stored && stored.isNew)
        await recordChange(trx, {
          actor: actorOf(res),
          action: 'create',
          ...auditOf(stored.stored),
          before: null,
          after: shown(stored.stored),
        });
      return stored;
    });
    if (!outcome) return sendProblem(res, UNKNOWN_PUBLISHER);
    if ('fault' in outcome) return sendProblem(res, refused('assets_full', outcome.fault));
    sendJson(res, 201, shown(outcome.stored));
  });
  all.get(async (req, res) => {
    const search = searchOf(req);
    const page = readPage(search, ASSET_PAGE.default, ASSET_PAGE.max);
    if (!page.ok) return sendProblem(res, page.problem);
    const publisherId = readPublisherId(search);
    if (publisherId === undefined) return sendProblem(res, UNKNOWN_PUBLISHER);
    const { limit, offset } = page;
    const { rows, total } = await listAssets(knex, { publisherId: publisherId ?? undefined, limit, offset });
    const hashes = rows.map(({ sha256 }) => sha256);
    const useOf = search.get('include') === 'uses' ? await readUses(knex, hashes) : undefined;
    const assets = rows.map((asset) => ({ ...shown(asset), ...(useOf && { used_by: useOf(asset.sha256) }) }));
    const more = offset + rows.length < total;
    sendJson(res, 200, assets, { 'X-Total-Count': String(total), ...nextPageLink(req.originalUrl, { rows, more }, page) });
  });
  all.all(methodNotAllowed('GET, HEAD, PUT'));

  const one = router.route('/assets/:sha256');
  one.delete(async (req: Request<{ sha256: string }>, res) => {
    const { sha256 } = req.params;
    const refusal = await knex.transaction(async (trx) => {
      // A creative that is written meanwhile either finds the file gone, or is found here.
      await trx.raw('select version from catalog_version for update');
      const asset = await findAsset(trx, sha256);
      if (!asset) return problem('not_found', 'There is no file with this SHA-256.');
      const users = await creativesWith(trx, sha256);
      if (users.length > 0) return problem('conflict', `The file is used by creatives: ${users.join(', ')}.`);
      await deleteAsset(trx, sha256);
      await recordChange(trx, { actor: actorOf(res), action: 'delete', ...auditOf(asset), before: shown(asset), after: null });
      return undefined;
    });
    if (refusal) return sendProblem(res, refusal);
    res.status(204).end();
  });
  one.all(methodNotAllowed('DELETE'));
  return router;
};

const refused = (code: 'invalid_request' | 'assets_full' | 'body_too_large', fault: string): Problem => problem(code, `The file ${fault}.`);
const TOO_LARGE = refused('body_too_large', 'is too large: at most 2 MB are accepted');
const UNKNOWN_PUBLISHER = problem('invalid_request', 'publisher_id must be the id of a publisher.');

const auditOf = ({ sha256 }: StoredAsset) => ({ entity: 'asset', entityId: sha256 });

/** null: none was given; undefined: not an id. */
const readPublisherId = (search: URLSearchParams): number | null | undefined => {
  const text = search.get('publisher_id') ?? '';
  return text === '' ? null : (readEntityId(ENTITY_KINDS.publishers, text) as number | undefined);
};

/** Names of files may have any letters. */
const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');
