import { readFileSync } from 'node:fs';

export interface LoadOptions {
  /**
   * Key of the clock of simulations and tests (lua/virtual-clock.lua). Default: Redis's clock.
   */
  readonly clock?: string | undefined;
  /**
   * Lua to prepend: functions and constants generated from TypeScript's tables (script-fields.ts).
   */
  readonly generated?: readonly string[];
}

/**
 * Returns the text of a Lua script, preceded by the generated parts and by the files that its
 * `-- @include path` lines name, with paths relative to the file, each once and after those that it
 * includes itself. Read once at start; throws when a file is missing, which is a build error.
 *
 * @param script the file, as `new URL('./reserve.lua', import.meta.url)`
 */
export const loadScript = (script: URL, { clock, generated = [] }: LoadOptions = {}): string => {
  const texts = new Map<string, string>();
  const load = (file: URL) => {
    const text = readFileSync(file, 'utf8');
    for (const [, path = ''] of text.matchAll(/^-- @include (\S+)$/gm)) {
      const included = new URL(clock === undefined ? path : path.replace(/\bclock\.lua$/, 'virtual-clock.lua'), file);
      if (!texts.has(included.href)) load(included);
    }
    texts.set(file.href, text);
  };
  load(script);
  const clockKey = clock === undefined ? [] : [`local CLOCK_KEY = '${clock}'`];
  return [...clockKey, ...generated, ...texts.values()].join('\n');
};
