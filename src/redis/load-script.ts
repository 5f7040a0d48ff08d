import { readFileSync } from 'node:fs';

/** Redis's own clock, or one that simulations and tests set by hand (lua/virtual-clock.lua). */
export type ScriptClock = 'clock' | 'virtual-clock';

/**
 * The text of a Lua script with the files that its `-- @include path` lines name put in front of it, in order. Paths are relative to the script.
 * Read once at start; throws when a file is missing, which is a fault of the build.
 *
 * @param script the file, as `new URL('./reserve.lua', import.meta.url)`
 */
export const loadScript = (script: URL, clock: ScriptClock = 'clock'): string => {
  const body = readFileSync(script, 'utf8');
  const parts = [...body.matchAll(/^-- @include (\S+)$/gm)].map(([, path]) =>
    readFileSync(new URL(path!.replace(/\bclock\.lua$/, `${clock}.lua`), script), 'utf8'),
  );
  return [...parts, body].join('\n');
};
