/** What compiled Lua calls (lua-to-js.ts): operators that differ in JavaScript, and the library. */
export const luaRuntime = {
  /** Whether a value is neither nil nor false: 0 and '' are true. */
  is: (value: unknown): boolean => value !== undefined && value !== null && value !== false,
  modulo: (a: number, b: number): number => a - Math.floor(a / b) * b,
  join: (a: string | number, b: string | number): string => `${a}${b}`,
  /** Of a text, or of a list from 1. */
  length: (of: string | readonly unknown[]): number => (typeof of === 'string' ? of.length : Math.max(of.length - 1, 0)),
  lua_math: { floor: Math.floor, ceil: Math.ceil, min: Math.min, max: Math.max, abs: Math.abs, huge: Infinity },
  lua_string: {
    rep: (text: string, count: number): string => text.repeat(count),
    /** Only patterns of digits, as day.lua has them. */
    match: (text: string, pattern: string): readonly string[] =>
      new RegExp(pattern.replace(/%([-.^$])/g, '\\$1').replace(/%d/g, '\\d')).exec(text)?.slice(1) ?? [],
  },
  lua_tonumber: (value: unknown): number | undefined =>
    value === undefined || value === '' || Number.isNaN(Number(value)) ? undefined : Number(value),
  lua_ipairs: (list: readonly unknown[]): readonly (readonly [number, unknown])[] =>
    list.slice(1).map((value, i) => [i + 1, value] as const),
  lua_pairs: (table: object): readonly (readonly [string, unknown])[] => Object.entries(table).filter(([, value]) => value !== undefined),
  lua_error: (message: string): never => {
    throw new Error(message);
  },
};
