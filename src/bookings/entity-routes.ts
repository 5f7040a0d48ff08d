import { Router } from 'express';
import type { Request, Response } from 'express';
import { MAX_CONTENT_LENGTH } from '../catalog/checks/parse-content.ts';
import { methodNotAllowed } from '../http/problems/error-handler.ts';
import { problem, sendProblem, type Problem } from '../http/problems/problem.ts';
import { readJson } from '../http/request/read-json.ts';
import { actorOf } from '../api/admin-gate.ts';
import type { CatalogWriter, RecordWriter, WriteTarget } from './catalog-writer.ts';
import { ENTITY_KINDS, readEntityId, type EntityAction, type EntityKind, type EntityRecord } from './entity-kind.ts';
import type { EntityReader, JudgeList } from './entity-reader.ts';
import { entityTag } from './entity-tag.ts';
import { nextPageLink } from './page-of-rows.ts';
import { readListQuery, searchOf } from './list-query.ts';
import { sendJson } from '../http/answers/send-json.ts';
import type { Refused, Written } from './written.ts';

/** Block lists of the longest names take 300 kB. */
export const MAX_RECORD_BYTES = 512 * 1024;
/**
 * JSON escapes one UTF-16 unit in at most six bytes (`\u001f`), so six times the longest content,
 * and half a megabyte for the other fields.
 */
export const MAX_CREATIVE_BYTES = 8 * MAX_CONTENT_LENGTH;

/**
 * A schema that reports all faults takes about a microsecond for each value, also beyond its own
 * limits: 2 MiB of them held the event loop for 230 ms.
 */
const MAX_VALUES = 5_000;

export interface EntityRoutesOptions {
  readonly reader: EntityReader;
  readonly writer: CatalogWriter;
  readonly judgeList: JudgeList;
}

/** List, read, create, replace, patch and delete for each entity, and its actions. */
export const entityRoutes = (options: EntityRoutesOptions): Router => {
  const router = Router();
  for (const kind of Object.values(ENTITY_KINDS)) {
    addRoutes(router, kind, options);
    for (const action of kind.actions) addAction(router, kind, action, options.writer);
  }
  return router;
};

interface Action {
  /** 201: it creates a record, and answers with that one. */
  readonly status: 200 | 201;
  readonly run: (writer: RecordWriter, target: WriteTarget) => Promise<Written>;
}

export const ACTIONS: Readonly<Record<EntityAction, Action>> = {
  rotate_key: { status: 200, run: (writer, target) => writer.rotateKey(target) },
  block: { status: 200, run: (writer, target) => writer.setBlocked(target, true) },
  unblock: { status: 200, run: (writer, target) => writer.setBlocked(target, false) },
  duplicate: { status: 201, run: (writer, target) => writer.duplicate(target) },
};

const locationOf =
  ({ table }: EntityKind) =>
  (record: EntityRecord): Readonly<Record<string, string>> => ({ Location: `/api/${table}/${encodeURIComponent(String(record['id']))}` });

const addRoutes = (router: Router, kind: EntityKind, { reader, writer, judgeList }: EntityRoutesOptions): void => {
  const list = router.route(`/${kind.table}`);
  list.get(async (req, res) => {
    const asked = readListQuery(kind, searchOf(req));
    if (!asked.ok) return sendProblem(res, asked.problem);
    const page = await reader.list(kind, await judgeList(kind, asked.query));
    const children = searchOf(req).get('include') === 'children' ? await reader.children(kind, idsOf(page.rows)) : undefined;
    const rows = children ? page.rows.map((row) => ({ ...row, children: children.get(String(row['id'])) })) : page.rows;
    sendJson(res, 200, rows, { 'X-Total-Count': String(page.total), ...nextPageLink(req.originalUrl, page, asked.query) });
  });
  list.post(async (req, res) => {
    const body = await bodyOf(req, res, kind);
    if (!body) return;
    const written = await writer.create(kind, body.value, actorOf(res));
    sendWritten(res, kind, written, 201, locationOf(kind));
  });
  list.all(methodNotAllowed('GET, HEAD, POST'));

  const one = router.route(`/${kind.table}/:id`);
  one.get(async (req, res) => {
    const id = readEntityId(kind, String(req.params['id']));
    const record = id === undefined ? undefined : await reader.find(kind, id);
    if (!record || id === undefined) return sendProblem(res, noSuchRecord(kind));
    const counted = searchOf(req).get('include') === 'counts' ? { ...record, counts: await reader.cascade(kind, id) } : record;
    sendJson(res, 200, counted, { ETag: entityTag(record) });
  });
  one.put(async (req, res) => {
    const target = targetOf(kind, req, res);
    const body = target && (await bodyOf(req, res, kind));
    if (body) sendWritten(res, kind, await writer.replace(target, body.value), 200);
  });
  one.patch(async (req, res) => {
    const target = targetOf(kind, req, res);
    const body = target && (await bodyOf(req, res, kind));
    if (body) sendWritten(res, kind, await writer.merge(target, body.value), 200);
  });
  one.delete(async (req, res) => {
    const target = targetOf(kind, req, res);
    if (!target) return;
    const removed = await writer.remove(target);
    if (!removed.ok) return sendProblem(res, problemOf(kind, removed));
    res.writeHead(204, { 'Cache-Control': 'no-store' }).end();
  });
  one.all(methodNotAllowed('GET, HEAD, PUT, PATCH, DELETE'));
};

const addAction = (router: Router, kind: EntityKind, action: EntityAction, writer: CatalogWriter): void => {
  const route = router.route(`/${kind.table}/:id/${action}`);
  route.post(async (req, res) => {
    const target = targetOf(kind, req, res);
    if (!target) return;
    const { status, run } = ACTIONS[action];
    sendWritten(res, kind, await run(writer, target), status, status === 201 ? locationOf(kind) : undefined);
  });
  route.all(methodNotAllowed('POST'));
};

const idsOf = (rows: readonly EntityRecord[]): readonly (string | number)[] => rows.map(({ id }) => id as string | number);

/** Sends a problem and returns undefined when no record can have the id. */
const targetOf = (kind: EntityKind, req: Request, res: Response): WriteTarget | undefined => {
  const id = readEntityId(kind, String(req.params['id']));
  if (id !== undefined) return { kind, id, actor: actorOf(res), ifMatch: req.get('if-match') };
  sendProblem(res, noSuchRecord(kind));
  return undefined;
};

/** Sends a problem and returns undefined when the body is not JSON, or too large. */
const bodyOf = async (req: Request, res: Response, { table }: EntityKind): Promise<{ readonly value: unknown } | undefined> => {
  const body = await readJson(req, table === 'creatives' ? MAX_CREATIVE_BYTES : MAX_RECORD_BYTES, undefined, MAX_VALUES);
  if (body.ok) return body;
  if (body.problem) sendProblem(res, body.problem);
  return undefined;
};

const sendWritten = (
  res: Response,
  kind: EntityKind,
  written: Written,
  status: number,
  headers: (record: EntityRecord) => Readonly<Record<string, string>> = () => ({}),
): void => {
  if (!written.ok) return sendProblem(res, problemOf(kind, written));
  const { api_key, ...record } = written.record;
  sendJson(res, status, api_key === undefined ? record : { ...record, api_key }, { ETag: entityTag(record), ...headers(record) });
};

/** The problem that a refused write answers. */
export const problemOf = (kind: EntityKind, { refusal, faults }: Refused): Problem => {
  switch (refusal) {
    case 'not_found':
      return noSuchRecord(kind);
    case 'conflict':
      return problem('conflict', `A ${kind.words} with this id exists already.`);
    case 'stale':
      return problem('precondition_failed', `The ${kind.words} does not match If-Match: read it again.`);
    case 'parent_fixed':
      return problem('parent_fixed', `The ${kind.words} may have been served under its parent: duplicate it instead.`, faults);
    case 'invalid':
      return problem('invalid_request', `The ${kind.words} is invalid.`, faults);
  }
};

export const noSuchRecord = ({ words }: EntityKind): Problem => problem('not_found', `There is no ${words} with this id.`);
