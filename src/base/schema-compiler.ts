import { Ajv2020, type Options } from 'ajv/dist/2020.js';

/**
 * A compiler of this project's own schemas. They are not checked against the schema of schemas, whose
 * compilation takes 40 ms of a start, once per compiler; ajv's strict mode still refuses an unknown
 * keyword and a value of the wrong type, and tests check the schemas. Nor is the code optimized, which
 * takes a third of the time; a check that every ad request passes sets `code`.
 */
export const schemaCompiler = (options: Options = {}): Ajv2020 =>
  new Ajv2020({ code: { optimize: false }, ...options, meta: false, validateSchema: false });

const waiting = new Set<() => unknown>();

/**
 * Compiles at the first use. All schemas of staff's calls and of the catalog take 0.4 s of CPU time, a third of a start; a replica of a test
 * uses few of them, and the thread that loads the catalog those of the records that there are.
 */
export const compiledLater = <T>(compile: () => T): (() => T) => {
  let compiled: T | undefined;
  const compiledOnce = (): T => {
    waiting.delete(compiledOnce);
    return (compiled ??= compile());
  };
  waiting.add(compiledOnce);
  return compiledOnce;
};

/** Compiles what waits for its first use. A replica in production does so before it listens: later, ads would wait for it. */
export const compileWaiting = (): void => {
  for (const compile of waiting) compile();
};
