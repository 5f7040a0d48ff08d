import type { Fault } from '../../base/fault.ts';
import type { ProblemCode } from '../../http/problems/problem.ts';
import type { ToolAnswer } from '../tool.ts';

/** Codes of the Ad Context Protocol 3.0, each with what its sender can do about it. */
const CODES = {
  INVALID_REQUEST: 'correctable',
  VALIDATION_ERROR: 'correctable',
  VERSION_UNSUPPORTED: 'correctable',
  UNSUPPORTED_FEATURE: 'correctable',
  AUTH_REQUIRED: 'correctable',
  PERMISSION_DENIED: 'terminal',
  RATE_LIMITED: 'transient',
  SERVICE_UNAVAILABLE: 'transient',
  CONFLICT: 'transient',
  ACCOUNT_NOT_FOUND: 'terminal',
  ACCOUNT_AMBIGUOUS: 'correctable',
  ACCOUNT_SETUP_REQUIRED: 'correctable',
  PRODUCT_NOT_FOUND: 'correctable',
  PRODUCT_UNAVAILABLE: 'correctable',
  BUDGET_TOO_LOW: 'correctable',
  TERMS_REJECTED: 'correctable',
  REQUOTE_REQUIRED: 'correctable',
  MEDIA_BUY_NOT_FOUND: 'correctable',
  PACKAGE_NOT_FOUND: 'correctable',
  CREATIVE_REJECTED: 'correctable',
  REFERENCE_NOT_FOUND: 'correctable',
  INVALID_STATE: 'correctable',
  NOT_CANCELLABLE: 'correctable',
} as const;
export type AdcpCode = keyof typeof CODES;

/** Why a call of a buyer is refused. */
export interface AdcpFault {
  readonly code: AdcpCode;
  readonly message: string;
  readonly recovery: (typeof CODES)[AdcpCode];
  /** Of the arguments: `packages[0].budget`. */
  readonly field?: string;
  readonly suggestion?: string;
  readonly retry_after?: number;
}

export const adcpFault = (
  code: AdcpCode,
  message: string,
  more: Pick<AdcpFault, 'field' | 'suggestion' | 'retry_after'> = {},
): AdcpFault => ({ code, message, recovery: CODES[code], ...more });

export const isFault = (value: object | undefined): value is AdcpFault => value !== undefined && 'recovery' in value && 'code' in value;

/** A refusal, as the envelope and as the body have it. */
export const refuseBuyer = (faults: readonly [AdcpFault, ...AdcpFault[]]): ToolAnswer => ({
  isError: true,
  value: { status: 'failed', adcp_error: faults[0], errors: faults },
});

/** `/packages/0/budget` as the protocol writes it: `packages[0].budget`. */
export const fieldAt = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path === '' ? part : `${path}.${part}`), '');

const OF_PROBLEMS: Partial<Readonly<Record<ProblemCode, AdcpCode>>> = {
  admin_unauthorized: 'AUTH_REQUIRED',
  forbidden: 'PERMISSION_DENIED',
  not_found: 'UNSUPPORTED_FEATURE',
  too_many_requests: 'RATE_LIMITED',
  unavailable: 'SERVICE_UNAVAILABLE',
  internal: 'SERVICE_UNAVAILABLE',
};

/** A refusal of the service as one of the protocol. */
export const faultsOfProblem = (code: ProblemCode, detail: string, faults: readonly Fault[]): readonly [AdcpFault, ...AdcpFault[]] => {
  const as = OF_PROBLEMS[code] ?? 'INVALID_REQUEST';
  const [first, ...others] = faults.map(({ pointer, detail: words }) =>
    adcpFault(as, `${fieldAt(pointer)} ${words}`.trim(), fieldOf(pointer)),
  );
  return first ? [first, ...others] : [adcpFault(as, detail)];
};

const fieldOf = (pointer: string): { readonly field?: string } => (pointer === '' ? {} : { field: fieldAt(pointer) });
