import { Router, type Request, type RequestHandler, type Response } from 'express';
import { callerKey, outsideCaller, type Caller } from '../access/caller.ts';
import { callerOf, letIn, refusalOf } from '../api/call-rights.ts';
import type { Fault } from '../base/fault.ts';
import { isObject } from '../base/narrow.ts';
import { schemaCompiler } from '../base/schema-compiler.ts';
import { schemaFaults } from '../base/schema-faults.ts';
import { FORMAT_DETAILS, FORMAT_TESTS } from '../catalog/checks/formats.ts';
import { methodNotAllowed } from '../http/problems/error-handler.ts';
import { problem, sendProblem, type ProblemCode } from '../http/problems/problem.ts';
import { readJson } from '../http/request/read-json.ts';
import type { CallApi } from './call-api.ts';
import { refuseTool, type Arguments, type Tool, type ToolAnswer, type ToolCall } from './tool.ts';

export interface McpDoorOptions {
  readonly name: string;
  readonly version: string;
  /** For the model: what the tools are for. */
  readonly instructions: string;
  readonly tools: readonly Tool[];
  /** Lets callers in. */
  readonly gate: RequestHandler;
  readonly callApi: (outer: Request) => CallApi;
  /** Counts a call of a caller, and resolves to the calls of this minute. */
  readonly countCall: (caller: string) => Promise<number>;
  readonly maxCallsPerMinute: number;
  /** Tools that answer callers without a token, too. */
  readonly openTools?: ReadonlySet<string>;
  readonly answers?: DoorAnswers;
}

/** The form of answers. */
export interface DoorAnswers {
  /** A call that no tool gets. */
  refuse(code: ProblemCode, detail: string, faults: readonly Fault[]): ToolAnswer;
  /** What every answer has besides. */
  complete(answer: ToolAnswer, given: Arguments): ToolAnswer;
}

const AS_PROBLEMS: DoorAnswers = { refuse: refuseTool, complete: (answer) => answer };

/** A booking with its creatives, as the API takes it. */
const MAX_BODY_BYTES = 2 * 1024 * 1024;
const MAX_BODY_VALUES = 25_000;
/** Of a caller without a token. */
const MAX_STRANGERS_BYTES = 16 * 1024;

/** The packages of the protocol, loaded with the first call: a replica without one starts without them. */
const loadProtocol = async () => {
  const [{ Server }, { StreamableHTTPServerTransport }, { CallToolRequestSchema, ListToolsRequestSchema }] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/index.js'),
    import('@modelcontextprotocol/sdk/server/streamableHttp.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ]);
  return { Server, StreamableHTTPServerTransport, CallToolRequestSchema, ListToolsRequestSchema };
};

/**
 * Tools behind the Model Context Protocol (streamable HTTP, revision 2025-06-18). It keeps no sessions: each call is answered
 * with JSON by whichever replica gets it.
 */
export const createMcpDoor = (options: McpDoorOptions): RequestHandler => {
  const { gate, tools, callApi, countCall, maxCallsPerMinute, openTools = new Set(), answers = AS_PROBLEMS } = options;
  const checks = new Map(tools.map((tool) => [tool.name, { tool, check: checkOf(tool.input) }]));
  let protocol: ReturnType<typeof loadProtocol> | undefined;

  const run = async (name: string, given: Arguments, caller: Caller, call: ToolCall): Promise<ToolAnswer> => {
    const { tool, check } = checks.get(name) ?? {};
    const unable = tool && refusalOf(tool.route, caller);
    if (!tool || !check)
      return answers.refuse('not_found', `There is no tool ${JSON.stringify(name.slice(0, 64))}: tools/list names them.`, []);
    if (unable) return answers.refuse(unable.problem.code, unable.problem.detail, []);
    const args = structuredClone(given);
    const faults = check(args);
    return faults.length > 0 ? answers.refuse('invalid_request', 'The arguments have faults.', faults) : tool.run(args, call);
  };

  const handle: RequestHandler = async (req, res) => {
    const isStranger = openTools.size > 0 && req.get('authorization') === undefined;
    if (!isStranger && !(await passes(gate, req, res))) return;
    const read = await readJson(req, isStranger ? MAX_STRANGERS_BYTES : MAX_BODY_BYTES, undefined, MAX_BODY_VALUES);
    if (!read.ok) return read.problem && sendProblem(res, read.problem);
    if (isStranger && !isOpen(read.value, openTools)) {
      if (!(await passes(gate, req, res))) return;
    } else if (isStranger) letIn(res, outsideCaller('without a token'));
    const caller = callerOf(res);
    const key = callerKey(caller);
    if ((await countCall(key)) > maxCallsPerMinute) {
      const words = `More than ${maxCallsPerMinute} calls came with this token within a minute. Nothing of this call was carried out.`;
      return sendProblem(res, problem('too_many_requests', words), { 'Retry-After': '60' });
    }
    protocol ??= loadProtocol();
    const { Server, StreamableHTTPServerTransport, CallToolRequestSchema, ListToolsRequestSchema } = await protocol;
    const server = new Server(
      { name: options.name, version: options.version },
      { capabilities: { tools: {} }, instructions: options.instructions },
    );
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: tools.filter(({ route }) => refusalOf(route, caller) === undefined).map(shown),
    }));
    const call = { api: callApi(req), caller: key, who: caller };
    server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: given = {} } }) => {
      const { isError, value } = answers.complete(await run(name, given, caller, call), given);
      return { isError, content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };
    });
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    res.once('close', () => void server.close());
    await server.connect(transport);
    acceptStreams(req);
    await transport.handleRequest(req, res, read.value);
  };

  const router = Router();
  router.post('/', handle);
  router.all('/', methodNotAllowed('POST'));
  return router;
};

/** Whether a gate lets a request in; it answers those that it does not. */
const passes = (gate: RequestHandler, req: Request, res: Response): Promise<boolean> =>
  new Promise((resolve, reject) => {
    res.once('close', () => resolve(false));
    Promise.resolve(gate(req, res, (fault?: unknown) => (fault === undefined ? resolve(true) : reject(fault as Error)))).catch(reject);
  });

/** Answers are JSON alone, and a client that takes it is answered: the transport asks each for streams, too. */
const acceptStreams = (req: Request): void => {
  const { accept = '*/*' } = req.headers;
  if (!/application\/(json|\*)|\*\/\*/.test(accept)) return;
  const at = req.rawHeaders.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === 'accept');
  if (at >= 0) req.rawHeaders.splice(at, 2);
  const both = 'application/json, text/event-stream';
  req.rawHeaders.push('Accept', both);
  req.headers.accept = both;
};

/** Whether a message calls no tool, or one that answers callers without a token. */
const isOpen = (message: unknown, openTools: ReadonlySet<string>): boolean => {
  const { method, params } = isObject(message) ? message : {};
  if (typeof method !== 'string') return false;
  return method !== 'tools/call' || (isObject(params) && openTools.has(String(params['name'])));
};

const shown = ({ name, title, description, input, hints }: Tool) => ({
  ...{ name, title, description, annotations: { title, ...hints, openWorldHint: false } },
  inputSchema: input as { type: 'object' },
});

const ajv = schemaCompiler({ allErrors: true, allowUnionTypes: true, useDefaults: true, formats: FORMAT_TESTS });

/** Compiled with its first use. */
const checkOf = (schema: object) => {
  let validate: ReturnType<typeof ajv.compile> | undefined;
  return (value: unknown) => {
    validate ??= ajv.compile(schema);
    return validate(value) ? [] : schemaFaults(validate.errors, FORMAT_DETAILS);
  };
};
