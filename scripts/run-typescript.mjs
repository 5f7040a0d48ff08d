/*
 * Lets Node run the project's own TypeScript as it is: node --import ./scripts/run-typescript.mjs proofs/prove.ts
 * Not by tsx, which keeps the names of functions by a call for every closure that is made: a tenth of the time of a forecast.
 */
import { register } from 'node:module';

register('./typescript-hooks.mjs', import.meta.url);
// Stacks show the lines of the source.
process.setSourceMapsEnabled(true);
