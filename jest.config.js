import { availableParallelism } from 'node:os';
import { bundleTestPackages } from './scripts/bundle-test-packages.mjs';

/** TypeScript becomes CommonJS for the tests only: native ESM in jest takes twice the time and four times the memory. */
const typescript = { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, module: { type: 'commonjs' } };

export default {
  testEnvironment: '<rootDir>/tests/setup/closing-environment.ts',
  testMatch: ['<rootDir>/tests/**/*.test.ts'],
  transform: { '^.+\\.(ts|js|mjs)$': ['@swc/jest', typescript] },
  // These packages are ES modules only.
  transformIgnorePatterns: [
    '/node_modules/(?!(?:htmlparser2|domhandler|domutils|domelementtype|dom-serializer|entities|p-queue|p-timeout|hyparquet|hyparquet-writer|jose|music-metadata|strtok3|token-types|uint8array-extras|file-type|win-guid|media-typer|@tokenizer/inflate|@tokenizer/token|@borewit/text-codec|mp4box)/)',
  ],
  moduleNameMapper: {
    ...(await bundleTestPackages(import.meta.dirname)),
    // Packages that export for `import` alone, which jest does not ask for.
    '^music-metadata$': '<rootDir>/node_modules/music-metadata/lib/index.js',
    '^file-type$': '<rootDir>/node_modules/file-type/index.js',
  },
  // Passed to each module, because a look at a global of a test's context takes a hundred times as long. Not what fake timers replace, nor what
  // a package declares anew.
  sandboxInjectedGlobals: [
    ...['Array', 'BigInt', 'Boolean', 'Error', 'JSON', 'Map', 'Math', 'Number', 'Object', 'Promise', 'RegExp', 'Set', 'String', 'Symbol'],
    ...['TypeError', 'WeakMap'],
    ...['BigInt64Array', 'DataView', 'Float64Array', 'Int32Array', 'Uint8Array', 'Uint16Array', 'Uint32Array'],
  ],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  globalSetup: '<rootDir>/tests/setup/global-setup.ts',
  globalTeardown: '<rootDir>/tests/setup/global-teardown.ts',
  // Ends what hangs. What a busy machine takes is no fault, so that no test has a limit of time beside this one.
  testTimeout: 600_000,
  // Tests wait for stores, replicas and browsers for a third of their time; jest's default on two cores is one worker.
  maxWorkers: Math.max(3, availableParallelism() - 1),
};
