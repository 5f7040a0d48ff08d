import type { Fault } from '../base/fault.ts';
import { problem, type Problem } from '../http/problems/problem.ts';
import { answer, refuseWith, type Handlers } from '../api/route.ts';
import type { BULK_API, BulkOperation } from './bulk-api.ts';
import type { CatalogWriter, RecordWriter } from './catalog-writer.ts';
import { CREATING } from './entity-api.ts';
import { ENTITY_KINDS, readEntityId, type EntityKind, type EntityRecord } from './entity-kind.ts';
import { ACTIONS, problemOf } from './entity-routes.ts';
import { answerOfWrite, type Refused, type Written } from './written.ts';

/** Writes in one transaction, with one result each. One that is refused undoes all. */
export const bulkRoutes = (writer: CatalogWriter): Handlers<typeof BULK_API> => ({
  changeRecords: async ({ body }, { actor }) => {
    const steps = body.operations.map(readOperation);
    const written = await writer.together(async (within) => {
      const all: Written[] = [];
      for (const step of steps) all.push(step ? await step.run(within, actor) : UNKNOWN_PATH);
      return all;
    });
    const refused = written.filter(({ ok }) => !ok).length;
    if (refused === 0) return answer({ results: written.map((one, i) => resultOf(one, steps[i])) });
    const detail = `${refused} of ${written.length} operations were refused; nothing was changed.`;
    const faults = written.flatMap((one, i) => (one.ok ? [] : faultsAt(i, one, steps[i])));
    return refuseWith({
      ...problem('bulk_refused', detail, faults),
      results: written.map((one, i) => (one.ok ? NOT_DONE : resultOf(one, steps[i]))),
    });
  },
});

interface Step {
  readonly kind: EntityKind;
  readonly status: number;
  readonly run: (writer: RecordWriter, actor: string) => Promise<Written>;
}

/** An operation as the write that its path names; undefined: there is none. */
const readOperation = ({ method, path, body, if_match: ifMatch }: BulkOperation): Step | undefined => {
  const [table = '', idText, actionName, ...more] = path
    .replace(/^\/(api\/)?/, '')
    .split('/')
    .map(decoded);
  const kind = Object.values(ENTITY_KINDS).find((each) => each.table === table);
  if (!kind || more.length > 0) return undefined;
  if (idText === undefined)
    return method === 'POST' ? { kind, status: 201, run: (writer, actor) => writer.create(kind, body, actor) } : undefined;
  const id = readEntityId(kind, idText) ?? -1;
  const target = (actor: string) => ({ kind, id, actor, ifMatch });
  if (actionName !== undefined) {
    const action = kind.actions.find((each) => each === actionName);
    return action && method === 'POST'
      ? { kind, status: CREATING.includes(action) ? 201 : 200, run: (writer, actor) => ACTIONS[action](writer, target(actor)) }
      : undefined;
  }
  switch (method) {
    case 'PUT':
      return { kind, status: 200, run: (writer, actor) => writer.replace(target(actor), body) };
    case 'PATCH':
      return { kind, status: 200, run: (writer, actor) => writer.merge(target(actor), body) };
    case 'DELETE':
      return { kind, status: 204, run: (writer, actor) => writer.remove(target(actor)) };
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

const resultOf = (written: Written, step: Step | undefined): { readonly status: number; readonly body?: EntityRecord } => {
  if (!written.ok) {
    const body = refusalOf(written, step);
    return { status: body.status, body: { ...body } };
  }
  const { status = 200 } = step ?? {};
  return status === 204 ? { status } : { status, body: answerOfWrite(written) };
};

const refusalOf = (refused: Refused, step: Step | undefined): Problem =>
  step ? problemOf(step.kind, refused) : problem('not_found', 'There is no write with this method and path.');

/** The faults of an operation, with pointers into the bulk body. */
const faultsAt = (index: number, refused: Refused, step: Step | undefined): readonly Fault[] => {
  const at = `/operations/${index}`;
  if (refused.faults.length > 0) return refused.faults.map(({ pointer, detail }) => ({ pointer: `${at}/body${pointer}`, detail }));
  return [{ pointer: refused.refusal === 'stale' ? `${at}/if_match` : `${at}/path`, detail: refusalOf(refused, step).detail }];
};
