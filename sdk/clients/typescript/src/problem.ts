/** A fault of a body or a parameter. */
export interface FieldFault {
  /** JSON pointer: `/cpm` */
  readonly pointer: string;
  readonly detail: string;
}

interface ProblemBody {
  readonly code?: string;
  readonly title?: string;
  readonly detail?: string;
  readonly request_id?: string;
  readonly errors?: readonly FieldFault[];
}

/** What the service refused, as it says it (RFC 9457). */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  /** One of ProblemCode: `invalid_request`. */
  readonly code: string;
  readonly detail: string;
  readonly errors: readonly FieldFault[];
  /** By which the service's log names the call. */
  readonly requestId: string | undefined;

  constructor(status: number, { code = 'unknown', title, detail, request_id, errors = [] }: ProblemBody) {
    const said = detail ?? title ?? `The service answered ${status}.`;
    super([said, ...errors.map((error) => `${error.pointer} ${error.detail}`)].join('\n'));
    this.status = status;
    this.code = code;
    this.detail = said;
    this.errors = errors;
    this.requestId = request_id;
  }
}

/** The service could not be reached, or did not answer in time. A change may have been carried out all the same. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

export const isProblem = (fault: unknown, code?: string): fault is Problem =>
  fault instanceof Problem && (code === undefined || fault.code === code);
