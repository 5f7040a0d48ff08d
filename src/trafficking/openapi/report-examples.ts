const at = '2026-10-14T12:00:00.000Z';

export const REPORT_EXAMPLES = {
  Report: {
    ...{ from: '2026-10-01', to: '2026-10-31', time_zone: 'Europe/Berlin', group_by: ['campaign'], metrics: ['impressions', 'revenue'] },
    filter: { publisher: ['1'] },
    columns: [
      { name: 'campaign_id', label: 'Campaign id', kind: 'id' },
      { name: 'campaign', label: 'Campaign', kind: 'name' },
      { name: 'impressions', label: 'Impressions', kind: 'count' },
      { name: 'revenue', label: 'Revenue', kind: 'usd' },
    ],
    row_count: 1,
    rows: [{ campaign_id: 3, campaign: 'Boots, autumn', impressions: 58_100, revenue: 261.45 }],
    totals: { impressions: 58_100, revenue: 261.45 },
  },
  ReportFields: {
    dimensions: [{ name: 'campaign', label: 'Campaign', kind: 'id', table: 'campaigns', filter: true }],
    metrics: [{ name: 'impressions', label: 'Impressions', kind: 'count', help: 'Net', of: ['hits'], dimensions: ['day', 'campaign'] }],
    sets: [{ of: 'hits', dimensions: ['day', 'campaign'] }],
    ranges: [{ name: 'last_30_days', label: 'Last 30 days' }],
  },
  SavedReport: {
    name: 'Campaigns of the week',
    query: 'group_by=campaign&metrics=impressions,revenue&range=last_week',
    schedule: {
      ...{ every: 'week', hour: 7, time_zone: 'Europe/Berlin', format: 'xlsx' },
      ...{ emails: ['sales@gazette.example'], webhook: 'https://gazette.example/reports' },
    },
  },
  Statement: {
    ...{ publisher_id: 1, month: '2026-10', time_zone: 'Europe/Berlin', currency: 'EUR', rate: 0.9, closed_at: null, closed_by: null },
    closed_months: ['2026-09', '2026-08'],
    advertisers: [
      {
        advertiser_id: 2,
        advertiser: 'Boots of the North',
        impressions: 58_100,
        clicks: 290,
        corrections: 0,
        revenue: 261.45,
        amount: 235.305,
      },
    ],
    lines: [
      {
        ...{
          month: '2026-10',
          of_month: '2026-10',
          advertiser_id: 2,
          advertiser: 'Boots of the North',
          campaign_id: 3,
          campaign: 'Boots, autumn',
        },
        ...{ impressions: 58_100, clicks: 290, revenue: 261.45, amount: 235.305, currency: 'EUR' },
      },
    ],
    totals: { impressions: 58_100, clicks: 290, corrections: 0, revenue: 261.45, amount: 235.305 },
  },
  Alert: {
    ...{ id: 71, kind: 'under_delivery', entity: 'line_item', entity_id: '5', publisher_id: 1 },
    words:
      '“Boots, sport readers” is behind by 32%: 6,800 of 25,000 impressions, 10,000 due by now. It will end at about 17,000 if it goes on like this.',
    ...{ opened_at: at, closed_at: null, muted: false },
  },
  AlertMute: { kind: 'ends_soon', entity_id: '5', until: at },
  AlertMuteRequest: { kind: 'ends_soon', entity_id: '5', days: 7 },
  AlertRecipient: {
    kinds: ['under_delivery', 'budget_spent', 'complaints'],
    ...{ publisher_id: null, emails: ['sales@gazette.example'], webhook: 'https://gazette.example/alerts' },
  },
  OpenMonth: { publisher_id: 1, publisher: 'The Gazette', month: '2026-10' },
  MonthToClose: { publisher_id: 1, month: '2026-10' },
  ReportLinkRequest: { advertiser_id: 2, query: 'group_by=day,campaign&metrics=impressions,clicks,ctr&range=this_month', days: 30 },
  ReportLink: {
    token: 'eyJhbGciOiJIUzI1NiIsImtpZCI6ImRlZmF1bHQifQ.eyJhIjoyfQ.s8Kx',
    url: 'https://ads.gazette.example/static/report/#eyJhbGciOiJIUzI1NiIsImtpZCI6ImRlZmF1bHQifQ.eyJhIjoyfQ.s8Kx',
    expires: '2026-11-13T12:00:00.000Z',
  },
};
