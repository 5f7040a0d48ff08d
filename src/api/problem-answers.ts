import * as s from '../base/schema.ts';
import { PROBLEMS, type ProblemCode } from '../http/problems/problem.ts';
import { component } from './component.ts';
import { REMEDIES } from './remedies.ts';
import type { RouteDefinition } from './route.ts';

/** A trace id, which a request with a traceparent gets. */
export const EXAMPLE_REQUEST_ID = '4bf92f3577b34da6a3ce929d0e0e4736';

const PROBLEM = component(
  'Problem',
  s.record(
    {
      type: s.text,
      title: s.text,
      status: s.integer,
      detail: s.text,
      instance: s.text,
      code: s.oneOf(Object.keys(PROBLEMS)),
      request_id: { ...s.text, description: 'Also in the header X-Request-Id, and in the log of the service' },
      errors: s.optional({
        ...s.listOf(s.record({ pointer: s.text, detail: s.text })),
        description: 'Every fault, with its JSON pointer into the body',
      }),
      results: s.optional({ ...s.listOf(s.anyObject()), description: 'Of a bulk change: one for each operation' }),
    },
    { description: 'RFC 9457' },
  ),
  {
    type: '/problems/invalid_request',
    title: 'Invalid request',
    status: 400,
    detail: REMEDIES.invalid_request,
    instance: '/ad',
    code: 'invalid_request',
    request_id: EXAMPLE_REQUEST_ID,
    errors: [{ pointer: '/imp/0/tagid', detail: 'is required' }],
  },
);

/** Of every route behind the gate. */
const STAFF_PROBLEMS = ['admin_unauthorized', 'forbidden', 'too_many_requests', 'unavailable'] as const;
const BODY_PROBLEMS = ['invalid_json', 'invalid_request', 'body_too_large', 'unsupported_media'] as const;

/** The problems of a route: its own, and those that follow from its body and, behind the gate, from its parameters and method. */
export const problemsOf = ({
  access = 'staff',
  method,
  parameters = {},
  body,
  asks,
  problems = [],
}: RouteDefinition): readonly ProblemCode[] => {
  const isStaff = access === 'staff';
  const places = new Set(Object.values(parameters).map((parameter) => parameter.in));
  const derived: readonly (readonly [boolean, readonly ProblemCode[]])[] = [
    [body !== undefined && !body.raw, BODY_PROBLEMS],
    [isStaff && places.has('query'), ['invalid_request']],
    [isStaff && places.has('path'), ['not_found']],
    [true, problems],
    [isStaff && method !== 'GET' && !asks, ['conflict']],
    [isStaff && method === 'POST' && !asks, ['idempotency_key_reused']],
    [isStaff, STAFF_PROBLEMS],
  ];
  return [...new Set(derived.flatMap(([applies, codes]) => (applies ? codes : [])))];
};

/** The problem responses of an operation, by status. */
export const problemAnswers = (codes: readonly ProblemCode[]): Readonly<Record<string, object>> => {
  const answers: Record<string, object> = {};
  for (const status of new Set(codes.map((code) => PROBLEMS[code].status))) {
    const sameStatus = codes.filter((code) => PROBLEMS[code].status === status);
    answers[status] = {
      description: sameStatus.map((code) => `\`${code}\`: ${PROBLEMS[code].title}. ${REMEDIES[code]}`).join('\n\n'),
      content: {
        'application/problem+json': {
          schema: PROBLEM,
          examples: Object.fromEntries(sameStatus.map((code) => [code, { value: problemExample(code) }])),
        },
      },
    };
  }
  return answers;
};

const problemExample = (code: ProblemCode): object => {
  const { title, status } = PROBLEMS[code];
  return { type: `/problems/${code}`, title, status, detail: REMEDIES[code], instance: '/the/path', code, request_id: EXAMPLE_REQUEST_ID };
};
