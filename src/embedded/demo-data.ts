/** Demonstration data in the shapes of the trafficking API; ids of parents are filled in as they are made. */
export interface DemoData {
  readonly placements: readonly object[];
  readonly campaigns: readonly (Fields & { readonly line_items: readonly (Fields & { readonly creatives: readonly object[] })[] })[];
}

type Fields = Readonly<Record<string, unknown>>;

const html = (placement: string, title: string, text: string, colours: string) => ({
  placement_id: placement,
  format: 'html',
  content: `<a href="https://example.com/" target="_blank" rel="noopener" style="display:flex;flex-direction:column;justify-content:center;align-items:center;gap:6px;box-sizing:border-box;width:100%;height:100vh;padding:12px;text-align:center;text-decoration:none;font-family:system-ui,sans-serif;background:${colours};color:#fff"><strong style="font-size:clamp(18px,4vw,28px)">${title}</strong><span style="font-size:14px;opacity:.9">${text}</span></a>`,
  advertiser_domain: 'example.com',
});

/** Flights begin yesterday and last a year, so that a service that is started today has something to serve. */
export const demoData = (now: Date, port: number): DemoData => {
  const day = (offset: number): string => new Date(now.getTime() + offset * 86_400_000).toISOString().slice(0, 10);
  const flight = { start_date: day(-1), end_date: day(365) };
  return {
    placements: [
      { id: 'article-top', width: 728, height: 90, formats: ['html', 'banner'] },
      { id: 'article-mid', width: 300, height: 250, formats: ['html', 'banner'] },
      { id: 'article-side', width: 300, height: 600, formats: ['html', 'banner'] },
      { id: 'feed-1', width: 600, height: 400, formats: ['native'] },
      { id: 'feed-2', width: 600, height: 400, formats: ['native'] },
      { id: 'takeover', width: 970, height: 250, formats: ['html'] },
      { id: 'empty-slot', width: 300, height: 250, formats: ['html', 'banner'] },
    ],
    campaigns: [
      {
        name: 'Autumn outdoors',
        ...flight,
        budget: 5000,
        line_items: [
          {
            name: 'Outdoors, run of site',
            ...flight,
            active: true,
            budget_type: 'CPM',
            cpm: 3.5,
            pacing: 'Even',
            daily_impression_cap: 100000,
            creatives: [
              html(
                'article-top',
                'Walk further this autumn',
                'Boots that have seen the hills before you',
                'linear-gradient(120deg,#14532d,#65a30d)',
              ),
              html(
                'article-side',
                'Walk further this autumn',
                'Boots that have seen the hills before you',
                'linear-gradient(160deg,#14532d,#65a30d)',
              ),
              html(
                'takeover',
                'Walk further this autumn',
                'Boots that have seen the hills before you',
                'linear-gradient(120deg,#14532d,#65a30d)',
              ),
            ],
          },
          {
            name: 'Outdoors, in the feed',
            ...flight,
            active: true,
            budget_type: 'CPC',
            cpc: 0.4,
            budget: 1000,
            creatives: ['feed-1', 'feed-2'].map((placement_id, i) => ({
              placement_id,
              format: 'native',
              content: JSON.stringify({
                title: ['A tent for two and a dog', 'Tea that stays hot on the summit'][i],
                description: ['Pitched in three minutes, dry in ten.', 'Steel, one litre, a lifetime of mornings.'][i],
                brand: 'Hillside Supply',
                sponsored: 'Sponsored',
                offer: ['From 249 USD', 'Free shipping this week'][i],
              }),
              advertiser_domain: 'example.com',
              click_url: 'https://example.com/',
            })),
          },
        ],
      },
      {
        name: 'Exchange demand',
        ...flight,
        line_items: [
          {
            name: 'Test bidder',
            ...flight,
            type: 'programmatic',
            active: true,
            budget_type: 'CPM',
            priority: 3,
            endpoint: `http://127.0.0.1:${port}/test/bid`,
            creatives: [{ placement_id: 'article-mid', format: 'html', content: '<!-- the bidder brings the markup -->' }],
          },
        ],
      },
      {
        name: 'House ads',
        ...flight,
        line_items: [
          {
            name: 'Subscribe',
            ...flight,
            active: true,
            budget_type: 'Flat',
            cpm: 0.1,
            priority: 3,
            creatives: [
              html(
                'article-top',
                'Read the Gazette every day',
                'Subscribe for the price of a coffee',
                'linear-gradient(120deg,#1e3a8a,#0ea5e9)',
              ),
              html(
                'article-mid',
                'Read the Gazette every day',
                'Subscribe for the price of a coffee',
                'linear-gradient(120deg,#1e3a8a,#0ea5e9)',
              ),
              html(
                'article-side',
                'Read the Gazette every day',
                'Subscribe for the price of a coffee',
                'linear-gradient(160deg,#1e3a8a,#0ea5e9)',
              ),
            ],
          },
        ],
      },
    ],
  };
};
