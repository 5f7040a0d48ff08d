import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bookPublishers } from '../../testkit/book.ts';
import { withClient } from '../../testkit/databases.ts';
import { eventually } from '../../testkit/until.ts';
import { atEnd } from '../setup/at-end.ts';
import { startReplica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

/** The first round compares days and 500 campaigns, and rests for three quarters of its time: on a busy machine minutes. */
const ROUND_MS = 240_000;

const environment = async () => {
  const state = await mkdtemp(path.join(tmpdir(), 'ad-server-state-'));
  atEnd(() => rm(state, { recursive: true }));
  return { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl(), DEMO_DATA: 'large', STATE_DIR: state };
};

test('the large demonstration has 500 campaigns and sixty days of counts that agree in every book', async () => {
  const env = await environment();
  const replica = await startReplica({ env, readyWithinMs: 480_000 });
  const read = async (apiPath: string): Promise<{ total: number; body: unknown }> => {
    const answer = await fetch(`${replica.url}/api/${apiPath}`);
    return { total: Number(answer.headers.get('x-total-count')), body: await answer.json() };
  };
  // Its Redis has none of the sixty days yet: accounts are rebuilt from the counts, and home says so until then.
  await eventually(async () => {
    const health = (await (await fetch(`${replica.url}/ready`)).json()) as object;
    expect(health).not.toHaveProperty('books');
  });
  expect((await read('campaigns?limit=1&q=20')).total).toBe(500);
  expect((await read('line_items?limit=1&q=20')).total).toBe(2000);

  const { line_items, groups } = (await read('attention')).body as { line_items: Record<string, number>; groups: { kind: string }[] };
  expect(line_items['delivering']).toBeGreaterThan(300);
  expect(groups.map(({ kind }) => kind)).toEqual(['cannot_serve', 'behind', 'outranked', 'complaints', 'pending_creatives', 'ends_soon']);
  const day = (before: number): string => new Date(Date.now() - before * 86_400_000).toISOString().slice(0, 10);
  const metrics = 'requests,impressions,viewable,clicks,revenue';
  const { body } = await read(`reports?group_by=day&metrics=${metrics}&from=${day(60)}&to=${day(1)}`);
  const { rows } = body as { rows: Record<string, number>[] };
  expect(
    rows.filter(({ impressions = 0, requests = 0, revenue = 0 }) => impressions > 1000 && requests > impressions && revenue > 10),
  ).toHaveLength(60);

  const { totals } = (await read(`reports?group_by=publisher&metrics=impressions,filtered_impressions&from=${day(60)}&to=${day(1)}`))
    .body as {
    totals: Record<string, number>;
  };
  expect(totals['filtered_impressions']! / totals['impressions']!).toBeGreaterThan(0.02);
  // What forecasts of the last four weeks said, and how good they were.
  const [{ id = 0 } = {}] = (await read('publishers?limit=1&sort=-id')).body as { id?: number }[];
  const errors = (await read(`forecast_errors?publisher=${id}`)).body as { age: number; mean_error: number; held: number }[];
  expect(errors).toHaveLength(6);
  for (const { age, mean_error: error, held } of errors) {
    expect([age, error > 0.02 && error < 0.12]).toEqual([age, true]);
    expect([age, held > 0.65 && held < 0.95]).toEqual([age, true]);
  }
  const forecasts = (await read(`reports?group_by=day&metrics=impressions,forecast,forecast_error&from=${day(28)}&to=${day(1)}`)).body as {
    rows: { forecast: number | null; forecast_error: number | null }[];
  };
  expect(forecasts.rows.filter(({ forecast, forecast_error: error }) => forecast !== null && error !== null && error < 0.2)).toHaveLength(
    28,
  );
  const changes = (await read('audit?limit=200')).body as { at: string; action: string }[];
  const actions = changes.map(({ action }) => action);
  expect([...new Set(actions)]).toEqual(['delete', 'update', 'create', 'close_month']);
  expect(changes.map(({ at }) => at)).toEqual(
    changes
      .map(({ at }) => at)
      .toSorted()
      .toReversed(),
  );
  expect(actions.filter((action) => action === 'close_month')).toHaveLength(3);

  // The service compares accounts, counts and event rows with each other in the background.
  await eventually(async () => {
    const books = await withClient(env.DATABASE_URL, (client) => client.query('select scope, differences from reconciliation order by 1'));
    expect(books.rows).toEqual(['accounts', 'counts'].map((scope) => ({ scope, differences: 0 })));
  }, ROUND_MS);
});

test('the large demonstration refuses a database with other publishers', async () => {
  const env = await environment();
  await bookPublishers(env.DATABASE_URL, 1);
  await expect(startReplica({ env })).rejects.toThrow(/needs an empty database.*STATE_DIR=/s);
});
