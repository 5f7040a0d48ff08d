import { availableParallelism } from 'node:os';

/** TypeScript becomes CommonJS for the tests only: native ESM in jest takes twice the time and four times the memory. */
const typescript = { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, module: { type: 'commonjs' } };

export default {
  testEnvironment: '<rootDir>/tests/setup/closing-environment.ts',
  testMatch: ['<rootDir>/tests/**/*.test.ts'],
  transform: { '^.+\\.(ts|js|mjs)$': ['@swc/jest', typescript] },
  // These packages are ES modules only.
  transformIgnorePatterns: [
    '/node_modules/(?!(?:htmlparser2|domhandler|domutils|domelementtype|dom-serializer|entities|p-queue|p-timeout|hyparquet|hyparquet-writer|jose)/)',
  ],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  globalSetup: '<rootDir>/tests/setup/global-setup.ts',
  globalTeardown: '<rootDir>/tests/setup/global-teardown.ts',
  testTimeout: 60_000,
  // Tests wait for stores, replicas and browsers for a third of their time; jest's default on two cores is one worker.
  maxWorkers: Math.max(3, availableParallelism() - 1),
};
