import { execFile, type ExecFileException } from 'node:child_process';
import path from 'node:path';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the command `ads` in a folder, with these variables alone and nothing to read from its input. */
export const runAds = (folder: string, env: NodeJS.ProcessEnv, args: readonly string[]): Promise<Ran> =>
  new Promise((resolve) => {
    const done = (fault: ExecFileException | null, out: string, err: string): void => resolve({ code: Number(fault?.code ?? 0), out, err });
    const settings = { PATH: process.env['PATH'], ...env };
    execFile(process.execPath, [path.resolve('dist/cli/ads.js'), ...args], { cwd: folder, env: settings }, done).stdin?.end();
  });
