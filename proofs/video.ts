import { setTimeout as sleep } from 'node:timers/promises';
import { book, type Booking } from '../testkit/book.ts';
import { inParallel } from '../testkit/in-parallel.ts';
import { readBooks, untilDrained } from '../testkit/read-books.ts';
import type { Fleet } from './rig/open-fleet.ts';
import type { Proof, Scale } from './rig/proof.ts';

/** Places that other replicas hold come back within this time of the first refusal; until then there are players. */
const MAX_SHUT_MS = 3_000;
const MAX_RELEASE_MS = 1_000;
const VIEW_MICROS = 20_000;

const CONTENT = JSON.stringify({
  duration: 15,
  media: [{ url: 'https://cdn.example/boots.mp4', type: 'video/mp4', width: 640, height: 360 }],
});

/** Players of which half leave: before the ad begins, or before it ends. */
export const video: Proof = {
  name: 'video',
  claim: 'an impression cap and the price of completed views on 4 replicas, with players of which half leave',
  expected:
    'exactly as many impressions as the cap; a place that a player gives back is free within a second; views billed once, only when complete and with their impression, and never over the budget',
  run: async (rig, scale) => {
    const fleet = await rig.fleet({ replicas: 4 });
    try {
      const abandoned = await playToCap(fleet, scale);
      const released = await giveBack(fleet, scale);
      const viewed = await playToEnd(fleet, scale);
      const parts = [abandoned, released, viewed];
      return { observed: parts.map(({ observed }) => observed).join('; '), ok: parts.every(({ ok }) => ok) };
    } finally {
      await fleet.close();
    }
  },
};

const bookVideo = async (fleet: Fleet, lineItem: Readonly<Record<string, unknown>>): Promise<Booking> => {
  const booking = await book(fleet.knex, { lineItems: [lineItem], creative: { format: 'video', content: CONTENT } });
  await fleet
    .knex('placements')
    .where({ id: booking.placementId })
    .update({ formats: ['video'] });
  await fleet.reload();
  return booking;
};

/** What a player got; undefined: no ad. */
interface PlayerAd {
  readonly impression: string;
  readonly event: (type: string) => string;
}

const askAd = async ({ page }: Fleet, { apiKey, placementId }: Booking): Promise<PlayerAd | undefined> => {
  const { text } = await page.get(`/vast?key=${apiKey}&placement=${placementId}`);
  const found = /<Impression><!\[CDATA\[(.*?)\]\]>/.exec(text)?.[1];
  if (found === undefined) return undefined;
  const { pathname, search } = new URL(found);
  return { impression: pathname + search, event: (type) => `/event${search}&type=${type}` };
};

const playToCap = async (fleet: Fleet, scale: Scale) => {
  const limit = scale.of(1_000, 100);
  const booking = await bookVideo(fleet, { daily_impression_cap: limit });
  const { page } = fleet;
  let [asked, got, left, seen, refusedAt] = [0, 0, 0, 0, Infinity];
  await inParallel(
    limit * 1_000,
    16,
    async () => {
      asked++;
      const ad = await askAd(fleet, booking);
      if (!ad) {
        refusedAt = Math.min(refusedAt, performance.now());
        return void (await sleep(20));
      }
      // Another one was refused only until this place came back.
      refusedAt = Infinity;
      const isLeft = got++ % 2 === 0;
      if ((await page.hit(isLeft ? ad.event('notUsed') : ad.impression)) !== 200) return;
      if (isLeft) left++;
      else seen++;
    },
    () => performance.now() - refusedAt >= MAX_SHUT_MS,
  );
  const drained = await untilDrained(fleet);
  const { counters, rows } = await readBooks(fleet, booking);
  const agree = [seen, counters.impressions, rows.impression.length].every((count) => count === limit);
  return {
    observed: `cap ${limit}: ${asked} requests, ${left} ads not used, ${counters.impressions} impressions, ${counters.held} held`,
    ok: drained && agree && left >= limit / 2,
  };
};

const giveBack = async (fleet: Fleet, scale: Scale) => {
  const booking = await bookVideo(fleet, { daily_impression_cap: 1 });
  const { page, accounts } = fleet;
  const times: number[] = [];
  const heldOf = async (): Promise<number> => (await accounts.lineItems(booking.publisherId, booking.lineItemIds))[0]?.heldToday ?? 0;
  const untilAd = async (): Promise<PlayerAd | undefined> => {
    for (const end = performance.now() + 10_000; performance.now() < end; await sleep(20)) {
      const ad = await askAd(fleet, booking);
      if (ad) return ad;
    }
    return undefined;
  };
  let stuck = 0;
  for (let i = 0; i < scale.of(100, 10); i++) {
    const ad = await untilAd();
    if (!ad || (await page.hit(ad.event('notUsed'))) !== 200) {
      stuck++;
      continue;
    }
    const begun = performance.now();
    while ((await heldOf()) > 0 && performance.now() - begun < 10_000) await sleep(5);
    times.push(performance.now() - begun);
  }
  const slowest = Math.round(Math.max(...times));
  return {
    observed: `${times.length} places given back, the slowest in ${slowest} ms, ${stuck} never`,
    ok: stuck === 0 && slowest < scale.ms(MAX_RELEASE_MS),
  };
};

/**
 * A quarter of the players leaves before the ad begins, a quarter in the middle of it, whose price stays held until its token
 * ends; of the others some report the end first, and all of them twice.
 */
const playToEnd = async (fleet: Fleet, scale: Scale) => {
  const views = scale.of(1_000, 60);
  const booking = await bookVideo(fleet, {
    budget_type: 'CPCV',
    cpm_micros: null,
    cpcv_micros: VIEW_MICROS,
    budget_micros: views * VIEW_MICROS,
  });
  const { page } = fleet;
  const completed = new Set<string>();
  let [plays, middle, refusedAt] = [0, 0, Infinity];
  await inParallel(
    views * 1_000,
    16,
    async () => {
      const ad = await askAd(fleet, booking);
      if (!ad) {
        refusedAt = Math.min(refusedAt, performance.now());
        return void (await sleep(20));
      }
      refusedAt = Infinity;
      const play = plays++;
      const isLeft = play % 2 === 0;
      const isMiddle = play % 4 === 0;
      const reports = isMiddle
        ? [ad.impression, ad.event('midpoint')]
        : isLeft
          ? [ad.event('notUsed')]
          : play % 3 === 0
            ? [ad.event('complete'), ad.impression, ad.event('complete')]
            : [ad.impression, ad.event('midpoint'), ad.event('complete'), ad.event('complete')];
      let all = true;
      for (const url of reports) all = (await page.hit(url)) === 200 && all;
      if (isMiddle && all) middle++;
      if (!isLeft && all) completed.add(ad.impression);
    },
    () => performance.now() - refusedAt >= MAX_SHUT_MS,
  );
  const drained = await untilDrained(fleet);
  const rows = await fleet
    .knex('events')
    .whereIn('line_item_id', booking.lineItemIds)
    .select<{ jti: string; kind: string; event_type: string; billed_micros: string }[]>();
  const billed = rows.filter(({ billed_micros }) => Number(billed_micros) > 0);
  const early = billed.filter(({ event_type }) => event_type !== 'complete').length;
  const twice = billed.length - new Set(billed.map(({ jti }) => jti)).size;
  const { counters } = await readBooks(fleet, booking);
  return {
    observed: `CPCV for ${views} views: ${plays} plays, ${middle} left in the middle, ${completed.size} to the end, ${billed.length} billed, ${early} of them before the end, ${twice} twice, ${counters.spendMicros} micros, ${counters.held} places held`,
    ok:
      drained &&
      billed.length === completed.size &&
      completed.size + middle === views &&
      early + twice === 0 &&
      counters.spendMicros === billed.length * VIEW_MICROS,
  };
};
