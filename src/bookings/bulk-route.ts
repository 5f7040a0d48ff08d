import type { RequestHandler } from 'express';
import type { Fault } from '../base/fault.ts';
import { schemaCompiler } from '../base/schema-compiler.ts';
import { schemaFaults } from '../base/schema-faults.ts';
import { problem, sendProblem, type Problem } from '../http/problems/problem.ts';
import { readJson } from '../http/request/read-json.ts';
import { sendJson } from '../http/answers/send-json.ts';
import { actorOf } from '../api/admin-gate.ts';
import type { CatalogWriter, RecordWriter } from './catalog-writer.ts';
import { ENTITY_KINDS, readEntityId, type EntityKind } from './entity-kind.ts';
import { ACTIONS, problemOf } from './entity-routes.ts';
import type { Refused, Written } from './written.ts';

/** Together they hold the lock of the catalog for about four seconds. */
export const MAX_OPERATIONS = 1_000;
/** JSON.parse of 2 MB with 50,000 members held the event loop for 39 ms. */
const MAX_BULK_BYTES = 1024 * 1024;
/** A thousand changes of 20 fields each. */
const MAX_BULK_VALUES = 25_000;

export const BULK_SCHEMA = {
  type: 'object',
  required: ['operations'],
  additionalProperties: false,
  properties: {
    operations: {
      type: 'array',
      minItems: 1,
      maxItems: MAX_OPERATIONS,
      items: {
        type: 'object',
        required: ['method', 'path'],
        additionalProperties: false,
        properties: {
          method: { type: 'string', enum: ['POST', 'PUT', 'PATCH', 'DELETE'] },
          path: { type: 'string', maxLength: 512, description: 'of a write of this API: /line_items/5, /creatives/9/block' },
          body: { type: 'object', description: 'the body of that write' },
          if_match: { type: 'string', maxLength: 256, description: 'as the header If-Match' },
        },
      },
    },
  },
} as const;

interface Operation {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly if_match?: string;
}

const validate = schemaCompiler().compile<{ readonly operations: readonly Operation[] }>(BULK_SCHEMA);

/** POST /api/bulk: writes in one transaction, with one result each. One that is refused undoes all. */
export const bulkRoute =
  (writer: CatalogWriter): RequestHandler =>
  async (req, res) => {
    const body = await readJson(req, MAX_BULK_BYTES, undefined, MAX_BULK_VALUES);
    if (!body.ok) return body.problem && sendProblem(res, body.problem);
    if (!validate(body.value))
      return sendProblem(res, problem('invalid_request', 'The operations are invalid.', schemaFaults(validate.errors)));
    const steps = body.value.operations.map(readOperation);
    const written = await writer.together(async (within) => {
      const all: Written[] = [];
      for (const step of steps) all.push(step ? await step.run(within, actorOf(res)) : UNKNOWN_PATH);
      return all;
    });
    const refused = written.filter(({ ok }) => !ok).length;
    if (refused === 0) return sendJson(res, 200, { results: written.map((one, i) => resultOf(one, steps[i])) });
    const detail = `${refused} of ${written.length} operations were refused; nothing was changed.`;
    const faults = written.flatMap((one, i) => (one.ok ? [] : faultsAt(i, one, steps[i])));
    sendProblem(res, {
      ...problem('bulk_refused', detail, faults),
      results: written.map((one, i) => (one.ok ? NOT_DONE : resultOf(one, steps[i]))),
    });
  };

interface Step {
  readonly kind: EntityKind;
  readonly status: number;
  readonly run: (writer: RecordWriter, actor: string) => Promise<Written>;
}

/** An operation as the write that its path names; undefined: there is none. */
const readOperation = ({ method, path, body, if_match: ifMatch }: Operation): Step | undefined => {
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
      ? { kind, status: ACTIONS[action].status, run: (writer, actor) => ACTIONS[action].run(writer, target(actor)) }
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

const resultOf = (written: Written, step: Step | undefined): object => {
  if (!written.ok) {
    const body = refusalOf(written, step);
    return { status: body.status, body };
  }
  return step?.status === 204 ? { status: 204 } : { status: step?.status, body: written.record };
};

const refusalOf = (refused: Refused, step: Step | undefined): Problem =>
  step ? problemOf(step.kind, refused) : problem('not_found', 'There is no write with this method and path.');

/** The faults of an operation, with pointers into the bulk body. */
const faultsAt = (index: number, refused: Refused, step: Step | undefined): readonly Fault[] => {
  const at = `/operations/${index}`;
  if (refused.faults.length > 0) return refused.faults.map(({ pointer, detail }) => ({ pointer: `${at}/body${pointer}`, detail }));
  return [{ pointer: refused.refusal === 'stale' ? `${at}/if_match` : `${at}/path`, detail: refusalOf(refused, step).detail }];
};
