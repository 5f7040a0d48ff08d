import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * The text of `lua/<name>.lua` with each `-- @include part` line answered by `lua/include/part.lua`, in order, ahead of the body.
 * Read once at start; a missing file is a fault of the build and throws.
 */
export const loadScript = (name: string): string => {
  const body = readLua(`${name}.lua`);
  const parts = [...body.matchAll(/^-- @include (\S+)$/gm)].map(([, part]) => readLua(`include/${part}.lua`));
  return [...parts, body].join('\n');
};

const readLua = (path: string): string => readFileSync(fileURLToPath(new URL(`./lua/${path}`, import.meta.url)), 'utf8');
