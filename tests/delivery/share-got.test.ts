import { NoBidReason } from '../../src/decision/no-bid-reason.ts';
import { shareGot } from '../../src/delivery/share-got.ts';
import { OUTRANKED } from '../../src/serving/count-refusals.ts';
import { bookCatalog } from '../../testkit/book-catalog.ts';
import { eventually } from '../../testkit/until.ts';
import { apiOf, each, serveAd, type Json } from '../api/api-client.ts';
import { startReplica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

const DAY_MS = Date.UTC(2026, 9, 14);
const refused = (reason: NoBidReason | typeof OUTRANKED, impressions: number, hour = 9) => ({
  ...{ reason, impressions },
  hour: new Date(DAY_MS + hour * 3_600_000),
});

test('the share that it got is of what its rules let it serve, today and in the last week', () => {
  const share = shareGot(
    30,
    [
      refused(NoBidReason.ShareOfVoice, 560),
      refused(NoBidReason.DailyCap, 40),
      refused(OUTRANKED, 100),
      refused(NoBidReason.Targeting, 5_000),
      refused(NoBidReason.SizeOrFormat, 5_000),
      refused(NoBidReason.ShareOfVoice, 1_700, -20),
    ],
    { today: { serves: 300, fromMs: DAY_MS }, week: { serves: 900, fromMs: 0 } },
  );
  expect(share).toEqual({ booked: 30, today: { impressions: 1_000, got: 30 }, week: { impressions: 3_300, got: 900 / 33 } });
});

test('of few requests nothing is said', () => {
  const none = { serves: 10, fromMs: DAY_MS };
  expect(shareGot(30, [refused(NoBidReason.ShareOfVoice, 89)], { today: none, week: none }).today).toEqual({ impressions: 99, got: null });
});

test('the delivery of a line item with a share of voice says what it got, and its refusals that the share was drawn for others', async () => {
  const databaseUrl = await testDatabase();
  const creatives = [{ placement_id: 'top' }];
  await bookCatalog(databaseUrl, {
    publishers: [
      {
        ...{ name: 'shares', domain: 'p.example', api_key: 'shares' },
        placements: [{ id: 'top', width: 300, height: 250, formats: ['html'] }],
        campaigns: [
          {
            line_items: [
              { name: 'Third', priority: 1, cpm: 8, share_of_voice: 30, creatives },
              { name: 'Rest', priority: 2, cpm: 1, creatives },
            ],
          },
        ],
      },
    ],
  });
  const replica = await startReplica({ env: { DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl() } });
  const placement = { publisher: { id: 1, api_key: 'shares' }, placement: 'top' };
  let got = 0;
  for (let i = 0; i < 150; i++) if ((await serveAd(replica.url, placement as never)).crid === '1') got++;
  // What it has counted is stored.
  await replica.stop();
  await replica.start();
  const api = apiOf(replica.url);
  await eventually(async () => {
    const { body } = await api('GET', '/line_items/1/delivery');
    expect(body.share_of_voice).toEqual({
      booked: 30,
      today: { impressions: 150, got: expect.closeTo((100 * got) / 150, 6) as unknown },
      week: { impressions: 150, got: expect.closeTo((100 * got) / 150, 6) as unknown },
    });
  });
  const { body: refusals }: { body: Json } = await api('GET', '/line_items/1/refusals');
  expect(refusals).toMatchObject({ lost: 150 - got, reasons: [{ reason: 'share_of_voice', impressions: 150 - got, remedy: null }] });
  expect(each(refusals.reasons, 'outranked_by')).toEqual([[]]);
  expect((await api('GET', '/line_items/2/delivery')).body.share_of_voice).toBeNull();
});
