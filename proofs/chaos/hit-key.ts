import type { Knex } from 'knex';
import { PROVISIONAL, type Hit } from '../../src/ledger/hit.ts';

/** Counted once: by token, kind, event type, and whether its request showed that it is invalid. */
export const hitKey = ({ ad, kind, eventType, invalidReason }: Pick<Hit, 'ad' | 'kind' | 'eventType' | 'invalidReason'>): string =>
  `${ad.tokenId} ${kind}${eventType && `:${eventType}`}${invalidReason === '' ? '' : '!'}`;

/** SQL: hitKey of an event row. */
export const HIT_KEY = `jti || ' ' || kind || case when event_type = '' then '' else ':' || event_type end || case when screened then '!' else '' end`;

/** A hit that is in a stream or has its row. */
export interface KeptHit {
  readonly key: string;
  readonly isProvisional: boolean;
}

/** All event rows. */
export const storedHits = async (knex: Knex): Promise<readonly KeptHit[]> => {
  const { rows } = await knex.raw<{ rows: KeptHit[] }>(
    `select ${HIT_KEY} as key, invalid_reason = '${PROVISIONAL}' as "isProvisional" from events`,
  );
  return rows;
};
