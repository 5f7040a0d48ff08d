import type { Caller } from '../access/caller.ts';
import type { RouteDefinition } from '../api/route.ts';
import { REMEDIES } from '../api/remedies.ts';
import { problem, type Problem, type ProblemCode } from '../http/problems/problem.ts';
import type { Fault } from '../base/fault.ts';
import type { ApiAnswer, CallApi } from './call-api.ts';

export type Arguments = Readonly<Record<string, unknown>>;

/** Who calls a tool, and with what it calls the API. */
export interface ToolCall {
  /** Calls the API as the caller. */
  readonly api: CallApi;
  /** Of the caller: `token 7`. */
  readonly caller: string;
  readonly who: Caller;
}

/** What a tool of the Model Context Protocol is, and what it does. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  /** For the model that chooses. */
  readonly description: string;
  /** The route that it calls, or who may call it: a caller who may not does not see the tool. */
  readonly route: Pick<RouteDefinition, 'needs' | 'reach'>;
  readonly hints: ToolHints;
  /** JSON Schema of its arguments. */
  readonly input: object;
  readonly run: (given: Arguments, call: ToolCall) => Promise<ToolAnswer>;
}

/** Annotations, as the protocol has them. */
export interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
}

export const READS: ToolHints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };
export const CHANGES: ToolHints = { readOnlyHint: false, destructiveHint: true, idempotentHint: true };

export interface ToolAnswer {
  readonly isError: boolean;
  readonly value: Readonly<Record<string, unknown>>;
}

export const tell = (value: Readonly<Record<string, unknown>>): ToolAnswer => ({ isError: false, value });

/** A refusal of a tool itself. */
export const refuseTool = (code: ProblemCode, detail: string, errors: readonly Fault[] = []): ToolAnswer => {
  const { title, status } = problem(code, detail);
  return { isError: true, value: { problem: { code, title, status, detail, remedy: REMEDIES[code], errors } } };
};

/** The answer of the API as that of a tool: a problem as an error with its remedy. */
export const tellAnswer = (answer: ApiAnswer, value: (body: unknown) => Readonly<Record<string, unknown>>): ToolAnswer =>
  answer.status < 400 ? tell(value(answer.body)) : tellProblem(answer);

export const tellProblem = ({ status, headers, body }: ApiAnswer): ToolAnswer => {
  const { code = 'internal', title, detail, errors = [], results } = (body ?? {}) as Partial<Problem>;
  const wait = headers.get('retry-after');
  return {
    isError: true,
    value: {
      problem: {
        ...{ code, title, status, detail, remedy: REMEDIES[code], errors },
        ...(results !== undefined && { results }),
        ...(wait !== undefined && { retry_after_seconds: Number(wait) }),
      },
    },
  };
};

export const codeOf = ({ body }: ApiAnswer): ProblemCode | undefined => (body as Partial<Problem> | undefined)?.code;
