import type { Knex } from 'knex';
import { SENT_EXAMPLES } from '../../src/bookings/entity-examples.ts';
import { ENTITY_TABLES, type EntityTable } from '../../src/catalog/entities/entities.ts';
import type { ApiCall, Json } from '../api/api-client.ts';

export interface Furnished {
  readonly ids: Readonly<Record<EntityTable, string | number>>;
  readonly lineItems: readonly number[];
}

export interface FurnishOptions {
  readonly machine: ApiCall;
  readonly knex: Knex;
  /** In every text, so that one in an answer says whose it is. */
  readonly word: string;
  /** Of the impressions that were delivered. */
  readonly impressions: number;
  /** Books at this publisher instead of a new one. */
  readonly publisher?: string | number;
  /** In the texts of the bidder; by default `word`. */
  readonly bidderWord?: string;
}

const FLIGHT = { start_date: '2026-01-01', end_date: '2999-12-31' };

/** Everything that an advertiser has at a publisher, with a word in every text. */
export const furnish = async ({ machine, knex, word, impressions, bidderWord = word, ...at }: FurnishOptions): Promise<Furnished> => {
  const made = async (path: string, body: object): Promise<Json> => {
    const { status, body: answer } = await machine('POST', path, body);
    if (status !== 201) throw new Error(`POST ${path}: ${status} ${JSON.stringify(answer)}`);
    return answer;
  };
  const publisher = at.publisher ?? (await made('/publishers', { name: `${word} Gazette`, domain: `${word}.example` })).id;
  const placement = `${word}-top`;
  await made('/placements', { id: placement, publisher_id: publisher, width: 300, height: 250, formats: ['html'] });
  const advertiser = (await made('/advertisers', { name: `${word} Boots`, domain: `${word}-boots.example` })).id;
  const bidder = (await made('/bidders', { name: `${bidderWord} exchange`, endpoint: `https://${bidderWord}.example/bid` })).id;
  const named = { publisher_id: publisher, advertiser_id: advertiser, name: `${word} autumn` };
  const campaign = (await made('/campaigns', { ...named, ...FLIGHT })).id;
  const targeting = (await made('/targetings', { publisher_id: publisher, name: `${word} targeting` })).id;
  const item = { campaign_id: campaign, targeting_id: targeting, active: true, ...FLIGHT };
  const lineItem = (await made('/line_items', { ...item, name: `${word} line`, cpm: 2.5 })).id;
  const demand = (await made('/line_items', { ...item, name: `${word} demand`, type: 'programmatic', bidder_id: bidder })).id;
  const shown = { placement_id: placement, line_item_id: lineItem, format: 'html' };
  const creative = (await made('/creatives', { ...shown, name: `${word} creative`, content: `<b>${word}</b>` })).id;
  await made(`/campaigns/${campaign}/comments`, { text: `${word} comment` });
  await made(`/line_items/${lineItem}/comments`, { text: `${word} remark` });
  await made('/saved_reports', { name: `${word} report`, query: `filter[publisher]=${publisher}` });
  await made('/report_links', { advertiser_id: advertiser, title: `${word} link`, query: 'group_by=campaign&metrics=impressions' });
  await made('/proof_links', { campaign_id: campaign, title: `${word} proof` });
  await made(`/creatives/${creative}/proof`, { text: `${word} reply` });
  await machine('PUT', `/assets?publisher_id=${publisher}&name=${word}.svg`, svgOf(word), { 'Content-Type': 'application/octet-stream' });
  const of = { publisher_id: publisher, line_item_id: lineItem, creative_id: creative };
  await knex('reports').insert({ ...of, jti: `${word}-jti`, reason: 'other' });
  const day = new Date().toISOString().slice(0, 10);
  await knex('report_days').insert({
    ...{ ...of, day, campaign_id: campaign, advertiser_id: advertiser, placement_id: placement, reason: '', impressions },
  });
  const alert = { kind: 'ends_soon', entity: 'line_item', entity_id: String(lineItem), publisher_id: publisher };
  await knex('alerts').insert({ ...alert, words: `${word} ends` });
  const ids: Record<string, string | number> = {
    ...{ publishers: publisher, placements: placement, advertisers: advertiser, bidders: bidder, targetings: targeting },
    ...{ campaigns: campaign, line_items: lineItem, creatives: creative },
  };
  // An entity that needs nothing but a publisher.
  for (const table of ENTITY_TABLES.filter((one) => !(one in ids)))
    ids[table] = (await made(`/${table}`, { ...SENT_EXAMPLES[table], publisher_id: publisher, name: `${word} of ${table}` })).id;
  return { ids: ids as Furnished['ids'], lineItems: [lineItem, demand] };
};

const svgOf = (word: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"><rect width="${word.length}" height="20"/></svg>`;
