import { MS_PER_DAY, MS_PER_MINUTE } from '../src/base/utc-day.ts';
import { optimisedShares } from '../src/catalog/snapshot/rotation.ts';
import { readEvent, splitEntry } from '../src/events/read-event.ts';
import { PROVISIONAL, type Hit, type ServedAd } from '../src/ledger/hit.ts';
import { createLedgerKeys, VIRTUAL_CLOCK_KEY } from '../src/ledger/ledger-keys.ts';
import { createLedger } from '../src/ledger/ledger.ts';
import { NO_LIMITS } from '../src/ledger/limits.ts';
import { ACTIVITY_RULE } from '../src/ledger/settle/activity-rule.ts';
import { createJudgeClicks } from '../src/ledger/settle/judge-clicks.ts';
import { createChance } from '../testkit/chance.ts';
import { CLICKERS, CREATIVES, days, type Shown } from './activity/month.ts';
import type { Proof } from './rig/proof.ts';
import { withRedis } from './simulation/with-redis.ts';
import { LINK_UP } from '../testkit/link-up.ts';
import { patientRedis } from '../testkit/patient-redis.ts';

const START_MS = Date.UTC(2026, 8, 1);
const MAX_BILLED = 0.01;
const FREE_CLICKS = 10;
const MAX_PEOPLE_FILTERED = 0.001;
/** Of the ads of a line item, with and without clickers. */
const MAX_MOVED = 0.05;
const MAX_TOGETHER = 512;

/** What became of clicks: by label, in the order of its clicks, whether each was billed. */
interface Outcome {
  readonly billed: ReadonlyMap<string, readonly boolean[]>;
  readonly provisional: number;
  /** By creative: impressions and learned clicks, of people alone and of all. */
  readonly learned: ReadonlyMap<number, Record<'people' | 'all', { impressions: number; clicks: number }>>;
}

export const activity: Proof = {
  name: 'activity',
  claim: `a month of people (an office of 500, a school and a carrier behind one address or four, homes) and of clickers (${CLICKERS.map(({ name }) => name).join(', ')}) on the counters of a shard`,
  expected: `of the clicks of each clicker after its first ${FREE_CLICKS} at most ${100 * MAX_BILLED} % billed, of people's clicks at most ${100 * MAX_PEOPLE_FILTERED} % filtered; no more than ten clicks of each clicker learned, and optimised rotation moved by at most ${100 * MAX_MOVED} points (in a month)`,
  run: async ({ seed, say }, scale) => {
    const town = scale.of(
      { office: 500, school: 400, carrier: 1_500, homes: 1_600 },
      { office: 500, school: 100, carrier: 300, homes: 300 },
    );
    const outcome = await withRedis((redisUrl) => play(redisUrl, days(town, START_MS, createChance(seed)), scale.of(30, 6)));
    const ofClickers = CLICKERS.map(({ name }) => {
      const later = (outcome.billed.get(name) ?? []).slice(FREE_CLICKS);
      return { name, clicks: later.length, share: later.filter(Boolean).length / Math.max(later.length, 1) };
    });
    for (const { name, clicks, share } of ofClickers)
      say(`  ${name}: ${percent(share)} of ${clicks} clicks after the first ${FREE_CLICKS} billed`);
    const people = outcome.billed.get('people') ?? [];
    const filtered = people.filter((isBilled) => !isBilled).length;
    const later = ofClickers.reduce((sum, { clicks }) => sum + clicks, 0);
    const billed = ofClickers.reduce((sum, { clicks, share }) => sum + clicks * share, 0);
    const moved = movedBy(outcome);
    const taught = [...outcome.learned.values()].reduce((sum, { people: of, all }) => sum + all.clicks - of.clicks, 0);
    // Of few clicks one is more than the bound.
    const isSpared = filtered <= Math.max(MAX_PEOPLE_FILTERED * people.length, scale.of(0, 1));
    return {
      observed: `${Math.round(billed)} of ${later} clicks of clickers billed (${percent(billed / later)}; the worst ${percent(Math.max(...ofClickers.map(({ share }) => share)))}), ${filtered} of ${people.length} clicks of people filtered (${percent(filtered / people.length)}); ${outcome.provisional} clicks were provisional; ${taught} clicks of clickers were learned, which moved the rotation by ${(100 * moved).toFixed(1)} points at most`,
      // Of a few dozen clicks a creative, each one moves the rotation.
      ok:
        ofClickers.every(({ clicks, share }) => clicks > 0 && share <= MAX_BILLED) &&
        isSpared &&
        taught <= FREE_CLICKS * CLICKERS.length &&
        moved <= scale.of(MAX_MOVED, 1),
    };
  },
};

const percent = (part: number): string => `${(100 * part).toFixed(2)} %`;

/** How far the share of any creative of a line item moves by what clickers did. */
const movedBy = ({ learned }: Outcome): number => {
  const none = { impressions: 0, clicks: 0 };
  const moves = [...new Set(CREATIVES.map(({ lineItemId }) => lineItemId))].map((lineItem) => {
    const own = CREATIVES.filter(({ lineItemId }) => lineItemId === lineItem);
    const sharesOf = (who: 'people' | 'all') => optimisedShares(own.map(({ id }) => learned.get(id)?.[who] ?? none));
    const [alone, all] = [sharesOf('people'), sharesOf('all')];
    return Math.max(...alone.map((share, i) => Math.abs(share - all[i]!)));
  });
  return Math.max(...moves);
};

/** Sends the hits of so many days through the ledger, at their times by its clock. */
const play = async (redisUrl: string, month: Iterator<readonly Shown[]>, count: number): Promise<Outcome> => {
  const redis = await patientRedis(redisUrl);
  const keys = createLedgerKeys(1);
  const ledger = createLedger({
    ...{ redis, keys, clock: VIRTUAL_CLOCK_KEY, tokenTtlMs: 30 * MS_PER_MINUTE, pid: { kp: 0, ki: 0, kd: 0 } },
    link: LINK_UP,
    onFailure: (_, fault) => {
      throw fault;
    },
  });
  const judge = createJudgeClicks({
    ...{ redis, keys, clock: VIRTUAL_CLOCK_KEY },
    provisionalRows: () => Promise.reject(new Error('Redis loses nothing here')),
  });
  const billed = new Map<string, boolean[]>();
  const learned = new Map<number, Record<'people' | 'all', { impressions: number; clicks: number }>>();
  let provisional = 0;

  const read = async (): Promise<void> => {
    const entries = await redis.xrange(keys.events(0), '-', '+');
    await redis.del(keys.events(0));
    for (const { hit, reason, isRepeat } of entries.flatMap(([, fields]) => splitEntry(fields).map(readEvent))) {
      const [label = '', number = ''] = hit.ad.tokenId.split('#');
      const of = learned.get(hit.ad.creativeId) ?? { people: { impressions: 0, clicks: 0 }, all: { impressions: 0, clicks: 0 } };
      learned.set(hit.ad.creativeId, of);
      const counted = hit.kind === 'impression' ? 'impressions' : 'clicks';
      if (reason === '' && !isRepeat)
        for (const who of label === 'people' ? (['people', 'all'] as const) : (['all'] as const)) of[who][counted]++;
      if (hit.kind !== 'click') continue;
      if (reason === PROVISIONAL) provisional++;
      const clicks = billed.get(label) ?? [];
      billed.set(label, clicks);
      clicks[Number(number)] = reason === '';
    }
  };

  let batch: Promise<unknown>[] = [];
  const settle = (ad: ServedAd, kind: Hit['kind'], atMs: number) => {
    const hit: Hit = { ad, kind, eventType: '', invalidReason: '', atMs, country: null, device: null };
    return ledger.settle(hit, { limits: NO_LIMITS, expiresAtMs: Date.now() + MS_PER_DAY });
  };
  let judgedMs = 0;
  await redis.set(VIRTUAL_CLOCK_KEY, START_MS);
  for (let day = 0; day < count; day++) {
    const shown = month.next().value as readonly Shown[];
    const clicks = new Map<string, number>();
    const hits = shown
      .flatMap((one, n) => {
        const ad = adOf(one, `${one.label}#not clicked ${day} ${n}`);
        return [
          { one, ad, kind: 'impression' as const, atMs: one.atMs },
          ...(one.clickedAtMs === undefined ? [] : [{ one, ad, kind: 'click' as const, atMs: one.clickedAtMs }]),
        ];
      })
      .sort((a, b) => a.atMs - b.atMs);
    // A token is named by its label and the number of its click, for what is read from the stream.
    const numbered = new Map<ServedAd, ServedAd>();
    for (const { one, ad, kind } of hits) {
      if (kind !== 'click') continue;
      const number = (billed.get(one.label)?.length ?? 0) + (clicks.get(one.label) ?? 0);
      clicks.set(one.label, (clicks.get(one.label) ?? 0) + 1);
      numbered.set(ad, { ...ad, tokenId: `${one.label}#${number}` });
    }
    for (const { ad, kind, atMs } of hits) {
      const token = numbered.get(ad) ?? ad;
      if (kind === 'impression') {
        batch.push(settle(token, kind, atMs));
        if (batch.length < MAX_TOGETHER) continue;
      }
      await Promise.all(batch);
      batch = [];
      await redis.set(VIRTUAL_CLOCK_KEY, atMs);
      if (atMs - judgedMs >= MS_PER_MINUTE) {
        judgedMs = atMs;
        await judge(0);
      }
      if (kind === 'click') await settle(token, kind, atMs);
    }
    await Promise.all(batch);
    batch = [];
    await redis.set(VIRTUAL_CLOCK_KEY, START_MS + (day + 1) * MS_PER_DAY);
    await judge(0);
    await read();
  }
  await redis.set(VIRTUAL_CLOCK_KEY, START_MS + count * MS_PER_DAY + ACTIVITY_RULE.judgeAfterMs);
  await judge(0);
  await read();
  redis.disconnect();
  return { billed, provisional, learned };
};

/** Nothing is reserved: what is proved is not what is sold. */
const adOf = ({ atMs, user, network, creative }: Shown, tokenId: string): ServedAd => ({
  ...{ tokenId, publisherId: 1, campaignId: 1, lineItemId: CREATIVES[creative - 1]!.lineItemId, creativeId: creative, placementId: 'top' },
  ...{ priceMicros: 500_000, billsOn: 'click', day: Math.floor(atMs / MS_PER_DAY), servedAtMs: atMs - 200, holdEndMs: 0 },
  ...{
    tokenExpS: Math.ceil(atMs / 1000) + 7_200,
    userHash: null,
    billingNotice: false,
    seal: `0${network}....${user === null ? '' : user.slice(0, 4)}`,
  },
});
