import { tracingChannel } from 'node:diagnostics_channel';
import type { Attributes, Span } from '@opentelemetry/api';

/** What ioredis publishes of a command. Arguments are left out: keys and values name users. */
interface RedisCommand {
  readonly command: string;
  readonly serverAddress?: string;
  readonly serverPort?: number;
  readonly error?: unknown;
}

/**
 * Gives the commands of ioredis spans, by the channel that it publishes them on. Calls of functions
 * are left out: one serves many requests (redis/batch-calls.ts), and each request has a span for it.
 *
 * @param start undefined: the command belongs to no traced request
 * @returns stops
 */
export const traceRedis = (
  start: (name: string, attributes: Attributes) => Span | undefined,
  fail: (span: Span, type: string) => void,
): (() => void) => {
  const spans = new WeakMap<object, Span>();
  const handlers = {
    start: (message: object): void => {
      const { command, serverAddress, serverPort } = message as RedisCommand;
      const name = command.toUpperCase();
      if (name === 'FCALL') return;
      const span = start(name, {
        'db.system.name': 'redis',
        'db.operation.name': name,
        ...(serverAddress !== undefined && { 'server.address': serverAddress }),
        ...(serverPort !== undefined && { 'server.port': serverPort }),
      });
      if (span) spans.set(message, span);
    },
    end: (): void => undefined,
    asyncStart: (): void => undefined,
    asyncEnd: (message: object): void => {
      const span = spans.get(message);
      const { error } = message as RedisCommand;
      if (span && error !== undefined) fail(span, error instanceof Error ? error.name : 'unknown');
      span?.end();
    },
    error: (): void => undefined,
  };
  const channel = tracingChannel<unknown, object>('ioredis:command');
  channel.subscribe(handlers);
  return () => void channel.unsubscribe(handlers);
};
