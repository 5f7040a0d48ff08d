import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A span as a collector stores it. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** '': a root. */
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client' | 'other';
  readonly failed: boolean;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
  readonly startNs: bigint;
  readonly endNs: bigint;
}

export interface Collector {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly endpoint: string;
  /** In the order of their arrival. */
  spans(): readonly CollectedSpan[];
  close(): void;
}

interface WireAttribute {
  readonly key: string;
  readonly value: {
    readonly stringValue?: string;
    readonly intValue?: number | string;
    readonly boolValue?: boolean;
    readonly doubleValue?: number;
  };
}
interface WireSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly status?: { readonly code?: number };
  readonly attributes?: readonly WireAttribute[];
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
}
/** ExportTraceServiceRequest of OTLP 1, in JSON. */
interface WireExport {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly WireAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}

const KINDS: Readonly<Record<number, CollectedSpan['kind']>> = { 1: 'internal', 2: 'server', 3: 'client' };
const STATUS_ERROR = 2;

/** Starts a collector that takes spans by OTLP/HTTP in JSON. */
export const startCollector = async (): Promise<Collector> => {
  const spans: CollectedSpan[] = [];
  const server = createServer((request, response) => {
    if (request.method !== 'POST' || request.url !== '/v1/traces' || request.headers['content-type'] !== 'application/json')
      return void response.writeHead(400).end();
    json(request).then(
      (body) => {
        spans.push(...decode(body as WireExport));
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      },
      () => response.writeHead(400).end(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => spans,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

const decode = ({ resourceSpans }: WireExport): readonly CollectedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap((scope) =>
      scope.spans.map((span) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? '',
        name: span.name,
        kind: KINDS[span.kind] ?? 'other',
        failed: span.status?.code === STATUS_ERROR,
        attributes: valuesOf(span.attributes ?? []),
        resource: valuesOf(resource.attributes),
        startNs: BigInt(span.startTimeUnixNano),
        endNs: BigInt(span.endTimeUnixNano),
      })),
    ),
  );

const valuesOf = (attributes: readonly WireAttribute[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
