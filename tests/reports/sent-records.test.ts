import knexFactory, { type Knex } from 'knex';
import { unlimitedCaller } from '../../src/access/caller.ts';
import { alertRoutes } from '../../src/alerts/alert-routes.ts';
import { createAlertStore } from '../../src/alerts/alert-store.ts';
import type { Call } from '../../src/api/route.ts';
import { createSecretBox } from '../../src/base/secret-box.ts';
import { savedReportRoutes } from '../../src/reports/saved-report-routes.ts';
import { testDatabase } from '../setup/test-database.ts';

let knex: Knex;
beforeAll(async () => {
  knex = knexFactory({ client: 'pg', connection: await testDatabase() });
});
afterAll(() => knex.destroy());

const routes = () => {
  const sending = { hasMail: true, secretBox: createSecretBox([{ kid: 'k', secret: 's'.repeat(32) }]), allowPrivateAddresses: false };
  return {
    ...savedReportRoutes({ ...sending, knex, sendNow: () => undefined }),
    ...alertRoutes({ ...sending, knex, alerts: createAlertStore({ knex }) }),
  };
};
const call = { caller: unlimitedCaller('alice') } as Call;
const report = { name: 'Morning', query: 'range=today', schedule: null };
const recipient = {
  kinds: ['complaints'] as const,
  digest: false,
  publisher_id: null,
  emails: [],
  webhook: 'https://gazette.example/alerts',
};
const lines = (entity: string) =>
  knex('audit').where({ entity }).orderBy('id').select<{ action: string; actor: string }[]>('action', 'actor');

test('saved reports and recipients of alerts are created, replaced and deleted with a line in the audit trail, without the secret', async () => {
  const { createSavedReport, replaceSavedReport, deleteSavedReport, createAlertRecipient, replaceAlertRecipient, deleteAlertRecipient } =
    routes();
  expect(await createSavedReport({ body: report }, call)).toMatchObject({
    kind: 'answered',
    headers: { Location: '/api/saved_reports/1' },
  });
  expect(await replaceSavedReport({ id: 1, body: { ...report, name: 'Noon' } }, call)).toMatchObject({ value: { id: 1, name: 'Noon' } });
  await deleteSavedReport({ id: 1 }, call);
  expect(await lines('saved_report')).toEqual(['create', 'update', 'delete'].map((action) => ({ action, actor: 'alice' })));

  const created = await createAlertRecipient({ body: recipient }, call);
  const same = await replaceAlertRecipient({ id: 1, body: recipient }, call);
  const moved = await replaceAlertRecipient({ id: 1, body: { ...recipient, webhook: 'https://courier.example/alerts' } }, call);
  const secretOf = (reply: typeof created) => (reply.kind === 'answered' ? reply.value.webhook_secret : reply);
  expect([created, same, moved].map((reply) => typeof secretOf(reply))).toEqual(['string', 'undefined', 'string']);
  expect(secretOf(moved)).not.toBe(secretOf(created));
  await deleteAlertRecipient({ id: 1 }, call);
  expect(await lines('alert_recipient')).toEqual(['create', 'update', 'update', 'delete'].map((action) => ({ action, actor: 'alice' })));
  expect(JSON.stringify(await knex('audit').select('before', 'after'))).not.toContain('secret');
});

test('a change that the audit trail cannot record is not made', async () => {
  const { createSavedReport, replaceSavedReport, deleteSavedReport } = routes();
  const kept = await createSavedReport({ body: report }, call);
  const id = kept.kind === 'answered' ? kept.value.id : 0;
  await knex.schema.renameTable('audit', 'audit_elsewhere');
  try {
    await expect(createSavedReport({ body: { ...report, name: 'Lost' } }, call)).rejects.toThrow('audit');
    await expect(replaceSavedReport({ id, body: { ...report, name: 'Lost' } }, call)).rejects.toThrow('audit');
    await expect(deleteSavedReport({ id }, call)).rejects.toThrow('audit');
  } finally {
    await knex.schema.renameTable('audit_elsewhere', 'audit');
  }
  expect(await knex('saved_reports').select('id', 'name')).toEqual([{ id, name: 'Morning' }]);
});
