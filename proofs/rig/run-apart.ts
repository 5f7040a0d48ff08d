import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Finding, ScaleOptions } from './proof.ts';

/** What the process needs to know. */
export interface ApartTask {
  /** Of the proof. */
  readonly name: string;
  readonly seed: number;
  readonly scale: ScaleOptions;
}

/** A line of progress, or the finding. */
export type ApartMessage = { readonly line: string } | { readonly finding: Finding };

const PROGRAM = fileURLToPath(new URL('./apart.ts', import.meta.url));
const COMPILER = new URL('../../scripts/run-typescript.mjs', import.meta.url).href;

/** Runs a proof without fleets in another process, which ends with this one. */
export const runApart = (task: ApartTask, say: (line: string) => void): Promise<Finding> =>
  new Promise((resolve) => {
    const child = fork(PROGRAM, { execArgv: ['--import', COMPILER] });
    const fail = (observed: string): void => resolve({ observed, ok: false });
    child.on('message', (message: ApartMessage) => ('line' in message ? say(message.line) : resolve(message.finding)));
    child.once('error', ({ message }) => fail(message));
    child.once('exit', (code, signal) => fail(`its process ended with ${signal ?? code} before there was a finding`));
    child.send(task);
  });
