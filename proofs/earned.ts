import { setTimeout as sleep } from 'node:timers/promises';
import { book } from '../testkit/book.ts';
import { createChance } from '../testkit/chance.ts';
import { createPage, type Page } from '../testkit/create-page.ts';
import { openLoop } from '../testkit/open-loop.ts';
import type { Fleet } from './rig/open-fleet.ts';
import type { Proof } from './rig/proof.ts';

const VISITS_PER_SECOND = 20;
const RENDERED = 0.7;
const MAX_LOOK_MS = 3_000;
/** Networks from which the visitors come: about half of the visits are the first from theirs. */
const NETWORKS = 1_000;
/** What is booked, in parts of the visits. */
const BOOKED = 1.5;
const MIN_FILL = 0.95;
const MAX_SHARE = 0.05;
/** A client gets a page of ads whatever is booked, four more at each replica, and half of that anew when a half hour begins. */
const MAX_FEW = 42;

const STRANGER_PER_SECOND = 2_000;
/** One connection gets some 100 answers a second from a busy machine. */
const STRANGER_CONNECTIONS = 24;
const STRANGER_ADDRESS = '198.51.100.7';

/** What one client without renders takes from the visitors of a publisher. */
export const earned: Proof = {
  name: 'earned',
  claim: `visitors at ${VISITS_PER_SECOND} requests a second, and one client that asks ${STRANGER_PER_SECOND} times a second for the same limited line items and renders nothing`,
  expected: `the visitors' fill at least ${100 * MIN_FILL} % of that of a quiet run; the client gets at most ${100 * MAX_SHARE} % of what is booked, or ${MAX_FEW} ads`,
  run: async (rig, scale) => {
    const seconds = scale.of(60, 4);
    const fleet = await rig.fleet({ replicas: scale.of(2, 1), env: { EARNED_HOLDS: 'true', TRUST_PROXY_HOPS: '1' } });
    const strangers = fleet.replicas.map(({ url }) => createPage(url, STRANGER_CONNECTIONS / fleet.replicas.length));
    try {
      const places = Math.ceil((VISITS_PER_SECOND * seconds * BOOKED) / 2);
      const quiet = await measure(fleet, { seed: rig.seed, seconds, places });
      const busy = await measure(fleet, { seed: rig.seed, seconds, places, strangers });
      const share = busy.strangerAds / (2 * places);
      const part = busy.filled / busy.visits / (quiet.filled / quiet.visits);
      return {
        observed: `visitors: ${quiet.filled} of ${quiet.visits} filled in the quiet run, ${busy.filled} of ${busy.visits} in the other (${percent(part)}); the client asked ${Math.round(busy.strangerRequests / seconds)} times a second and got ${busy.strangerAds} ads of ${2 * places} (${percent(share)})`,
        ok: part >= MIN_FILL && busy.strangerAds <= Math.max(MAX_SHARE * 2 * places, MAX_FEW) && quiet.filled > 0.9 * quiet.visits,
      };
    } finally {
      await Promise.all(strangers.map((page) => page.close()));
      await fleet.close();
    }
  },
};

const percent = (part: number): string => `${(100 * part).toFixed(1)} %`;

interface Measured {
  readonly visits: number;
  readonly filled: number;
  readonly strangerRequests: number;
  readonly strangerAds: number;
}

const measure = async (
  fleet: Fleet,
  options: { readonly seed: number; readonly seconds: number; readonly places: number; readonly strangers?: readonly Page[] },
): Promise<Measured> => {
  const { seed, seconds, places, strangers = [] } = options;
  const booking = await book(fleet.knex, {
    lineItems: [{ daily_impression_cap: places }, { cpm_micros: 1_000_000, budget_micros: places * 1_000 }],
  });
  await fleet.reload();
  const random = createChance(seed);
  let [visits, filled, strangerRequests, strangerAds] = [0, 0, 0, 0];

  let asking = strangers.length > 0;
  const begun = performance.now();
  const ask = async (page: Page): Promise<void> => {
    while (asking) {
      const due = ((performance.now() - begun) * STRANGER_PER_SECOND) / 1_000;
      if (strangerRequests >= due) {
        await sleep(1);
        continue;
      }
      const { bids } = await page.ask(booking, `stranger-${++strangerRequests}`, { address: STRANGER_ADDRESS });
      strangerAds += bids.length;
    }
  };
  const lanes = Array.from({ length: asking ? STRANGER_CONNECTIONS : 0 }, (_, i) => ask(strangers[i % strangers.length]!));
  // The client comes first.
  if (asking) await sleep(1_000);
  const stop = openLoop(VISITS_PER_SECOND, async (n) => {
    const address = addressOf(Math.floor(random() * NETWORKS));
    const [renders, lookMs] = [random() < RENDERED, random() * MAX_LOOK_MS];
    const { bids } = await fleet.page.ask(booking, `visitor-${n}`, { address });
    visits++;
    filled += bids.length;
    const [bid] = bids;
    if (!bid || !renders) return;
    await sleep(lookMs);
    await fleet.page.hit(bid.impurl);
  });
  await sleep(seconds * 1_000);
  asking = false;
  await Promise.all([stop(), ...lanes]);
  return { visits, filled, strangerRequests, strangerAds };
};

const addressOf = (network: number): string => `100.${64 + (network >> 8)}.${network & 255}.9`;
