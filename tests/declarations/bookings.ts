import type { Json } from '../api/api-client.ts';

/** A declaration of a publisher with a bit of everything, in the order of an export. @param key of the publisher, and part of the ids of its placements */
export const bookings = (key: string): Json => ({
  version: 1,
  publisher: { key, name: 'The Gazette', domain: 'gazette.example', time_zone: 'Europe/Berlin', blocked_advertisers: [`${key}-casino`] },
  advertisers: [
    { key: `${key}-boots`, name: 'Boots of the North', domain: 'boots.example', labels: ['outdoor'] },
    { key: `${key}-casino`, name: 'Casino' },
  ],
  bidders: [{ key: `${key}-exchange`, name: 'Exchange', endpoint: 'https://exchange.example/openrtb', gvl_id: 12 }],
  placements: [
    { id: `${key}-side`, width: 300, height: 600, formats: ['html'], floor: 1.25 },
    { id: `${key}-top`, width: 300, height: 250, formats: ['html', 'banner'] },
  ],
  targetings: [{ key: `${key}-dach`, name: 'DACH', targeting: { countries: ['AT', 'CH', 'DE'] } }],
  campaigns: [
    {
      ...{ key: 'spring', name: 'Spring', advertiser: `${key}-boots`, start_date: '2026-03-01', end_date: '2999-12-31', budget: 1200.5 },
      line_items: [
        {
          ...{ key: 'network', type: 'programmatic', active: false, start_date: '2026-03-01', end_date: '2999-12-31' },
          ...{ bidder: `${key}-exchange`, deal_id: 'd-1', named_targeting: `${key}-dach` },
        },
        {
          ...{ key: 'sport', name: 'Sport readers', active: true, start_date: '2026-03-01', end_date: '2999-12-31', cpm: 4.5 },
          ...{ goal_impressions: 120_000, pacing: 'Even', targeting: { countries: ['DE', 'AT'], devices: ['mobile'] } },
          creatives: [
            { key: 'blue', placements: [`${key}-side`], format: 'html', content: '<p>\nblue: "yes"\n</p>' },
            { key: 'red', name: 'Red', placements: [`${key}-top`, `${key}-side`], format: 'html', content: '<p>red</p>', weight: 3 },
          ],
        },
      ],
    },
    { key: 'winter', name: 'Winter', start_date: '2026-12-01', end_date: '2999-12-31', active: false },
  ],
});
