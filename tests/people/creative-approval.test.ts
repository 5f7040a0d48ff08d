import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { startReplica } from '../setup/start-replica.ts';
import { askForAd, book, each, type ApiCall, type Booked } from '../api/api-client.ts';
import { callWith, MACHINE, tokenOf } from './staff.ts';

let url: string;
let machine: ApiCall;
let trafficker: ApiCall;
let approver: ApiCall;
let booked: Booked;

beforeAll(async () => {
  const env = { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl(), ADMIN_TOKEN: `machine:${MACHINE}` };
  ({ url } = await startReplica({ env }));
  machine = callWith(url, MACHINE);
  booked = await book(machine, 'approved-ads');
  trafficker = callWith(url, await tokenOf(machine, 'trafficker', ['trafficker'], [booked.publisher.id]));
  approver = callWith(url, await tokenOf(machine, 'approver', ['approver'], [booked.publisher.id]));
});

const filled = async (): Promise<number> => ((await askForAd(url, booked)).body.seatbid as unknown[]).length;

test('where approval is required, who books a creative does not approve it, and an approver does', async () => {
  await machine('PATCH', `/publishers/${booked.publisher.id}`, { creative_approval: 'required' });
  const path = `/creatives/${booked.creative}`;
  expect((await trafficker('PATCH', path, { content: '<b>new</b>' })).body.status).toBe('pending');
  for (const answer of [
    await trafficker('PATCH', path, { status: 'approved' }),
    await trafficker('POST', `${path}/approve`),
    await approver('PATCH', path, { status: 'approved' }),
  ])
    expect([answer.status, answer.body.code]).toEqual([403, 'forbidden']);
  const bulk = await trafficker('POST', '/bulk', { operations: [{ method: 'PATCH', path, body: { status: 'approved' } }] });
  expect([bulk.status, bulk.body.results[0].status]).toEqual([400, 403]);
  expect((await trafficker('PATCH', path, { name: 'still waiting' })).body.status).toBe('pending');
  expect(await filled()).toBe(0);

  const approved = await approver('POST', `${path}/approve`);
  expect([approved.status, approved.body.status]).toEqual([200, 'approved']);
  expect(await filled()).toBe(1);
  expect((await trafficker('PATCH', path, { name: 'approved as it is' })).body.status).toBe('approved');
  expect((await approver('POST', `${path}/reject`)).body.status).toBe('rejected');
  expect(await filled()).toBe(0);
  const { body: history } = await machine('GET', `/audit?entity=creative&entity_id=${booked.creative}`);
  expect(each(history, 'actor').slice(0, 3)).toEqual(['token:approver', 'token:trafficker', 'token:approver']);
});

test('where it is not required, who books a creative sets its status', async () => {
  await machine('PATCH', `/publishers/${booked.publisher.id}`, { creative_approval: 'automatic' });
  expect((await trafficker('PATCH', `/creatives/${booked.creative}`, { status: 'approved' })).body.status).toBe('approved');
});
