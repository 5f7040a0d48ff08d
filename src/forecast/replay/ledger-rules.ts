import { readFileSync } from 'node:fs';
import { CANDIDATE_LUA } from '../../ledger/reserve/encode-candidate.ts';
import { compileLua } from './lua-to-js.ts';

/** The rules of limits and pacing, each after those that it includes. */
const FILES = ['account', 'day', 'bucket', 'siblings', 'pacing', 'limits'];

/** Positions of an account that hold bytes. */
const BYTES = [24, 25];

/**
 * The numbers of an account by the positions of account.lua: a table from 1, used as a key by its name. As in Redis, what a call
 * changes is kept only if it has marked the account: pacing counts for a refused candidate, and forgets.
 */
export class Account extends Array<number> {
  name = '';
  /** The call that has opened it last. */
  private call = 0;
  private isMarked = false;
  private before: Float64Array | undefined;
  private released: readonly [count: number | undefined, micros: number | undefined] = [undefined, undefined];

  override toString(): string {
    return this.name;
  }

  /** Returns whether this call opens it for the first time. */
  open(call: number, { released, released_micros: micros }: LedgerCall): boolean {
    if (this.call === call) return false;
    this.call = call;
    this.isMarked = false;
    this.before ??= new Float64Array(this.length);
    for (let i = 1; i < this.length; i++) if (!BYTES.includes(i)) this.before[i] = this[i]!;
    this.released = [released[this.name], micros[this.name]];
    return true;
  }

  mark(): void {
    this.isMarked = true;
  }

  /** Undoes what the call has changed, unless it was marked. */
  close({ released, released_micros: micros }: LedgerCall): void {
    if (this.isMarked || !this.before) return;
    for (let i = 1; i < this.length; i++) if (!BYTES.includes(i)) this[i] = this.before[i]!;
    [released[this.name], micros[this.name]] = this.released;
  }
}

/** A candidate as candidate_record of the ledger reads it. */
export interface CandidateRecord {
  readonly line_item: string;
  readonly campaign: string;
  readonly holds_price: boolean;
  readonly price_micros: number;
  readonly expected_micros: number;
  readonly rate_per_second: number;
  readonly counted: readonly number[] | false;
  readonly caps: readonly number[] | false;
}

export interface Gains {
  readonly kp: number;
  readonly ki: number;
  readonly kd: number;
}

/** Where the moment of a request lies, as the scripts read it (CURVE_FIELDS), with the rule of the publisher's days. */
export interface CurveRecord {
  readonly hour_start_ms: number;
  readonly length_ms: number;
  readonly share_before: number;
  readonly share_of_hour: number;
  readonly rule: unknown;
}

/** What was released of accounts, by their names: pacing gives it back. */
export interface LedgerCall {
  released: Record<string, number | undefined>;
  released_micros: Record<string, number | undefined>;
}

/** The rules of the ledger by their names in Lua. */
export interface LedgerRules<User> {
  readonly call: LedgerCall;
  account_new(day: number): readonly number[];
  account_roll_over(account: Account, day: number): void;
  candidate_record(row: readonly unknown[]): CandidateRecord;
  day_rule(text: string): unknown;
  day_of(rule: unknown, ms: number): number;
  /** The reason or undefined, whether pacing changed the accounts, and the permits. */
  limits_refusal(
    account: Account,
    campaign: Account,
    candidate: CandidateRecord,
    user: User | undefined,
    now: number,
    curve: CurveRecord,
    gains: Gains,
  ): readonly [reason: number | undefined, changed?: boolean, permits?: number];
  limits_rate_tokens(account: Account, candidate: CandidateRecord, now: number): number;
  pacing_applies(candidate: CandidateRecord): boolean;
  pacing_take(account: Account, campaign: Account, candidate: CandidateRecord, count: number): void;
}

const NAMES = [
  'account_new',
  'account_roll_over',
  'candidate_record',
  'day_rule',
  'day_of',
  'limits_refusal',
  'limits_rate_tokens',
  'pacing_applies',
  'pacing_take',
] as const;

/** What the rules ask of a user's places. */
export interface FrequencyRules<User> {
  /** Whether so many ads are more than one of the caps allows; the caps are triples from position 1. */
  readonly refuses: (user: User, caps: readonly number[], ads: number) => boolean;
  /** Whether it is to see a step of a sequence: from position 1 its counter, window (ms), step from 0, and the number of steps. */
  readonly isTurn: (user: User | undefined, turn: readonly number[]) => boolean;
}

/**
 * The rules that reserve.lua decides by, from the same files, without Redis: compiled to JavaScript a candidate takes a
 * microsecond, and through Redis and its protocol fifty.
 */
export const createLedgerRules = <User>({ refuses, isTurn }: FrequencyRules<User>): LedgerRules<User> => {
  const files = FILES.map((name) => readFileSync(new URL(`../../ledger/lua/${name}.lua`, import.meta.url), 'utf8'));
  const call: LedgerCall = { released: {}, released_micros: {} };
  const globals = { call, frequency_refuses: refuses, frequency_is_turn: isTurn };
  const compiled = compileLua([...CANDIDATE_LUA, ...files].join('\n'), NAMES, globals);
  return { ...(compiled as unknown as Omit<LedgerRules<User>, 'call'>), call };
};

/** Where an account keeps what the replay reads and changes itself: account.lua. */
export const FIELD = {
  ...{ day: 1, serves: 2, impressions: 3, clicks: 4, spend: 5, broken: 10, totalSpend: 11, totalClicks: 12 },
  ...{ heldCount: 13, heldMicros: 14, heldTotal: 15, rateTokens: 16, rateAt: 17, holdCount: 20, totalImpressions: 26 },
} as const;

/** A list of JSON as a table of Lua, from position 1, with the lists in it. */
export const luaRow = (row: readonly unknown[]): readonly unknown[] => [
  undefined,
  ...row.map((value) => (Array.isArray(value) ? luaRow(value as readonly unknown[]) : value)),
];
