import { createPage, type Page } from '../testkit/create-page.ts';
import { book, insertRow, type Booking } from '../testkit/book.ts';
import { inParallel } from '../testkit/in-parallel.ts';
import type { Fleet } from './rig/open-fleet.ts';
import type { Proof } from './rig/proof.ts';

const IMPS = 6;
const LABELS = ['cars', 'banks', 'travel'] as const;
const ADVERTISERS = 9;

/** What a page may show together, of a line item. */
interface Advertised {
  readonly advertiser: number;
  readonly label: string;
}

/**
 * Pages that ask for six ads, in one, two or six requests at a time. Advertisers share exclusion labels, and the publisher shows one ad of each.
 */
export const pageView: Proof = {
  name: 'page-view',
  claim: `pages of ${IMPS} impressions over 3 replicas, that ask in one request and in several at a time`,
  expected:
    'no page with a creative twice, an advertiser twice, or two advertisers that share an exclusion label; every page gets as many ads as may be together',
  run: async (rig, scale) => {
    const pages = scale.of(10_000, 300);
    const fleet = await rig.fleet({ replicas: 3 });
    const page = createPage(fleet.url, 32);
    try {
      const { booking, of } = await bookAdvertisers(fleet);
      await fleet.reload();
      const breaches: string[] = [];
      let [ads, fewer] = [0, 0];
      await inParallel(pages, 16, async (i) => {
        const shown = await showPage(page, booking, `view-${i}`, [1, 2, IMPS][i % 3]!);
        ads += shown.length;
        const found = shown.map((crid) => of.get(crid)!);
        const labels = found.map(({ label }) => label);
        if (new Set(shown).size < shown.length) breaches.push(`view ${i}: a creative twice`);
        else if (new Set(found.map(({ advertiser }) => advertiser)).size < found.length) breaches.push(`view ${i}: an advertiser twice`);
        else if (new Set(labels).size < labels.length) breaches.push(`view ${i}: ${labels.join(', ')}`);
        if (shown.length < LABELS.length) fewer++;
      });
      return {
        observed: `${pages} pages, ${ads} ads: ${breaches.length} breaches${breaches
          .slice(0, 3)
          .map((text) => `; ${text}`)
          .join('')}; ${fewer} pages with fewer ads than may be together`,
        ok: breaches.length === 0 && fewer === 0,
      };
    } finally {
      await page.close();
      await fleet.close();
    }
  },
};

/** Nine advertisers with one of three exclusion labels each, with two line items. */
const bookAdvertisers = async ({ knex }: Fleet): Promise<{ readonly booking: Booking; readonly of: ReadonlyMap<string, Advertised> }> => {
  const booking = await book(knex, { lineItems: [] });
  await knex('publishers').where({ id: booking.publisherId }).update({ one_per_advertiser: true });
  const campaign = await knex('campaigns').where({ id: booking.campaignId }).first<{ start_at: Date; end_at: Date }>('start_at', 'end_at');
  const of = new Map<string, Advertised>();
  for (let i = 0; i < ADVERTISERS; i++) {
    const label = LABELS[i % LABELS.length]!;
    const advertiser = await insertRow(knex, 'advertisers', { name: `page view ${i}`, exclusion_labels: [label] });
    const row = { publisher_id: booking.publisherId, name: 'campaign', ...campaign };
    const campaign_id = await insertRow(knex, 'campaigns', { ...row, advertiser_id: advertiser });
    for (let n = 0; n < 2; n++) {
      const item = { campaign_id, name: 'line item', active: true, cpm_micros: 1_000_000, priority: 2, ...campaign };
      const line_item_id = await insertRow(knex, 'line_items', item);
      const creative = { placement_id: booking.placementId, line_item_id, format: 'html', content: '<b>ad</b>' };
      of.set(String(await insertRow(knex, 'creatives', creative)), { advertiser, label });
    }
  }
  return { booking, of };
};

/** The creatives that a page gets, asked for in as many requests at a time. */
const showPage = async (page: Page, booking: Booking, view: string, requests: number): Promise<readonly string[]> => {
  const placementIds = Array.from({ length: IMPS / requests }, () => booking.placementId);
  const answers = await Promise.all(Array.from({ length: requests }, () => page.ask(booking, view, { placementIds, pageView: view })));
  return answers.flatMap(({ bids }) => bids.map(({ crid }) => crid));
};
