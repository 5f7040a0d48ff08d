const flight = { start_date: '2026-10-01', end_date: '2026-12-31' };

/** Records of the catalog as they are sent, without the fields that the service adds. */
const SENT = {
  Publisher: { name: 'The Gazette', domain: 'gazette.example', origins: ['https://gazette.example', 'https://*.gazette.example'] },
  Placement: { id: 'article-top', publisher_id: 1, width: 728, height: 90, formats: ['banner', 'html'] },
  Advertiser: {
    name: 'Boots of the North',
    domain: 'boots.example',
    categories: ['483'],
    labels: ['outdoor'],
    contact: 'sales@boots.example',
  },
  Bidder: {
    name: 'Prebid Server',
    endpoint: 'https://pbs.example/openrtb2/auction',
    headers: { Authorization: 'Bearer 9f3c' },
    params: { prebid: { storedrequest: { id: '${PLACEMENT_ID}' } } },
    currency: 'EUR',
    bid_adjustment: 0.85,
    badv: ['casino.example'],
  },
  Campaign: { publisher_id: 1, advertiser_id: 2, name: 'Boots, autumn', ...flight, budget: 5000 },
  LineItem: {
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
    targeting: { countries: ['FI', 'SE'], devices: ['mobile'], key_values: { section: ['sport', 'outdoors'] } },
  },
  Creative: {
    placement_id: 'article-top',
    line_item_id: 5,
    format: 'html',
    content: '<a href="${CLICK_URL}">Boots for the autumn</a>',
    advertiser_domain: 'boots.example',
    click_url: 'https://boots.example/',
  },
};

/** Bodies of the trafficking API that carry a record, and the records as they are answered. */
export const CATALOG_EXAMPLES = {
  ...Object.fromEntries(Object.entries(SENT).map(([name, record]) => [`New${name}`, record])),
  Publisher: { id: 1, ...SENT.Publisher, api_key_hint: '9f3c' },
  Placement: SENT.Placement,
  Advertiser: { id: 2, ...SENT.Advertiser },
  Bidder: { id: 2, ...SENT.Bidder, headers: { Authorization: 'sealed:bX3kQ0aZ' } },
  Campaign: { id: 3, ...SENT.Campaign },
  LineItem: { id: 5, ...SENT.LineItem },
  Creative: { id: 9, ...SENT.Creative, blocked_at: null },
  PublisherChange: { origins: ['https://gazette.example'] },
  PlacementChange: { formats: ['banner'] },
  AdvertiserChange: { categories: ['483', '1'] },
  BidderChange: { bid_adjustment: 0.9 },
  CampaignChange: { budget: 7500 },
  LineItemChange: { active: false, daily_impression_cap: null },
  CreativeChange: { click_url: 'https://boots.example/sale' },
};
