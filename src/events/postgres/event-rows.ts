import type { Knex } from 'knex';
import { groupBy } from '../../base/group-by.ts';
import { dateOfDay } from '../../base/utc-day.ts';
import { NOT_USED, PROVISIONAL, type Hit } from '../../ledger/hit.ts';
import { COUNTED } from './count-tables.ts';

/** Of a hit's event row: it is under judgement, or final; undefined: there is none. */
export type RowState = 'provisional' | 'final' | undefined;

/** A token, and the day of its ad. */
interface TokenOfDay {
  readonly tokenId: string;
  readonly day: number;
}

/**
 * Columns of the event rows of these tokens. One query for each day, with the day as a constant: a plan over all partitions takes Postgres
 * 130 ms when there are 400.
 */
const rowsOf = async <Row>(knex: Knex, tokens: readonly TokenOfDay[], columns: string, where = 'true'): Promise<readonly Row[]> => {
  const found: (readonly Row[])[] = [];
  for (const [day, of] of groupBy(tokens, (token) => token.day)) {
    const { rows } = await knex.raw<{ rows: Row[] }>(
      `select ${columns} from events where day = ?::date and jti = any(?::text[]) and ${where}`,
      [dateOfDay(day), of.map(({ tokenId }) => tokenId)] as unknown as Knex.RawBinding,
    );
    found.push(rows);
  }
  return found.flat();
};
const adsOf = (hits: readonly Hit[]) => hits.map(({ ad }) => ad);

/** The event row of each hit, in their order. */
export const rowStates = async (knex: Knex, hits: readonly Hit[]): Promise<readonly RowState[]> => {
  const keyOf = (jti: string, kind: string, eventType: string, screened: boolean) => [jti, kind, eventType, screened].join(' ');
  const rows = await rowsOf<{ jti: string; kind: string; event_type: string; screened: boolean; provisional: boolean }>(
    knex,
    adsOf(hits),
    `jti, kind, event_type, screened, invalid_reason = '${PROVISIONAL}' as provisional`,
  );
  const states = new Map<string, RowState>(
    rows.map((row) => [keyOf(row.jti, row.kind, row.event_type, row.screened), row.provisional ? 'provisional' : 'final']),
  );
  return hits.map(({ ad, kind, eventType, invalidReason }) => states.get(keyOf(ad.tokenId, kind, eventType, invalidReason !== '')));
};

/** Of clicks, the tokens of those whose rows are under judgement. */
export const provisionalTokens = async (knex: Knex, clicks: readonly TokenOfDay[]): Promise<ReadonlySet<string>> => {
  const rows = await rowsOf<{ jti: string }>(knex, clicks, 'jti', `kind = 'click' and invalid_reason = '${PROVISIONAL}'`);
  return new Set(rows.map(({ jti }) => jti));
};

/** When the impression of each hit's token was counted (epoch ms), if it has its event row. */
export const impressionTimes = async (knex: Knex, hits: readonly Hit[]): Promise<readonly (number | undefined)[]> => {
  const rows = await rowsOf<{ jti: string; at: Date }>(knex, adsOf(hits), 'jti, at', `kind = 'impression' and ${COUNTED}`);
  const atMs = new Map(rows.map(({ jti, at }) => [jti, at.getTime()]));
  return hits.map(({ ad }) => atMs.get(ad.tokenId));
};

/** Of ads that held a place, the tokens that gave it back: a `notUsed` was counted before the end of the hold. */
export const releasedTokens = async (knex: Knex, hits: readonly Hit[]): Promise<ReadonlySet<string>> => {
  const ends = new Map(adsOf(hits).map(({ tokenId, holdEndMs }) => [tokenId, holdEndMs]));
  const counted = `kind = 'event' and event_type = '${NOT_USED}' and ${COUNTED}`;
  const rows = await rowsOf<{ jti: string; at: Date }>(knex, adsOf(hits), 'jti, at', counted);
  return new Set(rows.filter(({ jti, at }) => at.getTime() < ends.get(jti)!).map(({ jti }) => jti));
};
