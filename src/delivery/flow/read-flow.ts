import type { Knex } from 'knex';
import { isLimited, type Scope } from '../../access/scope.ts';
import type { Days } from '../../api/days-query.ts';
import { belongsTo } from '../../bookings/entity-kind.ts';
import { isAmong, isVisible, scopeBinding } from '../../bookings/record-scope.ts';
import { groupBy } from '../../base/group-by.ts';
import { dayOf, MS_PER_DAY } from '../../base/utc-day.ts';
import { amountsOf, type Amounts } from '../../catalog/model/amounts.ts';
import { NoBidReason, reasonName, reasonNamed, stageOf, wordsOf } from '../../decision/no-bid-reason.ts';
import { OUTRANKED, type RefusalReason } from '../../serving/count-refusals.ts';
import type { Flow, FlowTable } from './flow.ts';

type Step = 'off_target' | 'outranked' | Flow['reasons'][number]['step'];
/** Impressions that got no ad of the record. */
type Losses = readonly (readonly [reason: RefusalReason, impressions: number])[];

/** undefined: there is no such record in the scope. Rejects when Postgres is away. */
export type ReadFlow = (table: FlowTable, id: number | string, days: Days, scope: Scope) => Promise<Flow | undefined>;

interface Window {
  readonly id: number | string;
  readonly from: string;
  readonly to: string;
  readonly begin: Date;
  readonly end: Date;
}

/** Days are those of the publisher, hours are moments: the days around the hours narrow the rows. */
const IN_HOURS = 'day between cast(:from as date) - 1 and cast(:to as date) + 1 and hour >= :begin and hour < :end';

export const windowOf = (id: number | string, { from, to }: Days): Window => ({
  ...{ id, from, to, begin: new Date(from), end: new Date((dayOf(Date.parse(to)) + 1) * MS_PER_DAY) },
});

/** SQL: the line items of a record. */
const itemsOf = (table: Exclude<FlowTable, 'placements'>): string =>
  table === 'line_items' ? ':id' : `select id from line_items where ${belongsTo('line_items', table).join(' or ')}`;

export const createReadFlow =
  ({ knex }: { readonly knex: Knex }): ReadFlow =>
  async (table, id, { from, to }, scope) => {
    const known = knex(table).where({ id });
    if (isLimited(scope)) void known.whereRaw(isVisible(table, scope), { ...scopeBinding(scope) });
    if (!(await known.first('id'))) return undefined;
    const window = windowOf(id, { from, to });
    const [delivered, losses] = await Promise.all([
      readDelivered(knex, table, window, scope),
      table === 'placements' ? lossesOfPlacement(knex, window, scope) : lossesOfItems(knex, table, window, scope),
    ]);
    return toFlow({ from, to }, losses, delivered);
  };

interface Delivered {
  readonly served: number;
  readonly gross: number;
  readonly shown: number;
  readonly seen: number;
  readonly clicked: number;
  readonly billed: Amounts;
}

const readDelivered = async (knex: Knex, table: FlowTable, window: Window, scope: Scope): Promise<Delivered> => {
  const among = table === 'placements' ? 'placement_id = :id' : `line_item_id in (${itemsOf(table)})`;
  const net = (column: string): string => `coalesce(sum(${column}) filter (where reason = ''), 0)`;
  type Row = Readonly<Record<'served' | 'gross' | 'shown' | 'seen' | 'clicked' | 'micros', string>> & { readonly currency: string };
  const { rows } = await knex.raw<{ rows: Row[] }>(
    `select currency, coalesce(sum(serves), 0) as served, coalesce(sum(impressions), 0) as gross, ${net('impressions')} as shown,
       ${net('viewable')} as seen, ${net('clicks')} as clicked, ${net('spend_micros')} as micros
     from report_hours join (select id, currency from publishers) p on p.id = publisher_id where ${among} and ${isAmong('publishers', 'publisher_id', scope)} and ${IN_HOURS} group by 1 order by 1`,
    { ...window, ...scopeBinding(scope) },
  );
  const sum = (name: Exclude<keyof Row, 'currency'>): number => rows.reduce((all, row) => all + Number(row[name]), 0);
  return {
    ...{ served: sum('served'), gross: sum('gross'), shown: sum('shown'), seen: sum('seen'), clicked: sum('clicked') },
    billed: amountsOf(rows.map(({ currency, micros }) => ({ currency, micros: Number(micros) }))),
  };
};

const lossesOfItems = async (knex: Knex, table: Exclude<FlowTable, 'placements'>, window: Window, scope: Scope): Promise<Losses> => {
  const { rows } = await knex.raw<{ rows: { reason: RefusalReason; impressions: string }[] }>(
    `select reason, sum(impressions) as impressions from refusals
     where line_item_id in (select id from line_items where id in (${itemsOf(table)}) and ${isVisible('line_items', scope)})
       and hour >= :begin and hour < :end group by 1`,
    { ...window, ...scopeBinding(scope) },
  );
  return rows.map(({ reason, impressions }) => [reason, Number(impressions)]);
};

/** Requests for a placement by the names of their no-bid reasons, the most frequent first; '': they got an ad. */
export const requestsByReason = async (knex: Knex, window: Window, scope: Scope) => {
  const { rows } = await knex.raw<{ rows: readonly { readonly reason: string; readonly requests: number }[] }>(
    `select reason, sum(requests)::float8 as requests from request_hours
     where placement_id = :id and ${isAmong('publishers', 'publisher_id', scope)} and ${IN_HOURS} group by 1 order by 2 desc, 1`,
    { ...window, ...scopeBinding(scope) },
  );
  return rows;
};

const lossesOfPlacement = async (knex: Knex, window: Window, scope: Scope): Promise<Losses> =>
  (await requestsByReason(knex, window, scope))
    .filter(({ reason }) => reason !== '')
    .map(({ reason, requests }) => [reasonNamed(reason) ?? NoBidReason.TechnicalError, requests]);

/** Where on its way a request is lost. */
const stepOf = (reason: RefusalReason): Step => {
  if (reason === OUTRANKED) return 'outranked';
  if (reason === NoBidReason.Targeting) return 'off_target';
  const stage = stageOf(reason);
  if (stage === 'limits') return 'capped';
  return stage === 'bidders' || stage === 'page' || stage === 'service' ? 'other' : 'unsuitable';
};

/** Pure. */
export const toFlow = (days: Days, losses: Losses, { served, gross, shown, seen, clicked, billed }: Delivered): Flow => {
  const steps = groupBy(losses, ([reason]) => stepOf(reason));
  const lost = (step: Step): number => (steps.get(step) ?? []).reduce((sum, [, impressions]) => sum + impressions, 0);
  const [off_target, unsuitable, capped, other, outranked] = (['off_target', 'unsuitable', 'capped', 'other', 'outranked'] as const).map(
    lost,
  ) as [number, number, number, number, number];
  // An impression is counted in the hour in which it is shown, which may be after the window in which it was chosen.
  const chosen = Math.max(served, gross);
  const matched = chosen + capped + other + outranked;
  const reasons = losses.flatMap(([reason, impressions]): Flow['reasons'] => {
    const step = stepOf(reason);
    if (reason === OUTRANKED || step === 'off_target' || step === 'outranked') return [];
    return [{ reason: reasonName(reason), words: wordsOf(reason), step, impressions }];
  });
  return {
    ...days,
    ...{ asked: matched + off_target + unsuitable, off_target, unsuitable, matched, capped, other, outranked },
    ...{ served: chosen, not_shown: chosen - gross, filtered: gross - shown, shown, seen, clicked, billed },
    reasons: [...reasons].sort((a, b) => b.impressions - a.impressions),
  };
};
