import type { Caller } from '../access/caller.ts';
import { refusalOf as unableTo, type RecordReach } from '../api/call-rights.ts';
import type { Fault } from '../base/fault.ts';
import { decodedUri } from '../base/parse-url.ts';
import { problem, type Problem } from '../http/problems/problem.ts';
import type { BulkOperation } from './bulk-api.ts';
import type { RecordWriter } from './catalog-writer.ts';
import { CREATING, entityRoute, type EntityVerb } from './entity-api.ts';
import { ENTITY_KINDS, readEntityId, type EntityKind } from './entity-kind.ts';
import { problemOf } from './entity-routes.ts';
import type { Refused, Written } from './written.ts';

/** One operation of a bulk change, as the write that its path names. */
export interface Step {
  readonly kind: EntityKind;
  readonly verb: EntityVerb;
  /** undefined: of a record that does not exist yet. */
  readonly id: string | number | undefined;
  readonly status: number;
  readonly run: (writer: RecordWriter, caller: Caller) => Promise<Written>;
}

/**
 * The writes of operations, of which undefined names none, one after the other. Whether the caller may make them is asked
 * before they take the lock of the catalog.
 */
export const runnerOf = async (
  steps: readonly (Step | undefined)[],
  caller: Caller,
  reach: RecordReach,
): Promise<(writer: RecordWriter) => Promise<readonly Written[]>> => {
  const barred: (Refused | undefined)[] = [];
  for (const step of steps) barred.push(step && (await barrier(step, caller, reach)));
  return async (writer) => {
    const all: Written[] = [];
    for (const [i, step] of steps.entries()) all.push(step ? (barred[i] ?? (await step.run(writer, caller))) : UNKNOWN_PATH);
    return all;
  };
};

/** Why the caller may not make a write, by the rules of its own route; undefined: it may. */
export const barrier = async (
  { kind, verb, id }: Pick<Step, 'kind' | 'verb' | 'id'>,
  caller: Caller,
  reach: RecordReach,
): Promise<Refused | undefined> => {
  const route = entityRoute(kind, verb);
  const { problem: why } = unableTo(route, caller) ?? (await reach(route, caller, id)) ?? {};
  if (!why) return undefined;
  return why.code === 'not_found' ? UNKNOWN_PATH : { ok: false, refusal: 'forbidden', faults: [{ pointer: '', detail: why.detail }] };
};

/** An operation as the write that its path names; undefined: there is none. */
export const readOperation = ({ method, path, body, if_match: ifMatch }: BulkOperation): Step | undefined => {
  const [table = '', idText, actionName, ...more] = path
    .replace(/^\/(api\/)?/, '')
    .split('/')
    .map((part) => decodedUri(part) ?? part);
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
          run: (writer, caller) => writer[action](target(caller)),
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

const UNKNOWN_PATH: Refused = { ok: false, refusal: 'not_found', faults: [] };

export const refusalOf = (refused: Refused, step: Step | undefined): Problem =>
  step ? problemOf(step.kind, refused) : problem('not_found', 'There is no write with this method and path.');

/** The faults of an operation, with pointers into the bulk body. */
export const faultsAt = (index: number, refused: Refused, step: Step | undefined): readonly Fault[] => {
  const at = `/operations/${index}`;
  if (refused.refusal !== 'forbidden' && refused.faults.length > 0)
    return refused.faults.map(({ pointer, detail }) => ({ pointer: `${at}/body${pointer}`, detail }));
  return [{ pointer: refused.refusal === 'stale' ? `${at}/if_match` : `${at}/path`, detail: refusalOf(refused, step).detail }];
};
