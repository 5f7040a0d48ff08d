import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Which clock the scripts go by: Redis's own, or for simulations and tests one that is set by hand (lua/include/virtual-clock.lua). */
export type ScriptClock = 'clock' | 'virtual-clock';

/**
 * The text of `lua/<name>.lua` with each `-- @include part` line answered by `lua/include/part.lua`, in order, ahead of the body.
 * Read once at start; a missing file is a fault of the build and throws.
 */
export const loadScript = (name: string, clock: ScriptClock = 'clock'): string => {
  const body = readLua(`${name}.lua`);
  const parts = [...body.matchAll(/^-- @include (\S+)$/gm)].map(([, part]) => readLua(`include/${part === 'clock' ? clock : part}.lua`));
  return [...parts, body].join('\n');
};

const readLua = (path: string): string => readFileSync(fileURLToPath(new URL(`./lua/${path}`, import.meta.url)), 'utf8');
