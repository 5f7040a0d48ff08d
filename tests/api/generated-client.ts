import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { atEnd } from '../setup/at-end.ts';
import type { Json } from './api-client.ts';

const ROOT = path.resolve(__dirname, '../..');
/** A program that waits for an answer in vain ends before its test does. */
const MAX_RUN_MS = 110_000;

/** A folder inside the checkout, where packages are found, for clients that are generated from `document`. */
export const openClientFolder = async (document: Json, env: Readonly<Record<string, string>>) => {
  await mkdir(path.join(ROOT, '.cache'), { recursive: true });
  const folder = await mkdtemp(path.join(ROOT, '.cache', 'clients-'));
  atEnd(() => rm(folder, { recursive: true }));
  await writeFile(path.join(folder, 'openapi.json'), JSON.stringify(document));
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');

  /** Runs a program of a package. @throws with its output when it fails */
  const runProgram = async (program: string, ...args: readonly string[]): Promise<string> => {
    const options = { cwd: folder, env: { ...process.env, ...env }, timeout: MAX_RUN_MS, maxBuffer: 16 * 1024 * 1024 };
    try {
      return (await promisify(execFile)(process.execPath, [path.join(ROOT, 'node_modules', program), ...args], options)).stdout;
    } catch (fault) {
      const { stdout, stderr } = fault as { readonly stdout: string; readonly stderr: string };
      throw new Error(`${program} failed:\n${stdout}${stderr}`);
    }
  };

  /** Compiles programs under --strict, all in one run: each run would read the generated types anew. */
  const compile = async (programs: Readonly<Record<string, string>>): Promise<void> => {
    const files = Object.entries(programs).map(([name, text]) => [`${name}.ts`, text] as const);
    for (const [file, text] of files) await writeFile(path.join(folder, file), text);
    const modules = ['--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'es2023', '--lib', 'es2023,dom,dom.iterable'];
    const options = ['--noEmit', '--strict', '--types', 'node', ...modules, '--ignoreConfig'];
    await runProgram('typescript-native/bin/tsc', ...options, ...files.map(([file]) => file));
  };
  /** Runs a compiled program, which prints what the service answered. */
  const run = async (name: string): Promise<Json> => JSON.parse(await runProgram('tsx/dist/cli.mjs', `${name}.ts`));
  return { folder, runProgram, compile, run };
};
