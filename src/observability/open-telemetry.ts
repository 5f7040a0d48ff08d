import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { isPromise } from 'node:util/types';
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
  type SpanOptions,
} from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import type { TracingSettings } from '../config/settings.ts';
import { createCallerContext } from './caller-context.ts';
import { traceRedis } from './trace-redis.ts';
import type { CreateTracing, TracedCall } from './tracing.ts';

/** Of requests without a sampled caller, unless OTEL_TRACES_SAMPLER is set. */
const DEFAULT_SAMPLED_SHARE = 0.01;
const MAX_QUERY_LENGTH = 1_000;

/**
 * Tracing by OpenTelemetry. main.ts imports this file only when it is configured. The libraries read
 * the other OTEL_ variables (docs/operations.md). No state is global: the span under way is kept in
 * an AsyncLocalStorage of this instance.
 */
export const createOpenTelemetry =
  ({ protocol, samplerIsSet }: TracingSettings): CreateTracing =>
  ({ version, onFailure }) => {
    const exporter = reportFailures(protocol === 'http/json' ? new JsonExporter() : new ProtobufExporter(), onFailure);
    const provider = new BasicTracerProvider({
      resource: resourceFromAttributes({
        'service.name': 'ad-server',
        'service.version': version,
        'service.instance.id': randomUUID(),
      }).merge(detectResources({ detectors: [envDetector] })),
      spanProcessors: [new BatchSpanProcessor(exporter)],
      ...(!samplerIsSet && { sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(DEFAULT_SAMPLED_SHARE) }) }),
    });
    const tracer = provider.getTracer('ad-server', version);
    const underWay = new AsyncLocalStorage<OpenSpan>();
    const callerContext = createCallerContext();

    const open = (name: string, options: SpanOptions, context: Context, now: Clock): OpenSpan => {
      const span = tracer.startSpan(name, { ...options, startTime: now() }, context);
      const end = (failure?: string): void => {
        if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', failure);
        span.end(now());
      };
      return { span, now, end };
    };
    const openChild = (name: string, kind: SpanKind, attributes: Attributes = {}): OpenSpan | undefined => {
      const parent = underWay.getStore();
      return parent && open(name, { kind, attributes }, trace.setSpan(ROOT_CONTEXT, parent.span), parent.now);
    };
    const runIn = <T>(child: OpenSpan, work: () => T, failureOf?: TracedCall<Awaited<T>>['failureOf']): T => {
      const end = (result?: Awaited<T>): void => child.end(result === undefined ? undefined : failureOf?.(result));
      const endFailed = (fault: unknown): void => child.end(fault instanceof Error ? fault.name : 'unknown');
      let result: T;
      try {
        result = underWay.run(child, work);
      } catch (fault) {
        endFailed(fault);
        throw fault;
      }
      if (isPromise(result)) (result as Promise<Awaited<T>>).then(end, endFailed);
      else end();
      return result;
    };
    const active = () => underWay.getStore()?.span.spanContext();
    const stopTracingRedis = traceRedis((name, attributes) => openChild(name, SpanKind.CLIENT, attributes));

    return {
      request: (req, res, answer) => {
        const [path = '/'] = (req.url ?? '/').split('?', 1);
        const attributes = { 'http.request.method': req.method ?? '', 'url.path': path };
        const context = callerContext(req.headers.traceparent);
        const root = open(req.method ?? '', { kind: SpanKind.SERVER, attributes }, context, createClock());
        if (!root.span.isRecording()) return answer(undefined);
        res.once('close', () => endRequest(root, res));
        underWay.run(root, () => answer(root.span.spanContext().traceId));
      },
      stage: (name, work) => {
        const child = openChild(name, SpanKind.INTERNAL);
        return child ? runIn(child, work) : work();
      },
      call: ({ name, attributes, failureOf }, work) => {
        const child = openChild(name, SpanKind.CLIENT, attributes);
        return child ? runIn(child, work, failureOf) : work();
      },
      traceparent: () => {
        const span = active();
        return span && `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}`;
      },
      logFields: () => {
        const span = active();
        return span ? { traceId: span.traceId, spanId: span.spanId } : {};
      },
      watchKnex: (knex) => {
        const queries = new Map<string, OpenSpan>();
        const end = (uid = '', fault?: Error): void => {
          queries.get(uid)?.end(fault && ('code' in fault && typeof fault.code === 'string' ? fault.code : fault.name));
          queries.delete(uid);
        };
        knex.on('query', ({ sql, __knexQueryUid: uid }) => {
          const operation = /^\s*(\w+)/.exec(sql)?.[1]?.toUpperCase() ?? 'QUERY';
          const query = openChild(operation, SpanKind.CLIENT, {
            'db.system.name': 'postgresql',
            'db.operation.name': operation,
            'db.query.text': sql.slice(0, MAX_QUERY_LENGTH),
          });
          if (query && uid !== undefined) queries.set(uid, query);
          else query?.end();
        });
        knex.on('query-response', (_response, { __knexQueryUid }) => end(__knexQueryUid));
        knex.on('query-error', (fault, { __knexQueryUid }) => end(__knexQueryUid, fault));
      },
      close: async () => {
        stopTracingRedis();
        await provider.shutdown();
      },
    };
  };

/** Milliseconds since 1970. */
type Clock = () => number;

/**
 * All spans of a request read one clock, which does not go back. The library gives each span a clock
 * of its own that starts at a whole millisecond, so that a stage can seem to end after its request.
 */
const createClock = (): Clock => {
  const origin = Date.now() - performance.now();
  return () => origin + performance.now();
};

interface OpenSpan {
  readonly span: Span;
  readonly now: Clock;
  /** @param failure its type; error messages are not sent: they may contain what a client sent */
  end(failure?: string): void;
}

/** Named after its route, so that the names of spans are a closed set. */
const endRequest = ({ span, end }: OpenSpan, res: ServerResponse): void => {
  const { route, baseUrl = '' } = res.req as { readonly route?: { readonly path?: unknown }; readonly baseUrl?: string };
  const paths: unknown = route?.path;
  const path: unknown = Array.isArray(paths) ? paths[0] : paths;
  if (typeof path === 'string') {
    const template = `${baseUrl}${path}`;
    span.updateName(`${res.req.method} ${template}`).setAttribute('http.route', template);
  }
  span.setAttribute('http.response.status_code', res.statusCode);
  const requestId = res.getHeader('X-Request-Id');
  if (typeof requestId === 'string') span.setAttribute('ad_server.request_id', requestId);
  if (!res.writableFinished) end('aborted');
  else end(res.statusCode >= 500 ? String(res.statusCode) : undefined);
};

/** The processor drops what cannot be exported and tells a global logger. */
const reportFailures = (exporter: SpanExporter, onFailure: (fault: Error) => void): SpanExporter => ({
  export: (spans, done) =>
    exporter.export(spans, (result) => {
      if (Number(result.code) !== SUCCESS) onFailure(result.error ?? new Error('the collector refused the spans'));
      done(result);
    }),
  shutdown: () => exporter.shutdown(),
});

/** ExportResultCode.SUCCESS. */
const SUCCESS = 0;
