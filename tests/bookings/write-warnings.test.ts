import { strToU8, zipSync } from 'fflate';
import { apiOf, book, each, type ApiCall } from '../api/api-client.ts';
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

test('what a platform would object to is in the answer of a write and of a check, each with its remedy, also of uploaded files', async () => {
  const { placement, lineItem } = await book(api, 'checked');
  const zipped = zipSync({
    'index.html': strToU8('<meta name="ad.size" content="width=300,height=250"><body style="color:#999;background:#fff"><b>Boots</b>'),
    'style.css': strToU8('b{animation: fall 2s infinite;background:url(http://cdn.example/a.png)}'),
    'ad.js': strToU8('new Audio("a.mp3").play()'),
  });
  const { body: ad } = await api('PUT', '/assets?name=boots.zip', Buffer.from(zipped), { 'Content-Type': 'application/octet-stream' });
  const creative = {
    ...{ placement_id: placement, line_item_id: lineItem, format: 'html', click_url: 'http://boots.example/' },
    content: `<iframe src="${ad.url}"></iframe>`,
  };
  const remedies = [
    'moves without end, and platforms allow 30 seconds: let it play a number of times, and stand still then',
    'does not open clickTag: let a click open window.clickTag, so that it is counted and leads to the click address',
    'loads http://cdn.example/a.png without encryption, which pages refuse: use https',
    'leads to an address without encryption, of which browsers warn: use https',
    'may play a sound by itself, which platforms refuse: begin muted, and play sound after a click only',
    'has text of #999999 on #ffffff, a contrast of 2.8: at least 4.5 is readable, so darken one and lighten the other',
  ];
  expect(each((await api('POST', '/creatives', creative)).body.warnings, 'detail')).toEqual(remedies);
  const { content, click_url } = creative;
  const check = async (body: object) => each((await api('POST', '/creative_checks', body)).body, 'detail');
  expect(await check({ format: 'html', content, click_url })).toEqual(remedies);
  expect(await check({ format: 'html', content: `<a href="https://boots.example/">${'Boots '.repeat(30_000)}</a>` })).toEqual([
    'weighs 181 KB, and platforms take 150 KB: compress its pictures as WebP or AVIF, and leave out what it does not use',
  ]);
  expect(await check({ format: 'banner', content: '{"image":"http://cdn.example/b.png"}' })).toEqual([
    'has no click address, so that a click leads nowhere: enter one',
    'loads http://cdn.example/b.png without encryption, which pages refuse: use https',
  ]);
  expect(await check({ format: 'native', content: '{"title":"Boots","image":{"url":"https://cdn.example/b.png"}}' })).toEqual([]);
  // What cannot be stored has faults, which the write says.
  expect(await check({ format: 'banner', content: 'no JSON' })).toEqual([]);
});
