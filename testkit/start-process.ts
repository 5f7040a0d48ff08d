import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Process {
  readonly pid: number;
  /** Everything it has written. */
  output(): string;
  hasEnded(): boolean;
  /** Exit code, or the signal's name; undefined while it runs. */
  ending(): number | string | undefined;
  /** Sends a signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/** A child that the kernel ends with this process, whatever ends it. */
export const startProcess = async (command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Process> => {
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', command, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  await once(child, 'spawn');
  const ended = once(child, 'close');
  const ending = () => child.signalCode ?? child.exitCode ?? undefined;
  return {
    pid: child.pid as number,
    output: () => output,
    hasEnded: () => ending() !== undefined,
    ending,
    end: async (signal) => {
      if (ending() === undefined) child.kill(signal);
      await ended;
    },
  };
};
