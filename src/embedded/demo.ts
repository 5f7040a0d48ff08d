import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Knex } from 'knex';
import { withDatabase } from '../base/with-database.ts';
import { ROWS } from '../catalog/postgres/rows.ts';
import { hashApiKey } from '../catalog/model/hash-api-key.ts';
import { CHECKS } from '../catalog/checks/check-entities.ts';
import { keptSecret } from '../config/kept-secret.ts';
import type { Settings } from '../config/settings.ts';
import type { StoreAddresses } from '../replica/connect-stores.ts';
import { rowOf } from './row-of.ts';
import { countInRedis } from './large-demo/count-in-redis.ts';
import { refuseOtherData, storeLargeDemo } from './large-demo/store-large-demo.ts';

type Fields = Readonly<Record<string, unknown>>;

/** demo-data.json: the shapes of the trafficking API, children within their parents. */
interface DemoData {
  readonly publisher: Fields & { readonly domain: string };
  /** Of every campaign and line item. */
  readonly flight: Fields;
  readonly placements: readonly Fields[];
  readonly campaigns: readonly (Fields & { readonly advertiser?: Fields; readonly line_items: readonly DemoLineItem[] })[];
}

type DemoLineItem = Fields & {
  /** A path of this service. */
  readonly endpoint?: string;
  /** `content` is written out as an object where the API takes JSON text. */
  readonly creatives: readonly (Fields & { readonly content: string | object })[];
};

/** The publisher whose pages are under /static/demo/. */
export interface Demo {
  readonly publisherId: number;
  readonly apiKey: string;
  /** Text of /static/demo/demo-config.js. */
  config(): string;
  /** What to do next, printed after the start. */
  greeting(): string;
}

/**
 * Fills an empty database with a demonstration publisher, placements and campaigns; with
 * DEMO_DATA=large also with the bookings and the history of a group of publishers. The database
 * stores only the hash of the API key, so the key itself is kept in the state folder; if that file
 * is missing, the publisher gets a new key.
 */
export const prepareDemo = async (settings: Settings, addresses: StoreAddresses): Promise<Demo | undefined> => {
  const { stateDir, port } = settings;
  const isLarge = settings.demoData === 'large';
  const apiKey = keptSecret(path.join(stateDir, 'demo-api-key'), `pk_demo_${randomBytes(18).toString('base64url')}`);
  return withDatabase(addresses.databaseUrl, async (knex) => {
    const data = JSON.parse(await readFile(fileURLToPath(new URL('./demo-data.json', import.meta.url)), 'utf8')) as DemoData;
    const { publisherId, isNew } = await knex.transaction(async (trx) => {
      if (isLarge) await refuseOtherData(trx);
      const id = await seedOnce(trx, data, apiKey, port);
      return { publisherId: id, isNew: isLarge && (await storeLargeDemo(trx, Date.now())) };
    });
    if (isNew) {
      await knex.raw('analyze');
      await countInRedis(settings, addresses);
    }
    return publisherId === undefined
      ? undefined
      : {
          publisherId,
          apiKey,
          config: () => configOf(publisherId, apiKey),
          greeting: () => greetingOf(settings, publisherId, apiKey),
        };
  });
};

/** The id of the demo publisher; undefined when it has been deleted. */
const seedOnce = async (
  trx: Knex.Transaction,
  { publisher, flight, placements, campaigns }: DemoData,
  apiKey: string,
  port: number,
): Promise<number | undefined> => {
  const hash = hashApiKey(apiKey);
  const keyColumns = { api_key_hash: hash, api_key_hint: apiKey.slice(-4) };
  const known = await trx('publishers').where({ domain: publisher.domain }).first<{ id: number } | undefined>('id');
  if (known) {
    await trx('publishers').where({ id: known.id }).whereNot({ api_key_hash: hash }).update(keyColumns);
    return known.id;
  }
  if (await trx('publishers').first('id')) return undefined;

  const insert = async (table: string, row: object): Promise<number> => {
    const [inserted] = await trx(table).insert(row).returning<{ id: number }[]>('id');
    return inserted!.id;
  };
  const publisherId = await insert('publishers', { ...rowOf(ROWS.publishers, CHECKS.publishers(publisher)), ...keyColumns });
  for (const placement of placements)
    await trx('placements').insert(rowOf(ROWS.placements, CHECKS.placements({ ...placement, publisher_id: publisherId })));
  for (const { line_items, advertiser, ...campaign } of campaigns) {
    const advertiserId = advertiser ? await insert('advertisers', rowOf(ROWS.advertisers, CHECKS.advertisers(advertiser))) : null;
    const fields = { ...flight, ...campaign, publisher_id: publisherId, advertiser_id: advertiserId };
    const campaignId = await insert('campaigns', rowOf(ROWS.campaigns, CHECKS.campaigns(fields)));
    for (const { creatives, endpoint, ...lineItem } of line_items) {
      const bidder = endpoint === undefined ? {} : { endpoint: `http://127.0.0.1:${port}${endpoint}` };
      const fields = { ...flight, active: true, ...lineItem, ...bidder, campaign_id: campaignId };
      const lineItemId = await insert('line_items', rowOf(ROWS.line_items, CHECKS.line_items(fields, { dimensions: new Map() })));
      for (const { content, ...creative } of creatives) {
        const text = typeof content === 'string' ? content : JSON.stringify(content);
        await trx('creatives').insert(rowOf(ROWS.creatives, CHECKS.creatives({ ...creative, content: text, line_item_id: lineItemId })));
      }
    }
  }
  return publisherId;
};

const configOf = (publisherId: number, apiKey: string): string =>
  `window.AD_SERVER_PUBLISHER_ID = ${publisherId};\nwindow.AD_SERVER_API_KEY = ${JSON.stringify(apiKey)};\n`;

const greetingOf = ({ port, adminEnabled }: Settings, publisherId: number, apiKey: string): string => {
  const base = `http://localhost:${port}`;
  const request = { id: '1', imp: [{ id: '1', tagid: 'article-top' }], user: { id: 'me' }, ext: { publisher_id: publisherId } };
  return `
The ad server is running at ${base}

  A first ad:    curl -s ${base}/ad -H 'X-API-Key: ${apiKey}' -d '${JSON.stringify(request)}'
  Why this ad:   the same with ${base}/ad?debug=1

  Demo pages     ${base}/static/demo/
${adminEnabled ? `  Trafficking    ${base}/static/admin.html\n` : ''}  Metrics        ${base}/metrics

  Demo publisher ${publisherId}, API key ${apiKey}
  Ctrl-C stops the service and its stores; the data is kept.

`;
};
