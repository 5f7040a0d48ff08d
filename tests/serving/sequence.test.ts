import { bookCatalog } from '../../testkit/book-catalog.ts';
import { startReplica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

interface Answer {
  readonly seatbid: { readonly bid: { readonly impid: string; readonly crid: string }[] }[];
  readonly ext: { readonly nonbid?: { readonly impid: string; readonly nbr: number }[] };
  readonly debug?: unknown;
}

it('shows each user the creatives of a sequence in their order, and begins again after the last one', async () => {
  const databaseUrl = await testDatabase();
  const steps = [3, 1, null, 2];
  await bookCatalog(databaseUrl, {
    publishers: [
      {
        ...{ name: 'P', domain: 'p.example', api_key: 'key' },
        placements: ['top', 'side'].map((id) => ({ id, width: 300, height: 250, formats: ['html'] })),
        campaigns: [
          {
            line_items: [
              {
                ...{ name: 'story', rotation: 'sequence', frequency_caps: [{ scope: 'line_item', impressions: 6, window: null }] },
                // The step that is not on the placement is not skipped.
                creatives: steps.map((step) => ({ placement_ids: step === 2 ? ['side'] : ['top', 'side'], step })),
              },
            ],
          },
        ],
      },
    ],
  });
  const { url } = await startReplica({ env: { DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl() } });
  const ask = async (userId: string, tagids: readonly string[], query = ''): Promise<Answer> => {
    const imp = tagids.map((tagid, i) => ({ id: String(i), tagid }));
    const body = JSON.stringify({ id: 'r', imp, user: { id: userId }, ext: { publisher_id: 1 } });
    const response = await fetch(`${url}/ad${query}`, { method: 'POST', headers: { 'X-API-Key': 'key' }, body });
    return (await response.json()) as Answer;
  };
  const shown = async (userId: string, ...tagids: string[]): Promise<readonly string[]> => {
    const { seatbid, ext } = await ask(userId, tagids);
    return tagids.map((_, i) => {
      const reason = ext.nonbid?.find(({ impid }) => impid === String(i))?.nbr;
      return seatbid[0]?.bid.find(({ impid }) => impid === String(i))?.crid ?? `none ${reason}`;
    });
  };
  const inTurn: string[] = [];
  for (let i = 0; i < 7; i++) inTurn.push(...(await shown('ann', 'side')));
  expect(inTurn).toEqual(['2', '4', '1', '3', '2', '4', 'none 9']);
  // One after the other in an answer, too.
  expect(await shown('bob', 'side', 'side', 'side')).toEqual(['2', '4', '1']);
  expect(await shown('eve', 'top')).toEqual(['2']);
  expect(await shown('eve', 'top')).toEqual(['none 526']);
  expect(JSON.stringify((await ask('eve', ['top'], '?debug=1')).debug)).toContain(
    'it is step 1 of 4 of its sequence, and the user is at another',
  );
  expect(await shown('eve', 'side')).toEqual(['4']);
  expect(await shown('eve', 'top')).toEqual(['1']);
});
