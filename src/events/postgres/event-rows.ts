import type { Knex } from 'knex';
import { groupBy } from '../../base/group-by.ts';
import { dateOfDay } from '../../base/utc-day.ts';
import { NOT_USED, PROVISIONAL, type Hit } from '../../ledger/hit.ts';
import { COUNTED } from './count-tables.ts';

/** Of a hit's event row: it is under judgement, or final; undefined: there is none. */
export type RowState = 'provisional' | 'final' | undefined;

/**
 * The event row of each hit, in their order. One query for each day, with the day as a constant: a plan over
 * all partitions takes Postgres 130 ms when there are 400.
 */
export const rowStates = async (knex: Knex, hits: readonly Hit[]): Promise<readonly RowState[]> => {
  const found = new Map<string, RowState>();
  const keyOf = (jti: string, kind: string, eventType: string, screened: boolean) => [jti, kind, eventType, screened].join(' ');
  for (const day of new Set(hits.map(({ ad }) => ad.day))) {
    const ofDay = hits.filter(({ ad }) => ad.day === day);
    const { rows } = await knex.raw<{ rows: { jti: string; kind: string; event_type: string; screened: boolean; provisional: boolean }[] }>(
      `select jti, kind, event_type, screened, invalid_reason = '${PROVISIONAL}' as provisional
       from events where day = ?::date and jti = any(?::text[])`,
      [dateOfDay(day), ofDay.map(({ ad }) => ad.tokenId)] as unknown as Knex.RawBinding,
    );
    for (const { jti, kind, event_type, screened, provisional } of rows)
      found.set(keyOf(jti, kind, event_type, screened), provisional ? 'provisional' : 'final');
  }
  return hits.map(({ ad, kind, eventType, invalidReason }) => found.get(keyOf(ad.tokenId, kind, eventType, invalidReason !== '')));
};

/** Of clicks, the tokens of those whose rows are under judgement. */
export const provisionalTokens = async (
  knex: Knex,
  clicks: readonly { readonly tokenId: string; readonly day: number }[],
): Promise<ReadonlySet<string>> => {
  const tokens = new Set<string>();
  for (const [day, of] of groupBy(clicks, (click) => click.day)) {
    const { rows } = await knex.raw<{ rows: { jti: string }[] }>(
      `select jti from events where day = ?::date and jti = any(?::text[]) and kind = 'click' and invalid_reason = '${PROVISIONAL}'`,
      [dateOfDay(day), of.map(({ tokenId }) => tokenId)] as unknown as Knex.RawBinding,
    );
    for (const { jti } of rows) tokens.add(jti);
  }
  return tokens;
};

/** When the impression of each hit's token was counted (epoch ms), if it has its event row. */
export const impressionTimes = async (knex: Knex, hits: readonly Hit[]): Promise<readonly (number | undefined)[]> => {
  const atMs = new Map<string, number>();
  for (const day of new Set(hits.map(({ ad }) => ad.day))) {
    const tokens = hits.filter(({ ad }) => ad.day === day).map(({ ad }) => ad.tokenId);
    const { rows } = await knex.raw<{ rows: { jti: string; at: Date }[] }>(
      `select jti, at from events where day = ?::date and jti = any(?::text[]) and kind = 'impression' and ${COUNTED}`,
      [dateOfDay(day), tokens] as unknown as Knex.RawBinding,
    );
    for (const { jti, at } of rows) atMs.set(jti, at.getTime());
  }
  return hits.map(({ ad }) => atMs.get(ad.tokenId));
};

/** Of ads that held a place, the tokens that gave it back: a `notUsed` was counted before the end of the hold. */
export const releasedTokens = async (knex: Knex, hits: readonly Hit[]): Promise<ReadonlySet<string>> => {
  const released = new Set<string>();
  for (const day of new Set(hits.map(({ ad }) => ad.day))) {
    const ads = hits.filter(({ ad }) => ad.day === day).map(({ ad }) => ad);
    const { rows } = await knex.raw<{ rows: { jti: string }[] }>(
      `select e.jti from unnest(?::text[], ?::float8[]) as held (jti, until) join events e on e.day = ?::date and e.jti = held.jti
       where e.kind = 'event' and e.event_type = '${NOT_USED}' and ${COUNTED} and extract(epoch from e.at) * 1000 < held.until`,
      [ads.map(({ tokenId }) => tokenId), ads.map(({ holdEndMs }) => holdEndMs), dateOfDay(day)] as unknown as Knex.RawBinding,
    );
    for (const { jti } of rows) released.add(jti);
  }
  return released;
};
