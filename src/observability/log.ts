import { writeSync } from 'node:fs';
import { Writable } from 'node:stream';
import { createLogger, format, transports } from 'winston';
import type { Settings } from '../config/settings.ts';
import { isSecretName, redact } from './redact.ts';

export type LogFields = Readonly<Record<string, unknown>>;

/** error: someone must act now; warn: someone should look this week; info: what an operator did or a replica went through; debug: for development. */
export interface Log {
  readonly error: (message: string, fields?: LogFields) => void;
  readonly warn: (message: string, fields?: LogFields) => void;
  readonly info: (message: string, fields?: LogFields) => void;
  readonly debug: (message: string, fields?: LogFields) => void;
}

export interface LogOptions {
  readonly level: Settings['logLevel'];
  /** undefined: standard output. */
  readonly stream?: Writable | undefined;
  /** Called once for each line that could not be written. Must not log. */
  readonly onDropped?: (() => void) | undefined;
}

const STDOUT = 1;

/**
 * JSON lines `{timestamp, level, message, …fields}`, one write each, done when the call returns. What could not be written is dropped and
 * reported to `onDropped`; a full disk or a reader that went away never reaches the caller.
 */
export const createLog = ({ level, stream, onDropped = () => {} }: LogOptions): Log => {
  const logger = createLogger({
    level,
    format: format.combine(withoutSecrets(), format.timestamp(), format.json()),
    transports: [new transports.Stream({ stream: stream === undefined ? stdout(onDropped) : guarded(stream, onDropped), eol: '\n' })],
  });
  const at = (lineLevel: Settings['logLevel']) => (message: string, fields?: LogFields) => {
    logger.log({ ...fields, level: lineLevel, message });
  };
  return { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') };
};

/** Works on the line itself, because winston keeps its level under a symbol of it. */
const withoutSecrets = format((line) => {
  for (const name of Object.keys(line)) {
    if (isSecretName(name)) delete line[name];
    else line[name] = redact(line[name]);
  }
  return line;
});

/**
 * Standard output by its descriptor and not by `process.stdout`: that stream is destroyed by its first error, so a disk that was full for a second
 * would end the log of the process, and an error nobody listens for would end the process.
 */
const stdout = (onDropped: () => void): Writable =>
  new Writable({
    decodeStrings: true,
    write(line: Buffer, _encoding, done) {
      try {
        for (let at = 0; at < line.length;) at += writeSync(STDOUT, line, at);
      } catch {
        onDropped(); // EPIPE, ENOSPC, EAGAIN, EBADF: nowhere is left to say which
      }
      done();
    },
  });

const guarded = (stream: Writable, onDropped: () => void): Writable => {
  stream.on('error', onDropped);
  return stream;
};
