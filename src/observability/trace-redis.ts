import { tracingChannel } from 'node:diagnostics_channel';
import type { Attributes } from '@opentelemetry/api';

/** What ioredis publishes of a command. Arguments are left out: keys and values name users. */
interface RedisCommand {
  readonly command: string;
  readonly serverAddress?: string;
  readonly serverPort?: number;
  readonly error?: unknown;
}

interface RedisSpan {
  end(failure?: string): void;
}

/**
 * Gives the commands of ioredis spans, by the channel that it publishes them on. Calls of functions
 * are left out: one serves many requests (redis/batch-calls.ts), and each request has a span for it.
 *
 * @param start undefined: the command belongs to no traced request
 * @returns stops
 */
export const traceRedis = (start: (name: string, attributes: Attributes) => RedisSpan | undefined): (() => void) => {
  const spans = new WeakMap<object, RedisSpan>();
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
      const { error } = message as RedisCommand;
      const failure = error instanceof Error ? error.name : 'unknown';
      spans.get(message)?.end(error === undefined ? undefined : failure);
    },
    error: (): void => undefined,
  };
  const channel = tracingChannel<unknown, object>('ioredis:command');
  channel.subscribe(handlers);
  return () => void channel.unsubscribe(handlers);
};
