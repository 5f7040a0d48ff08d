import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { isPromise } from 'node:util/types';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Attributes, type Context, type Span } from '@opentelemetry/api';
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
    const underWay = new AsyncLocalStorage<Context>();
    const callerContext = createCallerContext();

    const startChild = (name: string, kind: SpanKind, attributes: Attributes = {}): Span | undefined => {
      const parent = underWay.getStore();
      return parent && tracer.startSpan(name, { kind, attributes }, parent);
    };
    const runIn = <T>(span: Span, work: () => T, failureOf?: TracedCall<Awaited<T>>['failureOf']): T => {
      const end = (result?: Awaited<T>): void => {
        const failure = result === undefined ? undefined : failureOf?.(result);
        if (failure !== undefined) fail(span, failure);
        span.end();
      };
      const endFailed = (fault: unknown): void => {
        fail(span, fault instanceof Error ? fault.name : 'unknown');
        span.end();
      };
      let result: T;
      try {
        result = underWay.run(trace.setSpan(ROOT_CONTEXT, span), work);
      } catch (fault) {
        endFailed(fault);
        throw fault;
      }
      if (isPromise(result)) (result as Promise<Awaited<T>>).then(end, endFailed);
      else end();
      return result;
    };
    const active = () => {
      const context = underWay.getStore();
      return context && trace.getSpanContext(context);
    };
    const stopTracingRedis = traceRedis((name, attributes) => startChild(name, SpanKind.CLIENT, attributes), fail);

    return {
      request: (req, res, answer) => {
        const [path = '/'] = (req.url ?? '/').split('?', 1);
        const attributes = { 'http.request.method': req.method ?? '', 'url.path': path };
        const span = tracer.startSpan(req.method ?? '', { kind: SpanKind.SERVER, attributes }, callerContext(req.headers.traceparent));
        if (!span.isRecording()) return answer(undefined);
        res.once('close', () => endRequest(span, res));
        underWay.run(trace.setSpan(ROOT_CONTEXT, span), () => answer(span.spanContext().traceId));
      },
      stage: (name, work) => {
        const span = startChild(name, SpanKind.INTERNAL);
        return span ? runIn(span, work) : work();
      },
      call: ({ name, attributes, failureOf }, work) => {
        const span = startChild(name, SpanKind.CLIENT, attributes);
        return span ? runIn(span, work, failureOf) : work();
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
        const open = new Map<string, Span>();
        const end = (uid = '', fault?: Error): void => {
          const span = open.get(uid);
          open.delete(uid);
          if (span && fault) fail(span, 'code' in fault && typeof fault.code === 'string' ? fault.code : fault.name);
          span?.end();
        };
        knex.on('query', ({ sql, __knexQueryUid: uid }) => {
          const operation = /^\s*(\w+)/.exec(sql)?.[1]?.toUpperCase() ?? 'QUERY';
          const span = startChild(operation, SpanKind.CLIENT, {
            'db.system.name': 'postgresql',
            'db.operation.name': operation,
            'db.query.text': sql.slice(0, MAX_QUERY_LENGTH),
          });
          if (span && uid !== undefined) open.set(uid, span);
          else span?.end();
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

/** Error messages are not sent: they may contain what a client sent. */
const fail = (span: Span, type: string): void => {
  span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', type);
};

/** Named after its route, so that the names of spans are a closed set. */
const endRequest = (span: Span, res: ServerResponse): void => {
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
  if (!res.writableFinished) fail(span, 'aborted');
  else if (res.statusCode >= 500) fail(span, String(res.statusCode));
  span.end();
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
