import { apiOf, book, type ApiCall } from '../api/api-client.ts';
import { startReplica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

let api: ApiCall;

beforeAll(async () => {
  const replica = await startReplica({ env: { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl() } });
  api = apiOf(replica.url);
});

test('a creative that fits none of its placements is stored with a warning in the answer, in every form of the write, and in no other answer', async () => {
  const { placement, lineItem, creative } = await book(api, 'small');
  await api('POST', '/placements', { id: 'large', width: 970, height: 250, formats: ['html'] });
  const fields = { line_item_id: lineItem, format: 'html', content: '<b>ad</b>' };
  const unfit = { ...fields, placement_ids: [placement], width: 728, height: 90 };
  const warnings = [
    {
      pointer: '/width',
      detail: `728×90 does not fit placement small of 300×250: it is shown only where a request asks for a size that it fits`,
    },
  ];

  const created = await api('POST', '/creatives', unfit);
  expect([created.status, created.body.warnings]).toEqual([201, warnings]);
  const path = `/creatives/${created.body.id}`;
  const read = await api('GET', path);
  expect([read.body.warnings, read.headers.get('etag')]).toEqual([undefined, created.headers.get('etag')]);
  // What was answered may be sent back.
  const replaced = await api('PUT', path, created.body);
  expect([replaced.status, replaced.body.warnings]).toEqual([200, warnings]);
  const bulk = await api('POST', '/bulk', { operations: [{ method: 'PATCH', path: `/creatives/${creative}`, body: { height: 600 } }] });
  expect(bulk.body.results[0].body.warnings).toEqual([
    {
      pointer: '/height',
      detail: 'any×600 does not fit placement small of 300×250: it is shown only where a request asks for a size that it fits',
    },
  ]);

  for (const fits of [
    { ...fields, placement_id: placement },
    { ...unfit, placement_ids: [placement, 'large'] },
  ])
    expect((await api('POST', '/creatives', fits)).body).not.toHaveProperty('warnings');
  expect((await api('GET', '/audit?entity=creative')).body[0].after).not.toHaveProperty('warnings');
});
