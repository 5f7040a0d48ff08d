import type { Knex } from 'knex';
import type { Hit } from '../../src/ledger/hit.ts';

/** Counted once: by token, kind, event type, and whether its request showed that it is invalid. */
export const hitKey = ({ ad, kind, eventType, invalidReason }: Pick<Hit, 'ad' | 'kind' | 'eventType' | 'invalidReason'>): string =>
  `${ad.tokenId} ${kind}${eventType && `:${eventType}`}${invalidReason === '' ? '' : '!'}`;

/** SQL: hitKey of an event row. */
export const HIT_KEY = `jti || ' ' || kind || case when event_type = '' then '' else ':' || event_type end || case when screened then '!' else '' end`;

/** The keys of all event rows. */
export const storedKeys = async (knex: Knex): Promise<readonly string[]> => {
  const { rows } = await knex.raw<{ rows: { key: string }[] }>(`select ${HIT_KEY} as key from events`);
  return rows.map(({ key }) => key);
};
