/** W3C Trace Context, level 1: version, trace id, parent id, flags. Ids of zeros are invalid. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:-.*)?$/;

export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
}

/** The header `traceparent`; undefined: there is none, or it is not valid. */
export const readTraceParent = (header: unknown): TraceParent | undefined => {
  const [, traceId, spanId, flags] = typeof header === 'string' ? (TRACEPARENT.exec(header) ?? []) : [];
  return traceId === undefined || spanId === undefined || flags === undefined
    ? undefined
    : { traceId, spanId, flags: Number.parseInt(flags, 16) };
};
