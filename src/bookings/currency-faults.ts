import type { Knex } from 'knex';
import type { Fault } from '../base/fault.ts';
import type { EntityKind, EntityRecord } from './entity-kind.ts';

const HAS_MONEY = `
  select exists (select from campaigns where publisher_id = :id)
      or exists (select from report_days where publisher_id = :id)
      or exists (select from finance_months where publisher_id = :id) as "hasMoney"`;

/**
 * The fault of a change of the currency of a publisher that has bookings, deliveries or closed months. Its amounts
 * are stored without a currency: another one would make every price, budget and statement say something else.
 */
export const currencyFaults = async (
  trx: Knex.Transaction,
  { table }: EntityKind,
  before: EntityRecord,
  after: EntityRecord,
): Promise<readonly Fault[]> => {
  const [was, is] = [before['currency'], after['currency']] as readonly string[];
  if (table !== 'publishers' || was === is) return [];
  const { rows } = await trx.raw<{ rows: { hasMoney: boolean }[] }>(HAS_MONEY, { id: before['id'] as number });
  if (!rows[0]?.hasMoney) return [];
  const detail = `cannot change: its campaigns are booked in ${was}. Add another publisher for ${is}, or set statement_currency to have statements in it too`;
  return [{ pointer: '/currency', detail }];
};
