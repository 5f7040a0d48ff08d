import { createRefusalTallies } from '../../src/events/refusal-tallies.ts';
import { createRefusalTable, type RefusalCount } from '../../src/events/refusal-table.ts';
import { createChance } from '../../testkit/chance.ts';

const HOUR = 3_600_000;
const key = ({ lineItemId, reason, outrankedBy }: RefusalCount) => `${lineItemId} ${reason} ${outrankedBy}`;

it('the table adds up what a map does, and refuses new rows when it is full', () => {
  const table = createRefusalTable(256);
  const chance = createChance(1);
  const expected = new Map<string, number>();
  let refused = 0;
  for (let i = 0; i < 20_000; i++) {
    const row = { lineItemId: 1 + Math.floor(chance() * 300), reason: chance() < 0.5 ? 0 : 506, outrankedBy: 0, impressions: 1 + (i % 3) };
    if (table.add(row.lineItemId, row.reason, row.outrankedBy, row.impressions))
      expected.set(key(row), (expected.get(key(row)) ?? 0) + row.impressions);
    else refused++;
  }
  expect(table.size).toBe(256);
  expect(refused).toBeGreaterThan(0);
  expect(new Map(table.rows().map((row) => [key(row), row.impressions]))).toEqual(expected);
});

/** Tallies over a store that keeps what it is given, and is away while `away`. */
const rig = () => {
  const stored: { hourMs: number; counts: readonly RefusalCount[] }[] = [];
  const faults: string[] = [];
  const state = { away: false, now: 10 * HOUR, storesUntilAway: Infinity };
  const tallies = createRefusalTallies({
    store: {
      add: async (hourMs, counts) => {
        if (state.away || stored.length >= state.storesUntilAway) throw new Error('away');
        stored.push({ hourMs, counts });
      },
      prune: async () => undefined,
      read: async () => [],
      recent: async () => new Map(),
    },
    now: () => state.now,
    onFailure: ({ message }) => faults.push(message),
  });
  return { stored, faults, state, tallies };
};

it('counts an hour in that hour, and keeps what Postgres does not take', async () => {
  const { stored, state, tallies } = rig();
  tallies.add(10 * HOUR, 1, 506, 0, 2);
  state.away = true;
  await expect(tallies.flush()).rejects.toThrow('away');
  tallies.add(10 * HOUR + 5, 1, 506, 0, 1);
  tallies.add(11 * HOUR, 1, 506, 0, 4);
  // A request that began before the hour, decided in it.
  tallies.add(11 * HOUR - 1, 1, 506, 0, 8);
  state.away = false;
  await tallies.flush();
  await tallies.flush();
  const row = { lineItemId: 1, reason: 506, outrankedBy: 0 };
  expect(stored).toEqual([
    { hourMs: 10 * HOUR, counts: [{ ...row, impressions: 2 }] },
    { hourMs: 10 * HOUR, counts: [{ ...row, impressions: 1 }] },
    { hourMs: 11 * HOUR, counts: [{ ...row, impressions: 12 }] },
  ]);
});

it('names the eight line items that outranked another most often, and adds up the others', async () => {
  const { stored, tallies } = rig();
  for (let rival = 1; rival <= 20; rival++) tallies.add(10 * HOUR, 99, 0, rival, rival);
  await tallies.flush();
  const counts = stored[0]!.counts;
  expect(counts.map(({ outrankedBy, impressions }) => [outrankedBy, impressions])).toEqual([
    ...[20, 19, 18, 17, 16, 15, 14, 13].map((rival) => [rival, rival]),
    [0, 78],
  ]);
});

it('stores the rows of many line items some at a time, and none twice when Postgres goes away between', async () => {
  const { stored, state, tallies, faults } = rig();
  const lineItems = 10_000;
  for (let id = 1; id <= lineItems; id++) for (const reason of [0, 506]) tallies.add(10 * HOUR, id, reason, 0, id);
  state.storesUntilAway = 3;
  await expect(tallies.flush()).rejects.toThrow('away');
  state.storesUntilAway = Infinity;
  await tallies.flush();
  expect(faults).toEqual([]);
  expect(Math.max(...stored.map(({ counts }) => counts.length))).toBeLessThanOrEqual(2_048);
  const counts = stored.flatMap((one) => one.counts);
  expect(counts).toHaveLength(2 * lineItems);
  expect(new Set(counts.map(key)).size).toBe(2 * lineItems);
  expect(counts.every(({ lineItemId, impressions }) => impressions === lineItemId)).toBe(true);
});
