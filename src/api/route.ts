import type { Request } from 'express';
import type { Writable } from 'node:stream';
import type { Caller, Need } from '../access/caller.ts';
import type { Fault } from '../base/fault.ts';
import type { Schema, Shape } from '../base/schema.ts';
import type { EntityTable } from '../catalog/entities/entities.ts';
import { problem, type Problem, type ProblemCode } from '../http/problems/problem.ts';
import type { Parameters, ValuesOf } from './parameters.ts';

/**
 * A route is defined once. The Express route with its checks and its 405, the OpenAPI document, the
 * types of its handler and of the page's client, and the tests that walk all routes derive from it.
 */
export type RouteDefinition = RouteOutline & (StaffRoute | OtherRoute);

/** Behind the gate of staff: who may call it is said by a permission and by publishers (serve-routes.ts). */
interface StaffRoute {
  readonly access?: 'staff';
  readonly needs: Need;
  /**
   * What a caller gets whose scope is limited. `own`: what is in it; a record in the path is checked, and
   * the handler narrows what it reads by `call.caller`. `publishers`: the same, and nothing for callers
   * for some advertisers: it is about what a publisher has of all of them. `any`: it is about no
   * publisher. By default nothing: the answer is about the whole installation.
   */
  readonly reach?: 'own' | 'publishers' | 'any';
}

interface OtherRoute {
  readonly access: Exclude<Access, 'staff'>;
  readonly needs?: undefined;
  readonly reach?: undefined;
}

/** In the order of the Allow header. */
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

interface RouteOutline {
  readonly method: (typeof METHODS)[number];
  /** With parameters in braces: `/api/line_items/{id}/delivery`. */
  readonly path: string;
  /** The group of the API page. */
  readonly tag: Tag;
  readonly summary: string;
  /** By default `light`. */
  readonly cost?: CostClass;
  readonly parameters?: Parameters;
  /** Whether a parameter that is not listed is refused. By default it is ignored. */
  readonly closed?: true;
  readonly body?: BodyDefinition;
  readonly answer: AnswerDefinition;
  /** A POST that changes nothing: its body is a question. */
  readonly asks?: true;
  /** Beside those that follow from its access, parameters, body and method (problem-answers.ts). */
  readonly problems?: readonly ProblemCode[];
}

export type Tag = 'ads' | 'tracking' | 'operations' | EntityTable | 'delivery' | 'people';

/** Who may call a route, with the names of the document's security schemes. `[]`: anyone. */
export const ACCESS = {
  public: [],
  publisher: [{ apiKey: [] }],
  /** A page of a publisher that lists its origins needs no key. */
  publisher_or_origin: [{ apiKey: [] }, {}],
  staff: undefined,
  report_link: [{ reportLink: [] }],
  proof_link: [{ proofLink: [] }],
} as const;
export type Access = keyof typeof ACCESS;

/**
 * What a call costs. light: a few rows; list: up to a page of them; report: a query over many rows,
 * of which a person has one at a time; export: everything of a day, one at a time on each replica.
 */
export type CostClass = 'light' | 'list' | 'report' | 'export';

/** The body of a request. */
export interface BodyDefinition<S extends Schema = Schema> {
  readonly schema: S;
  /** Instead of JSON. */
  readonly content?: object;
  readonly description?: string;
  readonly mediaType?: string;
  readonly example?: unknown;
  /** Several forms, each a component with its example. */
  readonly forms?: readonly Schema[];
  /** The problem's words when the schema refuses it; undefined: the handler checks the body. */
  readonly refusal?: string;
  readonly maxBytes?: number;
  /** Members and items of the JSON. */
  readonly maxValues?: number;
  /** The handler reads the stream, or nothing of it. */
  readonly raw?: true;
}

/** A body that its schema checks before the handler is called. `refusal`: the problem's words. */
export const jsonBody = <S extends Schema>(schema: S, refusal: string, limits: Pick<BodyDefinition, 'maxBytes' | 'maxValues'> = {}) => ({
  schema,
  refusal,
  ...limits,
});

/** A body that the handler checks, by the rules that the schema is a part of. */
export const ownBody = <S extends Schema>(schema: S, more: Omit<BodyDefinition, 'schema' | 'refusal'> = {}) => ({ schema, ...more });

/** The answer of a route that was carried out. */
export interface AnswerDefinition<S extends Schema = Schema> {
  readonly status: number;
  readonly description: string;
  /** Of JSON; undefined: it has no body, or files only. */
  readonly schema?: S;
  /** Other media types, as OpenAPI writes them. */
  readonly files?: object;
  readonly headers?: object;
  /** Other successful answers, as OpenAPI writes them. */
  readonly others?: Readonly<Record<string, object>>;
}

const answerOf =
  (status: number) =>
  <S extends Schema>(description: string, schema: S, more: Pick<AnswerDefinition, 'files' | 'headers'> = {}) => ({
    status,
    description,
    schema,
    ...more,
  });
export const ok = answerOf(200);
export const created = answerOf(201);
export const accepted = answerOf(202);
export const noContent = (description: string) => ({ status: 204, description });
/** A file in one of several media types. */
export const file = (description: string, files: object) => ({ status: 200, description, files });

/** Who may call a route: anyone. */
export const PUBLIC = { access: 'public' } as const;
/** All who have signed in: the route is about the caller alone. */
export const OF_ONESELF = { needs: 'sign_in', reach: 'any' } as const;

/**
 * Where a route is, with its literal types, by which the page's client finds it.
 * @param shared what it has like others: who may call it, what a call costs
 */
export const at = <const M extends RouteDefinition['method'], const P extends string, const T extends Tag, const S extends object = object>(
  method: M,
  path: P,
  tag: T,
  shared?: S,
  // The literal types of `shared` follow from it, not from the table.
): { readonly method: M; readonly path: P; readonly tag: T } & NoInfer<S> => Object.assign({ method, path, tag }, shared);

/** By operationId: the method name in a generated client. */
export type RouteTable = Readonly<Record<string, RouteDefinition>>;

/** A table whose entries keep their own types. */
export const defineRoutes = <const T extends RouteTable>(table: T): T => table;

/** What a handler gets: the values of the parameters, and the body where there is one. */
export type Asked<R extends RouteDefinition> = (R extends { readonly parameters: infer P extends Parameters } ? ValuesOf<P> : object) &
  (R extends { readonly body: { readonly schema: infer S extends Schema; readonly refusal: string } }
    ? { readonly body: Shape<S> }
    : R extends { readonly body: BodyDefinition }
      ? { readonly body: unknown }
      : object);

/** The JSON of an answer. */
export type AnswerOf<R extends RouteDefinition> = R['answer'] extends { readonly schema: infer S extends Schema } ? Shape<S> : undefined;

/** The call beside the values. */
export interface Call {
  readonly caller: Caller;
  /** The name of the caller, for the audit trail. */
  readonly actor: string;
  /** Path and query as they were sent. */
  readonly url: string;
  readonly search: URLSearchParams;
  readonly isHead: boolean;
  readonly request: Request;
}

/** What a handler returns. */
export type Reply<T> = Answered<T> | Refused | FileReply | Gone;

export interface Answered<T> {
  readonly kind: 'answered';
  readonly value: T;
  /** Its JSON, where it is made once for all answers. */
  readonly text?: string;
  readonly headers: Headers;
}

export interface Refused {
  readonly kind: 'refused';
  readonly problem: Problem;
  readonly headers: Headers;
}

/** A file that is written as it is made. A fault in between ends the connection. */
export interface FileReply {
  readonly kind: 'file';
  /** `begin` sends the headers; a refusal is sent in place of the file, when it has not begun. */
  readonly write: (begin: (headers: FileHeaders) => Writable) => Promise<Refused | undefined>;
}

/** The client has disconnected while the handler read its body: there is nothing to send. */
export interface Gone {
  readonly kind: 'gone';
}

/** Several values of a header are sent as several lines. */
type Headers = Readonly<Record<string, string | string[]>>;
type FileHeaders = Readonly<Record<string, string>>;

export type Handler<R extends RouteDefinition> = (asked: Asked<R>, call: Call) => Reply<AnswerOf<R>> | Promise<Reply<AnswerOf<R>>>;

/** A handler for each route of a table. */
export type Handlers<T extends RouteTable> = { readonly [Id in keyof T]: Handler<T[Id]> };

export const answer = <T>(value: T, headers: Headers = {}): Answered<T> => ({ kind: 'answered', value, headers });
/** Always the same: written as JSON once, for the first caller. */
export const lastingAnswer = <T>(value: T): Answered<T> => {
  let text: string | undefined;
  return {
    ...answer(value),
    get text() {
      return (text ??= JSON.stringify(value));
    },
  };
};
/** Without a body. */
export const done = (): Answered<undefined> => answer(undefined);
export const refuse = (code: ProblemCode, detail: string, faults?: readonly Fault[], headers: Headers = {}): Refused =>
  refuseWith(problem(code, detail, faults), headers);
export const refuseWith = (refusal: Problem, headers: Headers = {}): Refused => ({ kind: 'refused', problem: refusal, headers });
/** @param words what there is none of: `line item` */
export const noSuch = (words: string): Refused => refuse('not_found', `There is no ${words} with this id.`);
export const GONE: Gone = { kind: 'gone' };
export const fileReply = (write: FileReply['write']): FileReply => ({ kind: 'file', write });

/** The headers of an answer that a browser saves. */
export const fileHeaders = (name: string, type: string): FileHeaders => ({
  'Content-Type': type,
  'Content-Disposition': `attachment; filename="${name}"`,
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
});
