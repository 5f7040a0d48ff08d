import type { Knex } from 'knex';
import type { BaseFigures } from './base-figures.ts';
import type { ForecastAnswer } from './forecast-answer.ts';
import type { ForecastWire } from './forecast-api.ts';
import type { ShortLineItem } from './short-line-items.ts';

/** A forecast that was asked for. */
export interface StoredForecast extends Pick<ForecastWire, 'id' | 'state' | 'progress' | 'reason'> {
  readonly publisherId: number;
  /** null: nothing is known yet. */
  readonly answer: ForecastAnswer | null;
}

export interface KeptBase {
  readonly madeOn: string;
  readonly version: number;
  readonly figures: BaseFigures;
}

/** A forecast whose replica was killed says nothing any more. */
const SILENT = `interval '5 minutes'`;

/** Every method rejects when Postgres is unavailable. */
export const createForecastStore = ({ knex }: { readonly knex: Knex }) => ({
  begin: async (id: string, publisherId: number, question: object): Promise<void> => {
    await knex('forecasts').insert({ id, publisher_id: publisherId, state: 'running', question: JSON.stringify(question) });
  },
  /** Resolves to whether the forecast is still wanted. */
  note: async (
    id: string,
    { answer, ...change }: Partial<Pick<StoredForecast, 'state' | 'progress' | 'answer' | 'reason'>>,
  ): Promise<boolean> => {
    const changed = await knex('forecasts')
      .where({ id, state: 'running' })
      .update({ ...change, ...(answer !== undefined && { answer: JSON.stringify(answer) }), told_at: knex.fn.now() });
    return changed > 0;
  },
  read: async (id: string): Promise<StoredForecast | undefined> => {
    const row = await knex('forecasts')
      .where({ id })
      .first<(StoredForecast & { readonly isSilent: boolean }) | undefined>(
        ...['id', 'state', 'progress', 'answer', 'reason', { publisherId: 'publisher_id' }],
        knex.raw(`told_at < now() - ${SILENT} as "isSilent"`),
      );
    if (!row) return undefined;
    const { isSilent, ...found } = row;
    return found.state === 'running' && isSilent
      ? { ...found, state: 'failed', answer: null, reason: 'the replica that forecast it has ended' }
      : found;
  },
  /** Resolves to whether it was running. */
  cancel: async (id: string): Promise<boolean> =>
    (await knex('forecasts').where({ id, state: 'running' }).update({ state: 'cancelled', answer: null })) > 0,
  keepBase: async (publisherId: number, madeOn: string, figures: BaseFigures, short: readonly ShortLineItem[]): Promise<void> => {
    await knex('forecast_bases')
      .insert({
        ...{ publisher_id: publisherId, made_on: madeOn, catalog_version: figures.version },
        ...{ figures: JSON.stringify(figures), at_risk: JSON.stringify(short) },
      })
      .onConflict(['publisher_id', 'made_on'])
      .merge(['catalog_version', 'figures', 'at_risk']);
  },
  latestBase: async (publisherId: number): Promise<KeptBase | undefined> => {
    const row = await knex('forecast_bases')
      .where({ publisher_id: publisherId })
      .orderBy('made_on', 'desc')
      .first<{ made_on: string; catalog_version: string; figures: BaseFigures } | undefined>(
        knex.raw('made_on::text as made_on'),
        'catalog_version',
        'figures',
      );
    return row && { madeOn: row.made_on, version: Number(row.catalog_version), figures: row.figures };
  },
  prune: async (): Promise<void> => {
    await knex.raw(`delete from forecasts where asked_at < now() - interval '7 days'`);
    await knex.raw(`delete from forecast_bases where made_on < current_date - 70`);
    await knex.raw(`delete from forecast_errors where day < current_date - 70`);
  },
});

export type ForecastStore = ReturnType<typeof createForecastStore>;
