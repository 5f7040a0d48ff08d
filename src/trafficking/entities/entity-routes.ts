import { Router } from 'express';
import type { Request, Response } from 'express';
import { MAX_CONTENT_LENGTH } from '../../catalog/checks/parse-content.ts';
import { methodNotAllowed } from '../../http/problems/error-handler.ts';
import { problem, sendProblem } from '../../http/problems/problem.ts';
import { readJson } from '../../http/body/read-json.ts';
import { actorOf } from '../admin-gate.ts';
import type { CatalogWriter, Written, WriteTarget } from './catalog-writer.ts';
import { ENTITY_KINDS, readEntityId, type EntityKind, type EntityRecord } from './entity-kind.ts';
import type { EntityReader } from './entity-reader.ts';
import { entityTag } from './entity-tag.ts';
import { readListQuery, searchOf } from './list-query.ts';
import { sendJson } from '../../http/send-json.ts';

/** Six bytes for every UTF-16 unit of the longest content, which is the most that JSON takes for one (`\u001f`), and half a megabyte for the rest. */
const BODY_LIMIT = 8 * MAX_CONTENT_LENGTH;

export interface EntityRoutesOptions {
  readonly reader: EntityReader;
  readonly writer: CatalogWriter;
}

/** List, read, create, replace, patch and delete for each of the five entities, and the three actions that are no plain change of a field. */
export const entityRoutes = (options: EntityRoutesOptions): Router => {
  const router = Router();
  for (const kind of Object.values(ENTITY_KINDS)) addRoutes(router, kind, options);
  addAction(router, ENTITY_KINDS.publishers, 'rotate_key', options.writer.rotateKey);
  addAction(router, ENTITY_KINDS.creatives, 'block', (target) => options.writer.setBlocked(target, true));
  addAction(router, ENTITY_KINDS.creatives, 'unblock', (target) => options.writer.setBlocked(target, false));
  return router;
};

const addRoutes = (router: Router, kind: EntityKind, { reader, writer }: EntityRoutesOptions): void => {
  const list = router.route(`/${kind.table}`);
  list.get(async (req, res) => {
    const asked = readListQuery(kind, searchOf(req));
    if (!asked.ok) return sendProblem(res, asked.problem);
    const { records, total } = await reader.list(kind, asked.query);
    sendJson(res, 200, records, { 'X-Total-Count': String(total) });
  });
  list.post(async (req, res) => {
    const body = await bodyOf(req, res);
    if (!body) return;
    const written = await writer.create(kind, body.value, actorOf(res));
    sendWritten(res, written, 201, (record) => ({ Location: `/api/${kind.table}/${encodeURIComponent(String(record['id']))}` }));
  });
  list.all(methodNotAllowed('GET, HEAD, POST'));

  const one = router.route(`/${kind.table}/:id`);
  one.get(async (req, res) => {
    const id = readEntityId(kind, String(req.params['id']));
    const record = id === undefined ? undefined : await reader.find(kind, id);
    if (!record || id === undefined) return sendNotFound(res, kind);
    const counted = searchOf(req).get('include') === 'counts' ? { ...record, counts: await reader.cascade(kind, id) } : record;
    sendJson(res, 200, counted, { ETag: entityTag(record) });
  });
  one.put(async (req, res) => {
    const target = targetOf(kind, req, res);
    const body = target && (await bodyOf(req, res));
    if (body) sendWritten(res, await writer.replace(target, body.value), 200);
  });
  one.patch(async (req, res) => {
    const target = targetOf(kind, req, res);
    const body = target && (await bodyOf(req, res));
    if (body) sendWritten(res, await writer.merge(target, body.value), 200);
  });
  one.delete(async (req, res) => {
    const target = targetOf(kind, req, res);
    if (!target) return;
    const removed = await writer.remove(target);
    if (!removed.ok) return sendProblem(res, removed.problem);
    res.writeHead(204, { 'Cache-Control': 'no-store' }).end();
  });
  one.all(methodNotAllowed('GET, HEAD, PUT, PATCH, DELETE'));
};

const addAction = (router: Router, kind: EntityKind, action: string, act: (target: WriteTarget) => Promise<Written>): void => {
  const route = router.route(`/${kind.table}/:id/${action}`);
  route.post(async (req, res) => {
    const target = targetOf(kind, req, res);
    if (target) sendWritten(res, await act(target), 200);
  });
  route.all(methodNotAllowed('POST'));
};

/** Answers for itself when nothing can have the id. */
const targetOf = (kind: EntityKind, req: Request, res: Response): WriteTarget | undefined => {
  const id = readEntityId(kind, String(req.params['id']));
  if (id !== undefined) return { kind, id, actor: actorOf(res), ifMatch: req.get('if-match') };
  sendNotFound(res, kind);
  return undefined;
};

/** Answers for itself when there is no JSON to be had. */
const bodyOf = async (req: Request, res: Response): Promise<{ readonly value: unknown } | undefined> => {
  const body = await readJson(req, BODY_LIMIT);
  if (body.ok) return body;
  if (body.problem) sendProblem(res, body.problem);
  return undefined;
};

const sendWritten = (
  res: Response,
  written: Written,
  status: number,
  headers: (record: EntityRecord) => Readonly<Record<string, string>> = () => ({}),
): void => {
  if (!written.ok) return sendProblem(res, written.problem);
  const { api_key, ...record } = written.record;
  sendJson(res, status, api_key === undefined ? record : { ...record, api_key }, { ETag: entityTag(record), ...headers(record) });
};

const sendNotFound = (res: Response, { name }: EntityKind): void =>
  sendProblem(res, problem('not_found', `There is no ${name.replace('_', ' ')} with this id.`));
