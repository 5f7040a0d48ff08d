import { writeSync } from 'node:fs';
import { Writable } from 'node:stream';
import { createLogger, format, transports } from 'winston';
import type { Settings } from '../config/settings.ts';
import { isSecretName, redact } from './redact.ts';

export type LogFields = Readonly<Record<string, unknown>>;

export interface LogOptions {
  readonly level: Settings['logLevel'];
  /** undefined: standard output. */
  readonly stream?: Writable | undefined;
  /** Fields of every line that is written while a request is traced. */
  readonly contextOf?: (() => LogFields | undefined) | undefined;
  /** Called once for each line that could not be written. Must not log. */
  readonly onDropped?: (() => void) | undefined;
}

const STDOUT = 1;

/**
 * JSON lines `{timestamp, level, message, …fields}`, one synchronous write each. A line that cannot
 * be written is dropped and reported to `onDropped`; a full disk or a closed pipe never reaches the
 * caller.
 *
 * error: act now; warn: look this week; info: operator actions and the lifecycle of a replica;
 * debug: for development.
 */
export const createLog = ({ level, stream, contextOf, onDropped = () => {} }: LogOptions) => {
  const logger = createLogger({
    level,
    format: format.combine(withoutSecrets(), format.timestamp(), format.json()),
    transports: [new transports.Stream({ stream: stream === undefined ? stdout(onDropped) : guarded(stream, onDropped), eol: '\n' })],
  });
  const at = (lineLevel: Settings['logLevel']) => (message: string, fields?: LogFields) => {
    logger.log({ ...contextOf?.(), ...fields, level: lineLevel, message });
  };
  return { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') };
};

export type Log = ReturnType<typeof createLog>;

/** Changes the line in place, because winston keeps its level under a symbol property. */
const withoutSecrets = format((line) => {
  for (const name of Object.keys(line)) {
    if (isSecretName(name)) delete line[name];
    else line[name] = redact(line[name]);
  }
  return line;
});

/**
 * Writes to the descriptor of standard output instead of `process.stdout`: the first error destroys
 * that stream, so a disk that is full for a second would end the log, and an unhandled error event
 * would end the process.
 */
const stdout = (onDropped: () => void): Writable =>
  new Writable({
    decodeStrings: true,
    write(line: Buffer, _encoding, done) {
      try {
        for (let at = 0; at < line.length;) at += writeSync(STDOUT, line, at);
      } catch {
        onDropped(); // EPIPE, ENOSPC, EAGAIN, EBADF: there is no output left to report it to
      }
      done();
    },
  });

const guarded = (stream: Writable, onDropped: () => void): Writable => {
  stream.on('error', onDropped);
  return stream;
};
