import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import knexFactory, { type Knex } from 'knex';
import { forgetChanges, recordChange } from '../../src/bookings/audit-trail.ts';
import { grantService } from '../../src/catalog/postgres/grant-service.ts';
import { createPartitions } from '../../src/events/postgres/partitions.ts';
import { rollUpAll } from '../../src/events/postgres/roll-up-batches.ts';
import { apiOf, book, each, serveAd, type ApiCall, type Booked } from '../api/api-client.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

const ROLE = `audit_test_${process.pid}`;
const PASSWORD = 'only-for-this-test';
const DENIED = { code: '42501' };

let databaseUrl: string;
let owner: Knex;
let service: Knex;
let replica: Replica;
let api: ApiCall;
let booked: Booked;

/** A replica that runs as a role that does not own the tables. */
beforeAll(async () => {
  databaseUrl = await testDatabase();
  owner = knexFactory({ client: 'pg', connection: databaseUrl });
  await owner.raw(`create role ${ROLE} login password '${PASSWORD}'`);
  await grantService(databaseUrl, ROLE);
  const url = new URL(databaseUrl);
  [url.username, url.password] = [ROLE, PASSWORD];
  service = knexFactory({ client: 'pg', connection: url.href });
  replica = await startReplica({ env: { DATABASE_URL: url.href, REDIS_URL: await testRedisUrl() } });
  api = apiOf(replica.url);
  booked = await book(api, 'top');
});
afterAll(async () => {
  await service.destroy();
  // The replica outlives the test file, without its rights.
  await owner.raw(`reassign owned by ${ROLE} to current_user; drop owned by ${ROLE}; drop role ${ROLE}`);
  await owner.destroy();
});

const historyOf = async (query: string): Promise<{ note: string | null; action: string }[]> => (await api('GET', `/audit?${query}`)).body;

test('a replica whose role only adds to the history books, serves ads, and stores and counts its events', async () => {
  const bid = await serveAd(replica.url, booked);
  expect((await fetch(new URL(bid.impurl, replica.url))).status).toBe(200);
  expect(await historyOf(`entity=campaign&entity_id=${booked.campaign}`)).toHaveLength(1);
  for (let stored = 0; stored === 0;) stored = Number((await owner('events').count('* as n'))[0]?.['n']);
  await rollUpAll(service);
  expect(await owner('event_batches')).toEqual([]);
  // A program asked for it, not a person.
  expect(await owner('filtered_counts').sum('count as n')).toEqual([{ n: '1' }]);
});

test('the role of replicas cannot change, delete or empty the history, nor take the right to', async () => {
  const before = await owner('audit').orderBy('id');
  await expect(service('audit').update({ actor: 'someone else' })).rejects.toMatchObject(DENIED);
  await expect(service('audit').delete()).rejects.toMatchObject(DENIED);
  await expect(service.raw('truncate audit')).rejects.toMatchObject(DENIED);
  await expect(service.raw('drop table audit')).rejects.toMatchObject(DENIED);
  await expect(service.raw('alter table audit disable trigger all')).rejects.toMatchObject(DENIED);
  await expect(service.raw('create trigger t before insert on audit execute function note_payer()')).rejects.toMatchObject(DENIED);
  await service.raw(`grant update on audit to ${ROLE}`).catch(() => undefined);
  await expect(service('audit').update({ actor: 'someone else' })).rejects.toMatchObject(DENIED);
  expect(await owner('audit').orderBy('id')).toEqual(before);
});

test('lines are deleted when they are older than their retention, and never within a year', async () => {
  const line = { actor: 'ann', action: 'update', entity: 'campaign', entityId: 900, before: null, after: null } as const;
  const now = Date.now();
  for (const days of [100, 400, 800]) {
    await service.transaction((trx) => recordChange(trx, line));
    await owner('audit')
      .where('id', owner('audit').max('id'))
      .update({ at: new Date(now - days * 86_400_000) });
  }
  const left = async () => (await owner('audit').where({ entity_id: '900' })).length;
  await forgetChanges(service, 500, now);
  expect(await left()).toBe(2);
  await forgetChanges(service, 1, now);
  expect(await left()).toBe(1);
  await owner('audit').where({ entity_id: '900' }).delete();
});

test('a change has the note of Change-Note, also within a bulk change; a note that cannot be read is refused', async () => {
  const path = `/campaigns/${booked.campaign}`;
  const note = encodeURIComponent('Kunde möchte mehr, telefonisch');
  expect((await api('PATCH', path, { budget: 70 }, { 'Change-Note': note })).status).toBe(200);
  await api('POST', '/bulk', { operations: [{ method: 'PATCH', path, body: { budget: 80 } }] }, { 'Change-Note': 'quarter end' });
  await api('PATCH', path, { budget: 90 });
  const notes = each(await historyOf(`entity=campaign&entity_id=${booked.campaign}&action=update`), 'note');
  expect(notes).toEqual([null, 'quarter end', 'Kunde möchte mehr, telefonisch']);
  for (const wrong of ['%E0%A4%A', 'x'.repeat(501)]) {
    const { status, body } = await api('PATCH', path, { budget: 1 }, { 'Change-Note': wrong });
    expect([status, body.errors[0].pointer]).toEqual([400, '/Change-Note']);
  }
});

test('the history is searched by words and days, and exported whole as CSV', async () => {
  const today = new Date().toISOString().slice(0, 10);
  expect(each(await historyOf('q=telefonisch%20m%C3%B6chte'), 'note')).toEqual(['Kunde möchte mehr, telefonisch']);
  expect(await historyOf('q=100%25')).toEqual([]);
  expect((await historyOf(`q=Gazette&from=${today}&to=${today}`)).length).toBeGreaterThan(0);
  expect(await historyOf('to=2020-01-01')).toEqual([]);
  const all = await historyOf('limit=1000');
  const csv = await api('GET', '/audit?format=csv&limit=1');
  const lines = String(csv.body).trim().split('\r\n');
  expect(lines[0]).toBe('id,at,actor,action,entity,entity_id,note,approved_by,network,device,before,after');
  expect([lines.length - 1, csv.headers.get('content-disposition')]).toEqual([all.length, 'attachment; filename="history.csv"']);
  expect(lines.some((line) => line.includes('quarter end') && line.includes('""budget"":80'))).toBe(true);
});

test('migrations of another role, which is no superuser, let replicas use the tables and only add to the history, again and again', async () => {
  const [reader, migrator, name] = [`${ROLE}_replica`, `${ROLE}_owner`, `${ROLE}_db`];
  await owner.raw(`create role ${reader} login password '${PASSWORD}'`);
  await owner.raw(`create role ${migrator} login password '${PASSWORD}' in role ${reader}`);
  await owner.raw(`create database ${name} owner ${migrator}`);
  const urlOf = (role: string): string => {
    const url = new URL(databaseUrl);
    [url.username, url.password, url.pathname] = [role, PASSWORD, `/${name}`];
    return url.href;
  };
  const migrate = async (): Promise<string> => {
    const env = { ...process.env, DATABASE_URL: urlOf(reader), MIGRATION_DATABASE_URL: urlOf(migrator) };
    const command = path.resolve(__dirname, '../../dist/commands/migrate.js');
    return (await promisify(execFile)(process.execPath, [command], { env })).stdout;
  };
  const replicas = knexFactory({ client: 'pg', connection: urlOf(reader) });
  try {
    expect(await migrate()).toContain(`${reader} may use the tables, and only add to the history.`);
    expect(await migrate()).toMatch(/^The schema is the newest already/);
    await replicas.transaction((trx) => createPartitions(trx, [20_000]));
    await replicas('publishers').insert({ name: 'The Gazette', domain: 'gazette.example', api_key_hash: 'x' });
    await replicas('audit').insert({ actor: 'ann', action: 'create', entity: 'publisher', entity_id: '1' });
    await expect(replicas('audit').delete()).rejects.toMatchObject(DENIED);
  } finally {
    await replicas.destroy();
    await owner.raw(`drop database ${name} with (force)`);
    await owner.raw(`drop role ${migrator}`);
    await owner.raw(`drop role ${reader}`);
  }
});
