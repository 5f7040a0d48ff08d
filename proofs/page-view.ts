import { createPage, type Page } from '../testkit/create-page.ts';
import { book, insertRow, type Booking } from '../testkit/book.ts';
import { inParallel } from '../testkit/in-parallel.ts';
import type { Fleet } from './rig/open-fleet.ts';
import type { Proof } from './rig/proof.ts';

const IMPS = 6;
const LABELS = ['cars', 'banks', 'travel'] as const;
const ADVERTISERS = 9;
/** Roadblocks, by how many of the first placements each is on; with the caps of their impressions in a run of `pages`. */
const ROADBLOCKS = [
  { places: 2, label: 'games', capOf: (pages: number) => Math.ceil(pages / 2) },
  { places: 3, label: 'films', capOf: (pages: number) => Math.ceil(pages / 3) },
] as const;

/** What a page may show together, of a line item. */
interface Advertised {
  readonly advertiser: number;
  readonly label: string;
  /** The roadblock that it is of, and the placement of the ad; undefined: of none. */
  readonly roadblock?: { readonly places: number; readonly lineItem: number } | undefined;
}

interface World {
  readonly booking: Booking;
  readonly placementIds: readonly string[];
  /** By creative. */
  readonly of: ReadonlyMap<string, Advertised>;
  /** Of roadblocks. */
  readonly caps: ReadonlyMap<number, number>;
}

/**
 * Pages that ask for six ads, in one, two or six requests at a time. Advertisers share exclusion labels, the publisher shows
 * one ad of each, and two roadblocks with caps compete for the first placements.
 */
export const pageView: Proof = {
  name: 'page-view',
  isTimed: true,
  claim: `pages of ${IMPS} impressions over 3 replicas, that ask in one request and in several at a time`,
  expected:
    'no page with a creative twice, an advertiser twice, two advertisers that share an exclusion label, or a part of a roadblock; no roadblock over its cap; every page gets as many ads as may be together',
  run: async (rig, scale) => {
    const pages = scale.of(10_000, 300);
    // While Redis is away pages are not compared; on a busy machine it is late, and not away.
    const fleet = await rig.fleet({ replicas: 3, env: { REDIS_TIMEOUT: '1s' } });
    const page = createPage(fleet.url, 32);
    try {
      const world = await bookAdvertisers(fleet, pages);
      await fleet.reload();
      const breaches: string[] = [];
      let [ads, fewer] = [0, 0];
      const shownOf = new Map<number, number>();
      await inParallel(pages, 16, async (i) => {
        const shown = await showPage(page, world, `view-${i}`, [1, 2, IMPS][i % 3]!);
        ads += shown.length;
        const found = shown.map((crid) => world.of.get(crid)!);
        const breach = breachOf(shown, found);
        if (breach) breaches.push(`view ${i}: ${breach}`);
        if (!LABELS.every((label) => found.some((one) => one.label === label))) fewer++;
        for (const { roadblock } of found) if (roadblock) shownOf.set(roadblock.lineItem, (shownOf.get(roadblock.lineItem) ?? 0) + 1);
      });
      for (const [lineItem, cap] of world.caps)
        if ((shownOf.get(lineItem) ?? 0) > cap) breaches.push(`roadblock ${lineItem}: ${shownOf.get(lineItem)} ads of ${cap}`);
      const unused = [...world.caps].filter(([lineItem, cap]) => (shownOf.get(lineItem) ?? 0) < cap / 2);
      const ofRoadblocks = [...shownOf.values()].reduce((sum, count) => sum + count, 0);
      return {
        observed: `${pages} pages, ${ads} ads, ${ofRoadblocks} of them of roadblocks: ${breaches.length} breaches${breaches
          .slice(0, 3)
          .map((text) => `; ${text}`)
          .join(
            '',
          )}; ${fewer} pages with fewer ads than may be together; ${unused.length} roadblocks that were shown less than half of their cap`,
        ok: breaches.length === 0 && fewer === 0 && unused.length === 0,
      };
    } finally {
      await page.close();
      await fleet.close();
    }
  },
};

/** What a page shows that it may not; undefined: nothing. */
const breachOf = (shown: readonly string[], found: readonly Advertised[]): string | undefined => {
  if (new Set(shown).size < shown.length) return 'a creative twice';
  for (const { places, lineItem } of found.flatMap(({ roadblock }) => roadblock ?? [])) {
    const count = found.filter(({ roadblock }) => roadblock?.lineItem === lineItem).length;
    if (count !== places) return `${count} of ${places} ads of a roadblock`;
  }
  // The ads of a roadblock do not exclude each other.
  const apart = [...new Map(found.map((one, i) => [one.roadblock?.lineItem ?? `${i}`, one])).values()];
  const labels = apart.map(({ label }) => label);
  if (new Set(apart.map(({ advertiser }) => advertiser)).size < apart.length) return 'an advertiser twice';
  return new Set(labels).size < labels.length ? labels.join(', ') : undefined;
};

/** Nine advertisers with one of three exclusion labels each, with two line items on all placements; and the roadblocks. */
const bookAdvertisers = async ({ knex }: Fleet, pages: number): Promise<World> => {
  const booking = await book(knex, { lineItems: [] });
  await knex('publishers').where({ id: booking.publisherId }).update({ one_per_advertiser: true });
  const campaign = await knex('campaigns').where({ id: booking.campaignId }).first<{ start_at: Date; end_at: Date }>('start_at', 'end_at');
  const placementIds = Array.from({ length: IMPS }, (_, i) => `${booking.placementId}-${i}`);
  for (const id of placementIds)
    await knex('placements').insert({ id, publisher_id: booking.publisherId, width: 300, height: 250, formats: ['html'] });
  const of = new Map<string, Advertised>();
  const caps = new Map<number, number>();
  const bookItem = async (label: string, row: object, ads: readonly (readonly string[])[], count = 1): Promise<readonly number[]> => {
    const advertiser = await insertRow(knex, 'advertisers', { name: `page view ${of.size}`, exclusion_labels: [label] });
    const ofCampaign = { publisher_id: booking.publisherId, name: 'campaign', ...campaign };
    const campaign_id = await insertRow(knex, 'campaigns', { ...ofCampaign, advertiser_id: advertiser });
    const ids: number[] = [];
    for (let n = 0; n < count; n++) {
      const item = { campaign_id, name: 'line item', active: true, cpm_micros: 1_000_000, priority: 2, ...campaign, ...row };
      const line_item_id = await insertRow(knex, 'line_items', item);
      const roadblock = 'roadblock' in row ? { places: ads.length, lineItem: line_item_id } : undefined;
      for (const [placement_id, ...more_placement_ids] of ads) {
        const creative = { placement_id, more_placement_ids, line_item_id, format: 'html', content: '<b>ad</b>' };
        of.set(String(await insertRow(knex, 'creatives', creative)), { advertiser, label, roadblock });
      }
      ids.push(line_item_id);
    }
    return ids;
  };
  for (let i = 0; i < ADVERTISERS; i++) await bookItem(LABELS[i % LABELS.length]!, {}, [placementIds], 2);
  for (const { places, label, capOf } of ROADBLOCKS) {
    const cap = capOf(pages);
    const row = { roadblock: true, priority: 1, daily_impression_cap: cap };
    for (const id of await bookItem(
      label,
      row,
      placementIds.slice(0, places).map((placement) => [placement]),
    ))
      caps.set(id, cap);
  }
  return { booking, placementIds, of, caps };
};

/** The creatives that a page gets, asked for in as many requests at a time. */
const showPage = async (page: Page, { booking, placementIds }: World, view: string, requests: number): Promise<readonly string[]> => {
  const asked = { pageView: view, pagePlacements: placementIds };
  const size = IMPS / requests;
  const answers = await Promise.all(
    Array.from({ length: requests }, (_, i) =>
      page.ask(booking, view, { ...asked, placementIds: placementIds.slice(i * size, (i + 1) * size) }),
    ),
  );
  return answers.flatMap(({ bids }) => bids.map(({ crid }) => crid));
};
