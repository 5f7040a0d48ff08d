import { dayOf } from '../../src/base/utc-day.ts';
import { createAddressList } from '../../src/context/address-list.ts';
import { createDeviceDetector } from '../../src/context/device-detector.ts';
import { createCompareTallies } from '../../src/events/compare-tallies.ts';
import { createRefilterStore, type RefilterRow, type RefilterStore, type RowChange } from '../../src/events/postgres/refilter-store.ts';
import { createLedgerKeys } from '../../src/ledger/ledger-keys.ts';
import { createTallyBooks } from '../../src/ledger/read/tally-books.ts';
import { createRejudgeHit } from '../../src/tracking/invalid-traffic/rejudge-hit.ts';
import { rejudgeActivity } from '../../src/tracking/rejudge-activity.ts';
import { refilterDay } from '../../src/tracking/refilter-day.ts';
import { compareBooks } from './check-stored.ts';
import type { Violation } from './model.ts';
import type { Stage } from './stage.ts';
import { NETWORKS } from './story.ts';
import { SHARDS } from './system.ts';

/** From which no hit comes, so that the list is never empty: an empty one is off. */
const OTHER_NETWORK = '240.0.0.0/8';
/** As in the command: an adjustment lets others of its shard wait, and a clock that stepped back over midnight lets accounts wait. */
const PASSES = 5;
const PASS_MS = 500;

/**
 * An operator installs another list of data centers, and filters a day again as commands/refilter
 * does. Returns what was judged wrongly, and what differs in the books afterwards.
 */
export const refilter = async (stage: Stage, day: number): Promise<readonly Violation[]> => {
  const { lane, system, model, listed, operator } = stage;
  // As the command does, which waits for the event writer.
  await system.carry(0, false);
  const keys = createLedgerKeys(SHARDS);
  const store = createRefilterStore({ knex: lane.knex });
  if (!(await store.hasSignals(day))) return [];
  const catalog = await stage.rows.snapshot(stage.trueMs);
  model.note(catalog);
  await operator.writeCaps(catalog);
  const { rows, changes, watched } = watch(store);
  const dataCenters = createAddressList([OTHER_NETWORK, ...NETWORKS.filter((network) => listed.has(network))]);
  const visitorOf = createDeviceDetector({ cacheSize: 10 });
  const rejudge = createRejudgeHit({ dataCenters, visitorOf, acceptsOrigin: () => true });
  const nowMs = stage.trueMs;
  const activity = await rejudgeActivity(lane.knex, day);
  await refilterDay({ store: watched, keys, rejudge, activity, day, nowMs, dryRun: false, rest: () => Promise.resolve() });
  const found = [...rows.flatMap((row) => checkVerdict(row, changes, listed)), ...changes.flatMap((change) => model.refilter(change))];
  stage.rejudged.filtered += changes.filter(({ reason }) => reason !== null).length;
  stage.rejudged.restored += changes.filter(({ reason }) => reason === null).length;
  let differences = 1;
  for (let pass = 0; pass < PASSES && (pass < 2 || differences > 0); pass++) {
    if (pass > 0) await stage.setClocks(stage.trueMs + PASS_MS);
    differences = (await operator.compare()).length + (await compareTallies(stage, false));
  }
  // The last pass was the check, unless something still differed.
  if (differences > 0) {
    await stage.setClocks(stage.trueMs + PASS_MS);
    found.push(...(await compareBooks(stage)));
  }
  return [...found, ...(await checkFiltered(stage))];
};

/** Notes which rows are judged, and what becomes of them. */
const watch = (store: RefilterStore) => {
  const rows: RefilterRow[] = [];
  const changes: RowChange[] = [];
  const watched: RefilterStore = {
    ...store,
    changeTokens: (range, judge) =>
      store.changeTokens(range, async (read, trx) => {
        const judged = await judge(read, trx);
        rows.push(...read);
        changes.push(...judged);
        return judged;
      }),
  };
  return { rows, changes, watched };
};

/** What a listed network sent is filtered for it, and nothing else is. */
const checkVerdict = (row: RefilterRow, changes: readonly RowChange[], listed: ReadonlySet<string>): readonly Violation[] => {
  const change = changes.find((one) => one.row === row);
  const after = change ? (change.reason ?? 'waits') : row.reason;
  const isListed = listed.has(row.signals.network ?? '');
  const due = row.reason === 'prefetch' ? 'prefetch' : isListed ? 'data_center' : undefined;
  // Without room, or beside a hit that counts, a hit stays as it was.
  const isWrong =
    due === undefined
      ? change?.reason === 'data_center' || (change !== undefined && row.kind === 'impression' && change.reason !== null)
      : after !== due;
  const text = `the ${row.kind} of ${row.jti} from ${row.signals.network}, ${row.reason || 'counted'}, became ${after || 'counted'}`;
  return isWrong ? [{ rule: 'refilter', text }] : [];
};

const compareTallies = ({ lane, trueMs }: Stage, dryRun: boolean): Promise<number> => {
  const books = createTallyBooks({ redis: lane.background.redis, keys: createLedgerKeys(SHARDS) });
  return createCompareTallies({ knex: lane.knex, books })(dayOf(trueMs), { dryRun, rest: () => Promise.resolve() });
};

/** Gross = net + filtered: the filtered counts of Postgres by the events, and the tallies of Redis by Postgres. */
export const checkFiltered = async (stage: Stage): Promise<readonly Violation[]> => {
  const { lane, model } = stage;
  // Redis may have lost tallies of what is stored: they are set to the rows.
  if (stage.losses > 0) await compareTallies(stage, false);
  const { rows } = await lane.knex.raw<{ rows: { name: string; count: string }[] }>(
    `select line_item_id || ' ' || (day - date '1970-01-01') || ' ' || kind || ' ' || reason as name, sum(count) as count
     from filtered_counts group by 1 having sum(count) <> 0`,
  );
  const due = new Map<string, number>();
  for (const { hit, reason } of model.logged.values()) {
    const name = `${hit.ad.lineItemId} ${hit.ad.day} ${hit.kind} ${reason}`;
    if (reason !== '') due.set(name, (due.get(name) ?? 0) + 1);
  }
  const stored = new Map(rows.map(({ name, count }) => [name, Number(count)]));
  const found = [...new Set([...due.keys(), ...stored.keys()])].flatMap((name): Violation[] => {
    const [is, by] = [stored.get(name) ?? 0, due.get(name) ?? 0];
    return is === by ? [] : [{ rule: 'filtered', text: `filtered counts of ${name}: ${is}, by the events ${by}` }];
  });
  const differences = await compareTallies(stage, true);
  return differences === 0 ? found : [...found, { rule: 'filtered', text: `${differences} tallies in Redis differ from Postgres` }];
};
