import { luaConstants } from '../redis/script-fields.ts';

/** Why an account is set aside (lua/account-checks.lua), in words for staff. */
const BROKEN_REASONS = {
  Bytes: { code: 1, words: 'its bytes are not an account' },
  Negative: { code: 2, words: 'a held sum is negative' },
  Sums: { code: 3, words: 'the held sums differ from the holds' },
  Order: { code: 4, words: 'the holds are not sorted and unique' },
  Counts: { code: 5, words: 'a count is negative' },
} as const;

/** Lua for every script that opens accounts: the reasons to set one aside, `BROKEN_…`. */
export const ACCOUNT_LUA: readonly string[] = [
  luaConstants('BROKEN_', Object.fromEntries(Object.entries(BROKEN_REASONS).map(([name, { code }]) => [name, code]))),
];

/** @param code of an account that is set aside */
export const brokenWords = (code: number): string =>
  Object.values(BROKEN_REASONS).find((reason) => reason.code === code)?.words ?? 'unknown';
