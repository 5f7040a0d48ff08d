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

const STRANGER_PER_SECOND = 2_000;
/** One connection gets some 100 answers a second from a busy machine. */
const STRANGER_CONNECTIONS = 24;
/**
 * Whatever is booked, a client gets a page of ads (20), and of each replica four more. A replica notes
 * what it lets a client hold when the ads are reserved, so requests that come before its first answer
 * all pass: one on each connection. Half of that is allowed anew when a half hour begins.
 */
const MAX_FEW = 1.5 * (20 + STRANGER_CONNECTIONS);
const STRANGER_ADDRESS = '198.51.100.7';

/** Networks that take an ad each, evenly over the run, and render nothing; of each line item so many places are booked. */
const CROWDS = [1_500, 10_000];
const CROWD_PLACES = 3_000;
/** 256 networks share a wide network, or each has its own. */
const LAYOUTS = ['neighbours', 'scattered'] as const;

/** What one client without renders takes from the visitors of a publisher, and what a crowd of them takes. */
export const earned: Proof = {
  name: 'earned',
  isLong: true,
  claim: `visitors at ${VISITS_PER_SECOND} requests a second, and one client that asks ${STRANGER_PER_SECOND} times a second for the same limited line items and renders nothing; then ${CROWDS.join(' and ')} networks that take one ad each and render nothing`,
  expected: `the visitors' fill at least ${100 * MIN_FILL} % of that of a quiet run; the client gets at most ${100 * MAX_SHARE} % of what is booked, or ${MAX_FEW} ads; with the rule off the visitors' fill falls; beside each crowd at least ${100 * MIN_FILL} % of the visits are filled`,
  run: async (rig, scale) => {
    const seconds = scale.of(60, 4);
    const visits = VISITS_PER_SECOND * seconds;
    // On a small scale what the client may get would be missing to the visitors, however fair the rule is.
    const places = Math.ceil(Math.max(visits * BOOKED, visits + MAX_FEW) / 2);
    const crowds: string[] = [];
    let leastFill = 1;
    const playCrowds = async (fleet: Fleet): Promise<void> => {
      for (const networks of CROWDS.slice(0, scale.of(CROWDS.length, 1)))
        for (const layout of LAYOUTS) {
          const crowd = { networks, layout };
          const { filled, visits, strangerAds } = await measure(fleet, {
            seed: rig.seed,
            seconds: scale.of(60, 10),
            places: CROWD_PLACES,
            crowd,
          });
          leastFill = Math.min(leastFill, filled / visits);
          crowds.push(`${networks} ${layout}: ${filled} of ${visits} (${percent(filled / visits)}), they got ${strangerAds}`);
        }
    };
    const play = async (rule: 'true' | 'false'): Promise<{ readonly quiet: Measured; readonly busy: Measured }> => {
      const fleet = await rig.fleet({ replicas: scale.of(2, 1), env: { EARNED_HOLDS: rule, TRUST_PROXY_HOPS: '1' } });
      const strangers = fleet.replicas.map(({ url }) => createPage(url, STRANGER_CONNECTIONS / fleet.replicas.length));
      try {
        const quiet = await measure(fleet, { seed: rig.seed, seconds, places });
        const busy = await measure(fleet, { seed: rig.seed, seconds, places, strangers });
        if (rule === 'true') await playCrowds(fleet);
        return { quiet, busy };
      } finally {
        await Promise.all(strangers.map((page) => page.close()));
        await fleet.close();
      }
    };
    const [on, off] = [await play('true'), await play('false')];
    const partOf = ({ quiet, busy }: typeof on): number => busy.filled / busy.visits / (quiet.filled / quiet.visits);
    const tell = ({ quiet, busy }: typeof on): string =>
      `visitors: ${quiet.filled} of ${quiet.visits} filled in the quiet run, ${busy.filled} of ${busy.visits} in the other (${percent(partOf({ quiet, busy }))}); ` +
      `the client asked ${Math.round(busy.strangerRequests / seconds)} times a second and got ${busy.strangerAds} ads of ${2 * places} (${percent(busy.strangerAds / (2 * places))})`;
    const isBounded = on.busy.strangerAds <= Math.max(MAX_SHARE * 2 * places, MAX_FEW);
    return {
      observed: `${tell(on)}. With EARNED_HOLDS=false: ${tell(off)}. Visits filled beside a crowd: ${crowds.join('; ')}`,
      // Without the rule the visitors must lose, or the proof shows nothing.
      ok: partOf(on) >= MIN_FILL && leastFill >= MIN_FILL && isBounded && on.quiet.filled > 0.9 * on.quiet.visits && partOf(off) < MIN_FILL,
    };
  },
};

const percent = (part: number): string => `${(100 * part).toFixed(1)} %`;

interface Measured {
  readonly visits: number;
  readonly filled: number;
  readonly strangerRequests: number;
  readonly strangerAds: number;
}

interface MeasureOptions {
  readonly seed: number;
  readonly seconds: number;
  readonly places: number;
  readonly strangers?: readonly Page[];
  readonly crowd?: { readonly networks: number; readonly layout: (typeof LAYOUTS)[number] };
}

const measure = async (fleet: Fleet, { seed, seconds, places, strangers = [], crowd }: MeasureOptions): Promise<Measured> => {
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
  const stopCrowd =
    crowd &&
    openLoop(crowd.networks / seconds, async (n) => {
      strangerRequests++;
      strangerAds += (await fleet.page.ask(booking, `one-of-many-${n}`, { address: addressInCrowd(n, crowd.layout) })).bids.length;
    });
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
  await Promise.all([stop(), stopCrowd?.(), ...lanes]);
  return { visits, filled, strangerRequests, strangerAds };
};

/** Outside of the addresses of visitors. */
const addressInCrowd = (n: number, layout: (typeof LAYOUTS)[number]): string =>
  layout === 'neighbours' ? `20.${n >> 8}.${n & 255}.7` : `${110 + (n >> 8)}.${n & 255}.50.7`;

const addressOf = (network: number): string => `100.${64 + (network >> 8)}.${network & 255}.9`;
