import type { Amounts } from '../../catalog/model/amounts.ts';
import { groupBy } from '../../base/group-by.ts';
import { showEndDate } from '../../catalog/model/flight-dates.ts';
import { amountFromMicros } from '../../catalog/model/money.ts';
import { countWords } from '../number-words.ts';
import type { LineItemStatus } from '../status/status.ts';
import type { AttentionGroup, AttentionKind } from './attention.ts';
import { shortRiskMicros, type ShortBooking } from './find-short.ts';
import { atRiskMicros, behindOf, endingSoon, type JudgedBooking } from './find-bookings.ts';

/** Rows of a group that are named. */
export const MAX_ROWS = 8;

const inCents = (micros: number): number => Math.round(amountFromMicros(micros) * 100) / 100;

/** Statuses with a group of their line items; another status of one that is behind names the cap or budget that keeps it there. */
const OWN_GROUPS: readonly LineItemStatus['value'][] = ['cannot serve', 'behind', 'outranked'];

/** What needs attention of line items, of each kind those with the most at risk first. */
export const itemGroups = (judged: readonly JudgedBooking[], short: readonly ShortBooking[], atMs: number): readonly AttentionGroup[] => {
  const risk = (one: JudgedBooking): number | null => atRiskMicros(one, atMs);
  // What is late is often expected to stay so: then the forecast knows what helps.
  const remedies = new Map(short.map((one) => [one.id, one.short.remedy]));
  const group = <One extends JudgedBooking>(
    kind: AttentionKind,
    of: readonly One[],
    textOf: (one: One) => string,
  ): readonly AttentionGroup[] =>
    of.length === 0
      ? []
      : [
          {
            kind,
            total: of.length,
            at_risk: atRisk(of, risk),
            rows: of
              .toSorted((a, b) => (risk(b) ?? 0) - (risk(a) ?? 0))
              .slice(0, MAX_ROWS)
              .map((one) => {
                const micros = risk(one);
                return {
                  ...{ table: 'line_items', id: one.id, name: one.name, text: textOf(one) },
                  at_risk: micros === null ? null : inCents(micros),
                  currency: one.currency,
                  ends_at: new Date(one.endMs).toISOString(),
                  remedy: remedies.get(one.id) ?? null,
                };
              }),
          },
        ];
  const is = (value: LineItemStatus['value']) => judged.filter(({ status }) => status.value === value);
  /** What keeps it from serving, and what that makes late. */
  const reasonOf = ({ status }: JudgedBooking): string => [status.reasons[0] ?? '', status.behind ?? ''].filter(Boolean).join('. ');
  const behind = behindOf(judged);
  return [
    ...group('cannot_serve', is('cannot serve'), reasonOf),
    ...group(
      'behind',
      behind.filter(({ status }) => status.value === 'behind'),
      (one) => one.behind,
    ),
    ...group(
      'limited',
      behind.filter(({ status }) => !OWN_GROUPS.includes(status.value)),
      reasonOf,
    ),
    ...group('outranked', is('outranked'), reasonOf),
    ...willMiss(short, new Set([...behind, ...is('cannot serve'), ...is('outranked')].map(({ id }) => id))),
    ...group('ends_soon', endingSoon(judged), ({ endMs }) => `ends with ${showEndDate(endMs)}`),
  ];
};

/** By the currency of their publishers. */
const atRisk = <T extends { readonly currency: string }>(of: readonly T[], risk: (one: T) => number | null): Amounts =>
  Array.from(
    groupBy(of, ({ currency }) => currency),
    ([currency, those]) => ({
      currency,
      amount: inCents(those.reduce((sum, one) => sum + (risk(one) ?? 0), 0)),
    }),
  );

/** @param late those that are late already: they have a group of their own */
const willMiss = (short: readonly ShortBooking[], late: ReadonlySet<number>): readonly AttentionGroup[] => {
  const risk = (one: ShortBooking): number => shortRiskMicros(one) ?? 0;
  const found = short.filter(({ id }) => !late.has(id)).sort((a, b) => risk(b) - risk(a));
  if (found.length === 0) return [];
  const rows = found.slice(0, MAX_ROWS).map((one) => {
    const { due, expected, remedy } = one.short;
    return {
      ...{ table: 'line_items' as const, id: one.id, name: one.name, ends_at: new Date(one.endMs).toISOString(), remedy },
      ...{ at_risk: one.valueMicros === null ? null : inCents(risk(one)), currency: one.currency },
      text: `expected to deliver ${countWords(expected)} of ${countWords(due)} that are due by ${showEndDate(one.untilMs)}`,
    };
  });
  return [{ kind: 'will_miss', total: found.length, at_risk: atRisk(found, risk), rows }];
};
