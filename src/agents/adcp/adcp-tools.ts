import * as s from '../../base/schema.ts';
import { CHANGES, READS, tell, type Tool } from '../tool.ts';
import { listAccounts, syncAccounts } from './accounts.ts';
import { isFault, refuseBuyer, adcpFault } from './adcp-fault.ts';
import { readBuyer } from './buyer.ts';
import { createCallOnce } from './call-once.ts';
import { capabilities, MAJOR_VERSIONS } from './capabilities.ts';
import { createMediaBuy } from './create-media-buy.ts';
import { getMediaBuyDelivery } from './delivery.ts';
import { getProducts, listCreativeFormats } from './get-products.ts';
import { getMediaBuys } from './media-buys.ts';
import type { BuyerTool, Seller } from './seller.ts';
import { listCreatives, syncCreatives } from './sync-creatives.ts';
import { getTask } from './tasks.ts';
import { updateMediaBuy } from './update-media-buy.ts';

type Schemas = Readonly<Record<string, object>>;

const text = s.textOf({ minLength: 1, maxLength: 1_000 });
const words = s.textOf({ maxLength: 20_000 });
const ids = s.listOf(s.textOf({ minLength: 1, maxLength: 128 }), { maxItems: 100 });
const object = s.anyObject();
const amount = s.numberOf({ minimum: 0 });
const key = s.textOf({
  pattern: '^[A-Za-z0-9_.:-]{16,255}$',
  description: 'Of your choice, such as a UUID: a call that is sent again is carried out once',
});
const formatId = { type: 'object', properties: { agent_url: text, id: text }, required: ['id'] };
const assignment = { type: 'object', properties: { creative_id: text, package_id: text }, required: ['creative_id'] };

const packageMembers: Schemas = {
  ...{ budget: amount, bid_price: amount, impressions: amount, paused: s.boolean, start_time: s.moment, end_time: s.moment },
  ...{ targeting_overlay: object, creative_assignments: { type: 'array', items: assignment, maxItems: 100 } },
};
/** Members that are not named are read as if they were not sent, unless a tool refuses them. */
const open = (properties: Schemas, required: readonly string[] = []) => ({ type: 'object', properties, required });
const listOf = (items: object, maxItems: number) => ({ type: 'array', items, minItems: 1, maxItems });

const newPackage = open({ ...packageMembers, product_id: text, pricing_option_id: text, format_ids: listOf(formatId, 100) }, [
  ...['product_id', 'pricing_option_id', 'budget'],
]);
const changedPackage = open({ ...packageMembers, package_id: text, canceled: { const: true } }, ['package_id']);
const creative = open({ creative_id: text, name: text, format_id: formatId, assets: object }, ['creative_id', 'format_id', 'assets']);
const page = { pagination: open({ max_results: s.integerOf({ minimum: 1, maximum: 100 }), cursor: text }) };
const every: Schemas = { adcp_major_version: s.integer, account: object, brand: object, context: object, ext: object };

interface Defined extends Pick<Tool, 'name' | 'title' | 'description' | 'hints' | 'input'> {
  /** It is carried out once for each idempotency_key. */
  readonly isOnce?: boolean;
  readonly run: BuyerTool;
}

type Define = (
  name: string,
  title: string,
  description: string,
  properties: Schemas,
  run: BuyerTool,
  required?: readonly string[],
) => Defined;

const reads: Define = (name, title, description, properties, run, required) => ({
  ...{ name, title, description, hints: READS, run },
  input: open({ ...every, ...properties }, required),
});
const changes: Define = (name, title, description, properties, run, required = []) => ({
  ...{ name, title, description, hints: CHANGES, isOnce: true, run },
  input: open({ ...every, idempotency_key: key, ...properties }, ['idempotency_key', ...required]),
});

const TOOLS: readonly Defined[] = [
  reads('list_accounts', 'List accounts', 'The advertisers for which this token buys.', page, listAccounts),
  reads(
    'sync_accounts',
    'Find accounts',
    'Finds the accounts of brands. Only the publisher makes new ones.',
    {
      accounts: listOf(open({ brand: open({ domain: text }, ['domain']), operator: text }, ['brand', 'operator']), 100),
      idempotency_key: key,
    },
    syncAccounts,
    ['accounts'],
  ),
  reads(
    'get_products',
    'What is for sale',
    'Placements for sale, with their prices, formats and free impressions, those first that a brief names.',
    {
      ...{ buying_mode: s.oneOf(['brief', 'wholesale', 'refine']), brief: words, filters: object, brand: object },
      ...{ refine: listOf(open({ scope: text, ask: words, product_id: text }, ['scope']), 50), ...page },
    },
    getProducts,
  ),
  reads(
    'list_creative_formats',
    'Formats of creatives',
    'What creatives the products take, with their assets.',
    { format_ids: listOf(formatId, 100), ...page },
    listCreativeFormats,
  ),
  changes(
    'create_media_buy',
    'Buy',
    'Buys packages of products for a flight. Where the publisher decides itself, the answer is a task.',
    {
      ...{ brand: object, start_time: text, end_time: s.moment, packages: listOf(newPackage, 50), po_number: text, total_budget: object },
      push_notification_config: open({ url: text, authentication: object }, ['url']),
    },
    createMediaBuy,
    ['start_time', 'end_time', 'packages'],
  ),
  changes(
    'update_media_buy',
    'Change a media buy',
    'Pauses, resumes, cancels or changes a media buy or its packages: all of it, or nothing.',
    {
      ...{
        media_buy_id: text,
        revision: s.integer,
        paused: s.boolean,
        canceled: { const: true },
        cancellation_reason: s.textOf({ maxLength: 500 }),
      },
      ...{ start_time: text, end_time: s.moment, packages: listOf(changedPackage, 50) },
    },
    updateMediaBuy,
    ['media_buy_id'],
  ),
  reads(
    'get_media_buys',
    'Media buys',
    'What was bought, with its status and packages.',
    { media_buy_ids: ids, status_filter: { anyOf: [text, ids] }, ...page },
    getMediaBuys,
  ),
  reads(
    'get_media_buy_delivery',
    'Delivery',
    'Net impressions, clicks and spend by media buy, package and day.',
    {
      media_buy_ids: ids,
      start_date: s.textOf({ format: 'date' }),
      end_date: s.textOf({ format: 'date' }),
      include_package_daily_breakdown: s.boolean,
    },
    getMediaBuyDelivery,
  ),
  changes(
    'sync_creatives',
    'Send creatives',
    'Takes creatives, new ones and changed ones, and assigns them to packages.',
    {
      creatives: listOf(creative, 100),
      assignments: { type: 'array', items: open({ creative_id: text, package_id: text }, ['creative_id', 'package_id']) },
      dry_run: s.boolean,
    },
    syncCreatives,
    ['creatives'],
  ),
  reads(
    'list_creatives',
    'List creatives',
    'The creatives that were sent.',
    { filters: open({ creative_ids: ids }), ...page },
    listCreatives,
  ),
  reads('tasks/get', 'A task', 'Whether a media buy that the publisher decides on was approved.', { task_id: text }, getTask, ['task_id']),
];

/** Answers without a token. */
export const CAPABILITIES = 'get_adcp_capabilities';

/** The tools of the Ad Context Protocol for buyers. */
export const adcpTools = (seller: Seller): readonly Tool[] => {
  const callOnce = createCallOnce(seller);
  return [
    {
      ...{
        name: CAPABILITIES,
        title: 'Capabilities',
        description: 'What this seller understands of the Ad Context Protocol.',
        hints: READS,
      },
      ...{ route: { needs: 'sign_in', reach: 'any' }, input: open(every) },
      run: () => Promise.resolve(tell(capabilities(seller))),
    },
    ...TOOLS.map(({ isOnce, run, ...shown }): Tool => ({
      ...shown,
      route: { needs: 'media_buys.write', reach: 'own' },
      run: async (given, call) => {
        const version = given['adcp_major_version'] ?? MAJOR_VERSIONS[0];
        if (!MAJOR_VERSIONS.includes(version as number)) {
          const known = MAJOR_VERSIONS.join(', ');
          return refuseBuyer([
            adcpFault('VERSION_UNSUPPORTED', `Version ${JSON.stringify(version)} is not understood: it must be one of ${known}.`),
          ]);
        }
        const work = async () => {
          const buyer = await readBuyer(seller.knex, call.who);
          if (isFault(buyer)) return refuseBuyer([buyer]);
          const told = await run(given, { seller, buyer, call });
          if (isFault(told)) return refuseBuyer([told]);
          return 'value' in told ? told : refuseBuyer(told);
        };
        return isOnce ? callOnce({ caller: call.caller, tool: shown.name, given }, work) : work();
      },
    })),
  ];
};
