import type { EntityTable } from '../catalog/entities/entities.ts';
import type { EntityRecord } from './entity-kind.ts';

const flight = { start_date: '2026-10-01', end_date: '2026-12-31' };

/** A record of each kind as it is sent, without the fields that the service adds. */
export const SENT_EXAMPLES = {
  publishers: { name: 'The Gazette', domain: 'gazette.example', origins: ['https://gazette.example', 'https://*.gazette.example'] },
  placements: { id: 'article-top', publisher_id: 1, width: 728, height: 90, formats: ['banner', 'html'] },
  advertisers: {
    name: 'Boots of the North',
    domain: 'boots.example',
    categories: ['483'],
    labels: ['outdoor'],
    exclusive: false,
    exclusion_labels: ['shoes'],
    contact: 'sales@boots.example',
  },
  bidders: {
    name: 'Prebid Server',
    endpoint: 'https://pbs.example/openrtb2/auction',
    headers: { Authorization: 'Bearer 9f3c' },
    params: { prebid: { storedrequest: { id: '${PLACEMENT_ID}' } } },
    currency: 'EUR',
    bid_adjustment: 0.85,
    badv: ['casino.example'],
    schain_asi: 'ads.example',
    schain_sid: '${PUBLISHER_ID}',
    ads_txt: ['exchange.example, 1234, RESELLER, f08c47fec0942fa0'],
  },
  targetings: { publisher_id: 1, name: 'Sport, DACH', targeting: { countries: ['DE', 'AT', 'CH'], urls: ['gazette.example/sport'] } },
  campaigns: { publisher_id: 1, advertiser_id: 2, name: 'Boots, autumn', ...flight, budget: 5000 },
  line_items: {
    campaign_id: 3,
    name: 'Boots, sport readers',
    active: true,
    ...flight,
    budget_type: 'CPM',
    cpm: 4.5,
    pacing: 'Even',
    daily_impression_cap: 20_000,
    frequency_cap: 3,
    frequency_window: 86_400,
    targeting: { countries: ['FI', 'SE'], devices: ['mobile'], key_values: { section: ['sport', 'travel'] } },
  },
  creatives: {
    placement_id: 'article-top',
    line_item_id: 5,
    format: 'html',
    content: '<a href="${CLICK_URL}">Boots for the autumn</a>',
    advertiser_domain: 'boots.example',
    click_url: 'https://boots.example/',
  },
} satisfies Readonly<Record<EntityTable, EntityRecord>>;

/** The same records as they are answered. */
export const ANSWERED_EXAMPLES = {
  publishers: { id: 1, ...SENT_EXAMPLES.publishers, api_key_hint: '9f3c' },
  placements: SENT_EXAMPLES.placements,
  advertisers: { id: 2, ...SENT_EXAMPLES.advertisers },
  bidders: { id: 2, ...SENT_EXAMPLES.bidders, headers: { Authorization: 'sealed:bX3kQ0aZ' } },
  targetings: { id: 4, ...SENT_EXAMPLES.targetings },
  campaigns: { id: 3, ...SENT_EXAMPLES.campaigns },
  line_items: { id: 5, ...SENT_EXAMPLES.line_items, make_good_for: null },
  creatives: { id: 9, ...SENT_EXAMPLES.creatives, placement_ids: ['article-top'], blocked_at: null },
} satisfies Readonly<Record<EntityTable, EntityRecord>>;

/** A merge patch of each. */
export const CHANGE_EXAMPLES = {
  publishers: { origins: ['https://gazette.example'] },
  placements: { formats: ['html'] },
  advertisers: { categories: ['483', '1'] },
  bidders: { bid_adjustment: 0.9 },
  targetings: { name: 'Sport, German' },
  campaigns: { budget: 7500 },
  line_items: { active: false, daily_impression_cap: null },
  creatives: { click_url: 'https://boots.example/sale' },
} satisfies Readonly<Record<EntityTable, EntityRecord>>;
