import type { Caller } from '../access/caller.ts';
import type { Scope } from '../access/scope.ts';
import { refusalOf as unableTo, type RecordReach } from '../api/call-rights.ts';
import type { Fault } from '../base/fault.ts';
import { problem, type Problem } from '../http/problems/problem.ts';
import { answer, refuseWith, type Handlers } from '../api/route.ts';
import type { BULK_API, BulkOperation } from './bulk-api.ts';
import type { CatalogWriter, RecordWriter } from './catalog-writer.ts';
import { CREATING, entityRoute, type EntityVerb } from './entity-api.ts';
import { ENTITY_KINDS, readEntityId, type EntityKind, type EntityRecord } from './entity-kind.ts';
import { ACTIONS, problemOf } from './entity-routes.ts';
import { shownRecord } from './shown-fields.ts';
import { answerOfWrite, type Refused, type Written } from './written.ts';

/** Writes in one transaction, with one result each. One that is refused undoes all. */
export const bulkRoutes = (writer: CatalogWriter, reach: RecordReach): Handlers<typeof BULK_API> => ({
  changeRecords: async ({ body }, { caller }) => {
    const steps = body.operations.map(readOperation);
    const barred: (Refused | undefined)[] = [];
    for (const step of steps) barred.push(step && (await barrier(step, caller, reach)));
    const written = await writer.together(async (within) => {
      const all: Written[] = [];
      for (const [i, step] of steps.entries()) all.push(step ? (barred[i] ?? (await step.run(within, caller))) : UNKNOWN_PATH);
      return all;
    });
    const refused = written.filter(({ ok }) => !ok).length;
    if (refused === 0) return answer({ results: written.map((one, i) => resultOf(one, steps[i], caller)) });
    const detail = `${refused} of ${written.length} operations were refused; nothing was changed.`;
    const faults = written.flatMap((one, i) => (one.ok ? [] : faultsAt(i, one, steps[i])));
    return refuseWith({
      ...problem('bulk_refused', detail, faults),
      results: written.map((one, i) => (one.ok ? NOT_DONE : resultOf(one, steps[i], caller))),
    });
  },
});

interface Step {
  readonly kind: EntityKind;
  readonly verb: EntityVerb;
  /** undefined: of a record that does not exist yet. */
  readonly id: string | number | undefined;
  readonly status: number;
  readonly run: (writer: RecordWriter, caller: Caller) => Promise<Written>;
}

/** Why the caller may not make a write, by the rules of its own route; undefined: it may. */
const barrier = async ({ kind, verb, id }: Step, caller: Caller, reach: RecordReach): Promise<Refused | undefined> => {
  const route = entityRoute(kind, verb);
  const { problem: why } = unableTo(route, caller) ?? (await reach(route, caller, id)) ?? {};
  if (!why) return undefined;
  return why.code === 'not_found' ? UNKNOWN_PATH : { ok: false, refusal: 'forbidden', faults: [{ pointer: '', detail: why.detail }] };
};

/** An operation as the write that its path names; undefined: there is none. */
const readOperation = ({ method, path, body, if_match: ifMatch }: BulkOperation): Step | undefined => {
  const [table = '', idText, actionName, ...more] = path
    .replace(/^\/(api\/)?/, '')
    .split('/')
    .map(decoded);
  const kind = Object.values(ENTITY_KINDS).find((each) => each.table === table);
  if (!kind || more.length > 0) return undefined;
  if (idText === undefined)
    return method === 'POST'
      ? { kind, verb: 'create', id: undefined, status: 201, run: (writer, caller) => writer.create(kind, body, caller) }
      : undefined;
  const id = readEntityId(kind, idText) ?? -1;
  const target = (caller: Caller) => ({ kind, id, caller, ifMatch });
  if (actionName !== undefined) {
    const action = kind.actions.find((each) => each === actionName);
    return action && method === 'POST'
      ? {
          kind,
          verb: action,
          id,
          status: CREATING.includes(action) ? 201 : 200,
          run: (writer, caller) => ACTIONS[action](writer, target(caller)),
        }
      : undefined;
  }
  switch (method) {
    case 'PUT':
      return { kind, verb: 'replace', id, status: 200, run: (writer, caller) => writer.replace(target(caller), body) };
    case 'PATCH':
      return { kind, verb: 'update', id, status: 200, run: (writer, caller) => writer.merge(target(caller), body) };
    case 'DELETE':
      return { kind, verb: 'delete', id, status: 204, run: (writer, caller) => writer.remove(target(caller)) };
    case 'POST':
      return undefined;
  }
};

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

const UNKNOWN_PATH: Refused = { ok: false, refusal: 'not_found', faults: [] };
/** Accepted, and undone because another operation was refused (RFC 4918, section 11.4). */
const NOT_DONE = { status: 424 };

const resultOf = (written: Written, step: Step | undefined, scope: Scope): { readonly status: number; readonly body?: EntityRecord } => {
  if (!written.ok) {
    const body = refusalOf(written, step);
    return { status: body.status, body: { ...body } };
  }
  const { status = 200 } = step ?? {};
  const record = step ? shownRecord(scope, step.kind, written.record) : written.record;
  return status === 204 ? { status } : { status, body: answerOfWrite({ ...written, record }) };
};

const refusalOf = (refused: Refused, step: Step | undefined): Problem =>
  step ? problemOf(step.kind, refused) : problem('not_found', 'There is no write with this method and path.');

/** The faults of an operation, with pointers into the bulk body. */
const faultsAt = (index: number, refused: Refused, step: Step | undefined): readonly Fault[] => {
  const at = `/operations/${index}`;
  if (refused.refusal !== 'forbidden' && refused.faults.length > 0)
    return refused.faults.map(({ pointer, detail }) => ({ pointer: `${at}/body${pointer}`, detail }));
  return [{ pointer: refused.refusal === 'stale' ? `${at}/if_match` : `${at}/path`, detail: refusalOf(refused, step).detail }];
};
