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

const status = {
  value: 'behind',
  reasons: ['Behind by 16.9% today: 4,237 delivered or reserved of 5,100 due by now'],
  off_pace: 0.17,
  held_until: null,
  stuck_creatives: [],
};

const listed = {
  live: true,
  impressions_today: 4237,
  spend_today: 21.185,
  progress: { of: 'goal_impressions', done: 58_100, limit: 200_000 },
};

/** Bodies about delivery: live figures, reports, explanations and the audit trail. */
export const DELIVERY_EXAMPLES = {
  Delivery: {
    line_item_id: 5,
    at,
    day: '2026-10-14',
    live: true,
    status,
    today: { ...figures, held: 37, committed: 4237 },
    yesterday: figures,
    total: { impressions: 58_100, clicks: 290, spend: 261.45 },
    goals: [
      {
        of: 'impressions',
        goal: 200_000,
        delivered: 58_100,
        due: 62_400,
        course: 'behind',
        behind: 0.0689,
        expected_end: 191_300,
        words: 'Behind by 6.9%: 58,100 of 200,000 impressions, 62,400 due by now. It will end at about 191,300 if it goes on like this.',
      },
    ],
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
  Statuses: {
    line_items: { 5: status },
    campaigns: { 3: { ...status, reasons: ['1 of 4 line items need attention'] } },
    deliveries: { 5: listed },
  },
  ListedDelivery: listed,
  NewSavedView: { kind: 'line_items', name: 'Behind, direct', query: 'status=behind&type=direct&sort=-spend_today' },
  SavedView: { id: 2, kind: 'line_items', name: 'Behind, direct', query: 'status=behind&type=direct&sort=-spend_today' },
  Attention: {
    at,
    line_items: { delivering: 412, behind: 3 },
    groups: [
      {
        kind: 'behind',
        total: 3,
        rows: [
          {
            table: 'line_items',
            id: 5,
            name: 'Boots, sport readers',
            text: 'Behind by 16.9% today: 4,237 delivered or reserved of 5,100 due by now',
          },
        ],
      },
    ],
    ended: [{ line_item_id: 4, name: 'Boots, summer', ended_at: '2026-10-14T00:00:00.000Z', impressions: 200_000, spend: 900 }],
    records: { publishers: 2, placements: 12, campaigns: 40, line_items: 96, creatives: 131 },
    health: { replicas: 3, counters: true, catalog_version: 84, catalog_age_seconds: 12 },
  },
  NewComment: { text: 'The client wants it only on weekdays from Monday.' },
  Comment: { id: 12, at, actor: 'ann', text: 'The client wants it only on weekdays from Monday.' },
  PlacementRefusals: {
    placement_id: 'article-top',
    from: '2026-10-14',
    to: '2026-10-14',
    requests: 12_000,
    unfilled: 1_080,
    reasons: [{ reason: 'daily_cap', words: 'the daily cap is delivered or reserved', requests: 1_080, share: 0.09 }],
  },
  Refusals: {
    line_item_id: 5,
    from: '2026-10-14',
    to: '2026-10-14',
    off_target: 9100,
    lost: 2000,
    reasons: [
      {
        reason: 'outranked',
        words: 'another line item ranks before it',
        impressions: 1640,
        share: 0.82,
        outranked_by: [{ line_item_id: 8, line_item: 'Sponsor', impressions: 1640 }],
        remedy: { label: 'Raise the price to $8.01 CPM', table: 'line_items', id: 5, patch: { cpm: 8.01 } },
      },
      {
        reason: 'frequency_capped',
        words: 'the user has reached the frequency cap',
        impressions: 360,
        share: 0.18,
        outranked_by: [],
        remedy: null,
      },
    ],
    hours: [{ hour: '2026-10-14T11:00:00.000Z', off_target: 9100, lost: 2000 }],
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
    placement_ids: ['article-top', 'home-top'],
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
