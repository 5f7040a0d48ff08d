import type { Router } from 'express';
import type { Scope } from '../access/scope.ts';
import type { RecordReach } from '../api/call-rights.ts';
import { nextPageLink } from '../api/page-of-rows.ts';
import { answer, done, refuseWith, type Call, type Handlers } from '../api/route.ts';
import { serveRoutes } from '../api/serve-routes.ts';
import { RESTORE_DAYS } from '../catalog/model/choices.ts';
import { problem, type Problem } from '../http/problems/problem.ts';
import type { CatalogWriter } from './catalog-writer.ts';
import { actionApi, CREATING, entityApi } from './entity-api.ts';
import { ENTITY_KINDS, type EntityAction, type EntityKind, type EntityRecord } from './entity-kind.ts';
import type { EntityReader, JudgeList } from './entity-reader.ts';
import { entityTag } from './entity-tag.ts';
import { toListQuery } from './list-query.ts';
import { shownRecord } from './shown-fields.ts';
import { answerOfWrite, type Refused, type Written, type WriteTarget } from './written.ts';

export interface EntityRoutesOptions {
  readonly reader: EntityReader;
  readonly writer: CatalogWriter;
  readonly judgeList: JudgeList;
  readonly reach: RecordReach;
}

/** List, read, create, replace, patch and delete for each entity, and its actions. */
export const entityRoutes = (options: EntityRoutesOptions): readonly Router[] =>
  Object.values(ENTITY_KINDS).flatMap((kind) => [
    serveRoutes(entityApi(kind), entityHandlers(kind, options), options.reach),
    ...kind.actions.map((action) => serveRoutes(actionApi(kind, action), actionHandlers(kind, action, options.writer), options.reach)),
  ]);

const entityHandlers = (kind: EntityKind, { reader, writer, judgeList }: EntityRoutesOptions): Handlers<ReturnType<typeof entityApi>> => {
  const target = ({ id, 'If-Match': ifMatch }: Targeted, { caller }: Call): WriteTarget => ({ kind, id, caller, ifMatch });
  return {
    list: async ({ include, ...asked }, { url, caller }) => {
      const query = toListQuery(kind, caller, asked);
      const page = await reader.list(kind, await judgeList(kind, query));
      const children = include === 'children' ? await reader.children(kind, idsOf(page.rows), caller) : undefined;
      const rows = page.rows.map((row) => ({
        ...shownRecord(caller, kind, row),
        ...(children && { children: children.get(String(row['id'])) }),
      }));
      return answer(rows, { 'X-Total-Count': String(page.total), ...nextPageLink(url, page, query) });
    },
    create: async ({ body }, { caller }) => writtenReply(kind, caller, await writer.create(kind, body, caller), true),
    get: async ({ id, include }, { caller }) => {
      const found = await reader.find(kind, id);
      if (!found) return refuseWith(noSuchRecord(kind));
      const record = shownRecord(caller, kind, found);
      const counted = include === 'counts' ? { ...record, counts: await reader.cascade(kind, id, caller) } : record;
      return answer(counted, { ETag: entityTag(record) });
    },
    replace: async ({ body, ...asked }, call) => writtenReply(kind, call.caller, await writer.replace(target(asked, call), body)),
    update: async ({ body, ...asked }, call) => writtenReply(kind, call.caller, await writer.merge(target(asked, call), body)),
    delete: async (asked, call) => {
      const removed = await writer.remove(target(asked, call));
      return removed.ok ? done() : refuseWith(problemOf(kind, removed));
    },
  };
};

interface Targeted {
  readonly id: string | number;
  readonly 'If-Match': string | undefined;
}

const actionHandlers = (kind: EntityKind, action: EntityAction, writer: CatalogWriter): Handlers<ReturnType<typeof actionApi>> => ({
  act: async ({ id, 'If-Match': ifMatch }, { caller }) =>
    writtenReply(kind, caller, await writer[action]({ kind, id, caller, ifMatch }), CREATING.includes(action)),
});

const idsOf = (rows: readonly EntityRecord[]): readonly (string | number)[] => rows.map(({ id }) => id as string | number);

/** `isNew`: the record was created, so the answer says where it is. */
const writtenReply = (kind: EntityKind, scope: Scope, written: Written, isNew = false) => {
  if (!written.ok) return refuseWith(problemOf(kind, written));
  const record = shownRecord(scope, kind, written.record);
  const { api_key: _, ...tagged } = record;
  const location = isNew ? { Location: `/api/${kind.table}/${encodeURIComponent(String(record['id']))}` } : {};
  return answer(answerOfWrite({ ...written, record }), { ETag: entityTag(tagged), ...location });
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
    case 'not_deleted':
      return problem('not_found', `No ${kind.words} with this id was deleted in the last ${RESTORE_DAYS} days.`);
    case 'in_the_way':
      return problem('conflict', `The ${kind.words} cannot be restored.`, faults);
    case 'in_use':
      return problem('conflict', `The ${kind.words} is used by line items, which would run everywhere without it.`, faults);
    case 'counters_away':
      return problem('unavailable', `The counters of the ${kind.words} cannot be read now; nothing was restored.`);
    case 'forbidden':
      return problem('forbidden', faults[0]?.detail ?? '');
    case 'approval_required':
      return problem('approval_required', `A second person must approve this change of the ${kind.words}.`, faults);
    case 'invalid':
      return problem('invalid_request', `The ${kind.words} is invalid.`, faults);
  }
};

export const noSuchRecord = ({ words }: EntityKind): Problem => problem('not_found', `There is no ${words} with this id.`);
