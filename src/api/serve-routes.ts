import { Router, type Request, type RequestHandler, type Response } from 'express';
import { groupBy } from '../base/group-by.ts';
import { isObject } from '../base/narrow.ts';
import type { Schema } from '../base/schema.ts';
import { unknownFields } from '../base/fault.ts';
import { madeLater } from '../base/made-later.ts';
import { schemaCompiler } from '../base/schema-compiler.ts';
import { schemaFaults } from '../base/schema-faults.ts';
import { sendJson, sendJsonText } from '../http/answers/send-json.ts';
import { methodNotAllowed } from '../http/problems/error-handler.ts';
import { sendProblem } from '../http/problems/problem.ts';
import { readJson } from '../http/request/read-json.ts';
import { noteIn, parametersOf } from './change-note.ts';
import { callerOf, refusalOf, type RecordReach } from './call-rights.ts';
import { FORMAT_DETAILS, FORMAT_TESTS } from '../catalog/checks/formats.ts';
import { answeredMembers, checkedSchema } from './component.ts';
import { readParameters } from './parameters.ts';
import {
  METHODS,
  noSuch,
  refuse,
  refuseWith,
  type BodyDefinition,
  type Call,
  type Handler,
  type Handlers,
  type Refused,
  type Reply,
  type RouteDefinition,
  type RouteTable,
} from './route.ts';

/**
 * The Express routes of a table: each path with its methods, and 405 for all others.
 *
 * @param reach whether a caller reaches the record of a path; undefined: of routes that staff do not call
 * @param prefix where the router is mounted
 */
export const serveRoutes = <T extends RouteTable>(
  table: T,
  handlers: Handlers<T>,
  reach: RecordReach | undefined,
  prefix: `/${string}` = '/api',
): Router => {
  const router = Router();
  for (const [path, entries] of groupBy(Object.entries(table), ([, { path }]) => path)) {
    const route = router.route(path.replace(prefix, '').replaceAll(/\{(\w+)\}/g, ':$1'));
    for (const [id, definition] of entries) {
      const method = definition.method.toLowerCase() as Lowercase<RouteDefinition['method']>;
      route[method](serve(definition, handlers[id] as unknown as AnyHandler, reach));
    }
    route.all(methodNotAllowed(allowedMethods(entries.map(([, { method }]) => method))));
  }
  return router;
};

/** The Allow header of a path, in the same order whatever that of its routes is. */
export const allowedMethods = (methods: readonly RouteDefinition['method'][]): string =>
  METHODS.filter((method) => methods.includes(method))
    .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    .join(', ');

/** A handler whose types the table has checked. */
type AnyHandler = (asked: Readonly<Record<string, unknown>>, call: Call) => Reply<unknown> | Promise<Reply<unknown>>;

/** One route, behind another gate than that of staff. */
export const serveRoute = <R extends RouteDefinition>(definition: R, handle: Handler<R>): RequestHandler =>
  serve(definition, handle as AnyHandler, undefined);

/** `reach`: undefined of a route that staff do not call. */
const serve = (definition: RouteDefinition, handle: AnyHandler, reach: RecordReach | undefined): RequestHandler => {
  const readBody = definition.body && bodyReader({ ...(definition.access === 'public' && LIMITS_OF_ANYONE), ...definition.body });
  return async (req, res) => {
    const known = callerOf(res);
    const unable = reach && refusalOf(definition, known);
    if (unable) return sendReply(res, definition, unable);
    const search = new URL(req.url, 'http://localhost').searchParams;
    const asked = readValues(definition, req, search);
    if (!asked.ok) return sendReply(res, definition, asked.refused);
    const caller = { ...known, note: noteIn(asked.values) };
    const unreached = await reach?.(definition, caller, asked.values['id']);
    if (unreached) return sendReply(res, definition, unreached);
    const body = await readBody?.(req);
    if (body && !body.ok) return sendReply(res, definition, body.refused);
    const call = { caller, actor: caller.name, url: req.originalUrl, search, isHead: req.method === 'HEAD', request: req };
    await sendReply(res, definition, await handle({ ...asked.values, ...body?.values }, call));
  };
};

type Values =
  | { readonly ok: true; readonly values: Readonly<Record<string, unknown>> }
  /** undefined: the client has disconnected. */
  | { readonly ok: false; readonly refused: Refused | undefined };

const readValues = (definition: RouteDefinition, req: Request, search: URLSearchParams): Values => {
  const { closed } = definition;
  const parameters = parametersOf(definition);
  const read = readParameters(parameters, (name, place) => {
    if (place === 'query') return search.getAll(name);
    return [place === 'path' ? String(req.params[name] ?? '') : (req.get(name) ?? '')];
  });
  if (!read.ok && read.missing !== undefined) return { ok: false, refused: noSuch(read.missing) };
  const faults = [...(closed ? unknownFields(Object.fromEntries(search), Object.keys(parameters)) : []), ...(read.ok ? [] : read.faults)];
  if (read.ok && faults.length === 0) return read;
  const [first] = faults;
  const detail = first && faults.length === 1 ? `${first.pointer.slice(1)} ${first.detail}.` : 'The query has faults.';
  return { ok: false, refused: refuse('invalid_request', detail, faults) };
};

const ajv = schemaCompiler({ allErrors: true, allowUnionTypes: true, useDefaults: true, formats: FORMAT_TESTS });

/**
 * What anyone may send without a key: a sign-in, or the answer of a passkey, which has ten members and 4 KB. To read and refuse 64 KiB takes
 * 5 ms of the event loop.
 */
const MAX_SIGN_IN_BYTES = 16 * 1024;
const MAX_SIGN_IN_VALUES = 100;
const LIMITS_OF_ANYONE = { maxBytes: MAX_SIGN_IN_BYTES, maxValues: MAX_SIGN_IN_VALUES };

/** Reads and checks the body of a route. */
const bodyReader = ({ schema, refusal, raw, maxBytes, maxValues }: BodyDefinition) => {
  if (raw) return undefined;
  const check = refusal === undefined ? undefined : bodyCheck(schema, refusal);
  return async (req: Request): Promise<Values> => {
    const read = await readJson(req, maxBytes, undefined, maxValues);
    if (!read.ok) return { ok: false, refused: read.problem && refuseWith(read.problem) };
    return check ? check(read.value) : { ok: true, values: { body: read.value } };
  };
};

const bodyCheck = (schema: Schema, refusal: string): ((value: unknown) => Values) => {
  const compiled = madeLater(() => ajv.compile(checkedSchema(schema)));
  const answered = answeredMembers(schema);
  return (value) => {
    const body = isObject(value) ? Object.fromEntries(Object.entries(value).filter(([member]) => !answered.includes(member))) : value;
    const validate = compiled();
    if (validate(body)) return { ok: true, values: { body } };
    return { ok: false, refused: refuse('invalid_request', refusal, schemaFaults(validate.errors, FORMAT_DETAILS)) };
  };
};

const sendReply = async (res: Response, route: Pick<RouteDefinition, 'answer'>, reply: Reply<unknown> | undefined): Promise<void> => {
  if (!reply) return;
  const { answer } = route;
  switch (reply.kind) {
    case 'refused':
      return sendProblem(res, reply.problem, reply.headers);
    case 'answered':
      if (reply.text !== undefined) return sendJsonText(res, answer.status, reply.text, reply.headers);
      if (answer.schema) return sendJson(res, answer.status, reply.value, reply.headers);
      return void res.writeHead(answer.status, { 'Cache-Control': 'no-store', ...reply.headers }).end();
    case 'gone':
      return;
    case 'file': {
      const refused = await reply.write((headers) => res.writeHead(answer.status, headers));
      if (refused) return sendReply(res, route, refused);
    }
  }
};
