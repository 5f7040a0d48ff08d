const at = '2026-10-14T12:00:00.000Z';
const counted = {
  serves: 5200,
  gross_impressions: 4310,
  filtered_impressions: 110,
  impressions: 4200,
  gross_clicks: 26,
  filtered_clicks: 5,
  clicks: 21,
};
const byName = { events: { like: 3, viewable: 3100 }, filtered: { impression_spider: 110, click_fast: 5 } };
const figures = { ...counted, spend: 18.9, ...byName };
const reported = { ...counted, viewable: 3100, ctr: 0.005, ...byName, spend: 18.9, ecpm: 4.5 };
const page = { id: 'page-view-81', imp: [{ id: '1', tagid: 'article-top' }], user: { id: 'reader-7' }, ext: { publisher_id: 1 } };

/** Bodies about delivery: live figures, reports, explanations and the audit trail. */
export const DELIVERY_EXAMPLES = {
  Delivery: {
    line_item_id: 5,
    at,
    day: '2026-10-14',
    live: true,
    status: { value: 'active', reasons: [] },
    today: { ...figures, held: 37, committed: 4237 },
    yesterday: figures,
    total: { impressions: 58_100, spend: 261.45 },
    limits: { daily_impression_cap: 20_000, daily_spend_cap: null, budget: null, campaign_budget: 5000, campaign_spend: 261.45 },
    pacing: {
      mode: 'Even',
      goal: 20_000,
      target: 4180,
      began: { share: 0, impressions: 0 },
      permits: 12,
      curve: Array.from({ length: 24 }, () => 1 / 24),
    },
    frequency: { places: 3, window: 86_400 },
    hourly: [{ hour: 0, impressions: 190, clicks: 1 }],
    last_days: [{ day: '2026-10-13', ...counted, spend: 18.9 }],
  },
  CampaignReport: {
    campaign_id: 3,
    from: '2026-10-14',
    to: '2026-10-14',
    row_count: 1,
    rows: [{ day: '2026-10-14', line_item_id: 5, line_item: 'Boots, sport readers', creative_id: 9, ...reported }],
    totals: reported,
    flat_fees: 0,
  },
  AdvertiserReport: {
    advertiser_id: 2,
    from: '2026-10-14',
    to: '2026-10-14',
    row_count: 1,
    rows: [{ day: '2026-10-14', campaign_id: 3, campaign: 'Boots, autumn', ...reported }],
    totals: reported,
    flat_fees: 0,
  },
  ReportedCreative: {
    creative_id: 9,
    line_item_id: 5,
    publisher_id: 1,
    total: 4,
    reasons: { misleading: 3, other: 1 },
    last_at: at,
    blocked_at: null,
    deleted: false,
    placement_id: 'article-top',
    line_item: 'Boots, sport readers',
    advertiser_domain: 'boots.example',
  },
  AuditRow: {
    id: 41,
    at,
    actor: 'ann',
    action: 'update',
    entity: 'campaign',
    entity_id: '3',
    before: { budget: 5000 },
    after: { budget: 7500 },
  },
  Dimensions: { type: 'object', properties: { section: { type: 'string', enum: ['news', 'sport'] } } },
  BulkChange: {
    operations: [
      { method: 'PATCH', path: '/line_items/5', body: { active: false } },
      { method: 'PATCH', path: '/campaigns/3', body: { archived: true } },
    ],
  },
  BulkResults: {
    results: [
      { status: 200, body: { id: 5, active: false } },
      { status: 200, body: { id: 3, archived: true } },
    ],
  },
  Question: { request: page, line_item_id: 5 },
  Explanation: {
    request_id: 'page-view-81',
    line_item_id: 5,
    at,
    snapshot_version: 12,
    context: { country: 'FI', device: 'desktop', may_remember_user: true },
    outcome: 'stopped',
    summary: 'stopped at targeting: devices: the request has desktop',
    creatives: [
      {
        creative_id: 9,
        impid: '1',
        outcome: 'stopped',
        stage: 'targeting',
        detail: 'devices: the request has desktop',
        reason: 'targeting',
        nbr: 503,
        limits: null,
      },
    ],
  },
  DebugGrantRequest: { publisher_id: 1 },
  DebugGrant: { token: 'eyJ…', url: 'https://ads.example.com/ad?debug=1&debug_grant=eyJ…', expires: at },
};
