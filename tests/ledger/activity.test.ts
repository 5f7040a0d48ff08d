import { hash } from 'node:crypto';
import type { LedgerBooks } from '../../src/ledger/books/ledger-books.ts';
import { PROVISIONAL, type Hit, type ServedAd } from '../../src/ledger/hit.ts';
import { createJudgeClicks } from '../../src/ledger/settle/judge-clicks.ts';
import { ACTIVITY_RULE } from '../../src/ledger/settle/activity-rule.ts';
import { VIRTUAL_CLOCK_KEY } from '../../src/ledger/ledger-keys.ts';
import { NO_LIMITS, type Limits } from '../../src/ledger/limits.ts';
import { createActivity, type Actor } from '../../src/tracking/invalid-traffic/activity.ts';
import { createChance } from '../../testkit/chance.ts';
import { DAY, MINUTE, NOON } from '../decision/candidates.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { createLedgerRig, type LedgerRig } from './ledger-rig.ts';

const CPC = 400_000;
const HOUR = 60 * MINUTE;

/** Redis loses nothing here. */
const NO_ROWS = () => Promise.reject(new Error('no row is asked for'));

let rig: LedgerRig;
let judge: () => Promise<readonly [billed: number, filtered: number]>;
let ads = 0;
beforeEach(async () => {
  rig = await createLedgerRig(await testRedisUrl());
  const judgeClicks = createJudgeClicks({ redis: rig.redis, keys: rig.keys, provisionalRows: NO_ROWS, clock: VIRTUAL_CLOCK_KEY });
  judge = async () => {
    const { billed, filtered } = await judgeClicks(1);
    return [billed, filtered];
  };
});
afterEach(() => rig.close());

/** As context/user-hash.ts makes them: the counters go by their first characters. */
const hashOf = (user: string): string => hash('sha256', user, 'base64url').slice(0, 22);

/** `user` null: the user id may not be used; `network`: five characters of a seal. */
const adOf = ({
  user = null,
  network = '',
  creative = 1,
}: {
  readonly user?: string | null;
  readonly network?: string;
  readonly creative?: number;
}): ServedAd => ({
  ...{ tokenId: `ad-${++ads}`, publisherId: 1, campaignId: 1, lineItemId: 1, creativeId: creative, placementId: 'top' },
  ...{ priceMicros: CPC, billsOn: 'click', day: NOON / DAY - 0.5, servedAtMs: 0, holdEndMs: 0, tokenExpS: 2 ** 33 },
  ...{ userHash: user === null ? null : hashOf(user), billingNotice: false, seal: network === '' ? undefined : `0${network}.....` },
});
/** At the time of the clock. */
const send = async (ad: ServedAd, kind: 'impression' | 'click', atMs: number, limits: Limits = NO_LIMITS) => {
  const hit: Hit = {
    ad: { ...ad, day: Math.floor(atMs / DAY) },
    kind,
    eventType: '',
    invalidReason: '',
    atMs,
    country: null,
    device: null,
  };
  const settled = await rig.ledger.settle(hit, { limits, expiresAtMs: Date.now() + DAY });
  return settled?.reason ?? settled?.outcome;
};
const settle = async (ad: ServedAd, kind: 'impression' | 'click', atMs: number, limits: Limits = NO_LIMITS) => {
  await rig.at(atMs);
  return send(ad, kind, atMs, limits);
};
/** Shows ads that are not clicked. */
const show = async (count: number, atMs: number, who: Parameters<typeof adOf>[0]): Promise<void> => {
  await rig.at(atMs);
  await Promise.all(Array.from({ length: count }, () => send(adOf(who), 'impression', atMs)));
};
/** Shows an ad and clicks it 150 ms later. */
const showAndClick = async (who: Parameters<typeof adOf>[0], atMs: number, limits: Limits = NO_LIMITS) => {
  const ad = adOf(who);
  await settle(ad, 'impression', atMs - 150, limits);
  return settle(ad, 'click', atMs, limits);
};
const account = async () => (await rig.accounts.lineItems(1, [1]))[0];

test('of a user who clicks every ad the first four clicks count', async () => {
  const became: unknown[] = [];
  for (let i = 0; i < 10; i++) became.push(await showAndClick({ user: 'reader-who-clicks' }, NOON + i * 7_000 + i * i * 900));
  expect(became).toEqual([...Array.from({ length: 4 }, () => 'counted'), ...Array.from({ length: 6 }, () => 'activity')]);
  expect((await account())?.today).toMatchObject({ impressions: 10, clicks: 4, spendMicros: 4 * CPC });
  expect((await rig.events()).filter(([kind]) => kind === 'click').at(-1)).toEqual(['click', 'activity', 0]);
});

test('an ad that is sent again is no other impression: it hides no click', async () => {
  const became: unknown[] = [];
  for (let i = 0; i < 6; i++) {
    const ad = adOf({ user: 'who-repeats' });
    const at = NOON + i * 61_000 + i * i * 700;
    for (let sent = 0; sent < 4; sent++) await settle(ad, 'impression', at);
    became.push(await settle(ad, 'click', at + 900));
  }
  expect(became).toEqual(['counted', 'counted', 'counted', 'counted', 'activity', 'activity']);
});

test('of a user who has seen many ads more clicks count, and no more than a person makes in a minute', async () => {
  const who = { user: 'reader' };
  await show(150, NOON, who);
  const became: unknown[] = [];
  for (let i = 0; i < 7; i++) became.push(await showAndClick(who, NOON + 1_000 + i * 3_000 + i * i * 500));
  expect(became).toEqual([...Array.from({ length: ACTIVITY_RULE.clicksAMinute }, () => 'counted'), 'activity', 'activity']);
  // Barred for a week.
  expect([await showAndClick(who, NOON + 6 * DAY), await showAndClick(who, NOON + 8 * DAY)]).toEqual(['activity', 'counted']);
});

test('clicks at regular intervals are no person’s, however few of the ads are clicked', async () => {
  const who = { user: 'clockwork' };
  await show(100, NOON - MINUTE, who);
  const became: unknown[] = [];
  for (let i = 0; i < 8; i++) became.push(await showAndClick(who, NOON + i * 20 * MINUTE + (i % 3) * 9_000));
  expect(became).toEqual([...Array.from({ length: ACTIVITY_RULE.intervals }, () => 'counted'), 'activity', 'activity', 'activity']);
});

test('of a network whose users change with each ad and all click, nine clicks count; of one behind a private address all', async () => {
  const clicks = async (network: string, fromMs: number): Promise<readonly unknown[]> => {
    const became: unknown[] = [];
    for (let i = 0; i < 14; i++) became.push(await showAndClick({ user: `${network}-${i}`, network }, fromMs + i * 11_000 + i * i * 300));
    return became;
  };
  expect(await clicks('4home', NOON)).toEqual([
    ...Array.from({ length: 9 }, () => 'counted'),
    ...Array.from({ length: 5 }, () => 'activity'),
  ]);
  expect(await clicks('Lhome', NOON + HOUR)).toEqual(Array.from({ length: 14 }, () => 'counted'));
});

test('more impressions of a user in a network than a person sees in a day are filtered, and their clicks with them', async () => {
  const who = { user: 'a-screen-in-a-shop', network: '4shop' };
  const counters = `${rig.keys.events(1)}:shown:${Math.floor(NOON / DAY)}`;
  await show(1, NOON, who);
  expect(await rig.redis.ttl(counters)).toBeGreaterThan(0);
  const used = Buffer.from(await rig.redis.getBuffer(counters).then((bytes) => bytes!));
  // As after so many more: the first counter only says that there are some.
  for (let at = 2; at < used.length; at += 2) if (used.readUInt16BE(at) > 0) used.writeUInt16BE(ACTIVITY_RULE.impressionsADay, at);
  await rig.redis.set(counters, used);
  const ad = adOf(who);
  expect(await settle(ad, 'impression', NOON + 1_000)).toBe('activity');
  expect(await settle(ad, 'impression', NOON + 1_100)).toBe('duplicate');
  expect(await settle(ad, 'click', NOON + 2_000)).toBe('waiting');
  expect(await settle(adOf({ user: 'another-screen', network: '4else' }), 'impression', NOON + 1_000)).toBe('counted');
  expect((await account())?.today).toMatchObject({ impressions: 2 });
  expect(await rig.redis.hget(rig.keys.filtered(1), `${Math.floor(NOON / DAY)}:1:impression:activity`)).toBe('1');
});

describe('clicks far above the history of their creative', () => {
  const START = NOON - 2 * HOUR;
  /** 1,500 impressions with three clicks, then an hour later as many clicks of new users as count before the others are provisional. */
  const attack = async (): Promise<number> => {
    for (let i = 0; i < 15; i++) await show(100, START + i * MINUTE, { user: `people-${i}` });
    for (let i = 0; i < 3; i++) expect(await showAndClick({ user: `people-${i}` }, START + 20 * MINUTE + i * 77_000)).toBe('counted');
    let before = 0;
    while ((await showAndClick({ user: `fresh-${before}-of-the-attack` }, NOON + before * 997)) === 'counted') before++;
    return before;
  };

  test('are provisional: gross, neither billed nor filtered, until they are judged ten minutes later', async () => {
    const before = await attack();
    expect(before).toBe(ACTIVITY_RULE.excessClicks);
    for (let i = 0; i < 20; i++)
      expect(await showAndClick({ user: `other-${i}-of-the-attack` }, NOON + 20_000 + i * 997)).toBe('provisional');
    // A person who has seen other ads clicks meanwhile.
    expect(await showAndClick({ user: 'people-7' }, NOON + 60_000)).toBe('provisional');
    const counted = { clicks: 3 + before, spendMicros: (3 + before) * CPC };
    expect((await account())?.today).toMatchObject(counted);
    expect(await rig.redis.hget(rig.keys.filtered(1), `${Math.floor(NOON / DAY)}:1:click:provisional`)).toBe('22');
    await rig.at(NOON + 9 * MINUTE);
    expect(await judge()).toEqual([0, 0]);
    await rig.at(NOON + 12 * MINUTE);
    expect([await judge(), await judge()]).toEqual([
      [1, 21],
      [0, 0],
    ]);
    expect((await account())?.today).toMatchObject({ clicks: counted.clicks + 1, spendMicros: counted.spendMicros + CPC });
    expect((await account())?.heldToday).toBe(0);
    expect(await rig.redis.hgetall(rig.keys.filtered(1))).toEqual({
      [`${Math.floor(NOON / DAY)}:1:click:provisional`]: '0',
      [`${Math.floor(NOON / DAY)}:1:click:activity`]: '21',
    });
    // The click of a person some hours later is provisional, and billed, as its hour is an ordinary one.
    expect(await showAndClick({ user: 'a-late-reader' }, NOON + 5 * HOUR)).toBe('provisional');
    await rig.at(NOON + 5 * HOUR + 11 * MINUTE);
    expect(await judge()).toEqual([1, 0]);
  });

  test('are judged as their rows say when Redis has lost data: this may be an older copy, and they may be judged', async () => {
    await attack();
    const readers = [1, 2, 3].map((i) => adOf({ user: `people-${i + 7}` }));
    for (const [i, ad] of readers.entries()) {
      await settle(ad, 'impression', NOON + 60_000 + i * 9_000);
      expect(await settle(ad, 'click', NOON + 61_000 + i * 9_000)).toBe('provisional');
    }
    // Another epoch, whose accounts are rebuilt: the price of no click is held in them.
    await rig.redis.hset(rig.keys.accounts(1), '#', 'later');
    const before = (await account())!;
    const asked: unknown[] = [];
    const judgeLater = createJudgeClicks({
      ...{ redis: rig.redis, keys: rig.keys, clock: VIRTUAL_CLOCK_KEY },
      books: { epochOf: () => 'later' } as unknown as LedgerBooks,
      provisionalRows: (clicks) => {
        asked.push(...clicks);
        return Promise.resolve(new Set([readers[1]!.tokenId]));
      },
    });
    await rig.at(NOON + 30 * MINUTE);
    expect(await judgeLater(1)).toEqual({ billed: 1, filtered: 0 });
    expect(asked).toContainEqual({ tokenId: readers[0]!.tokenId, day: Math.floor(NOON / DAY) });
    const after = (await account())!;
    expect([after.today.clicks - before.today.clicks, after.heldToday - before.heldToday]).toEqual([1, 0]);
    expect(await judgeLater(1)).toEqual({ billed: 0, filtered: 0 });
  });

  test('hold their price: no other click bills it, and the budget is billed to the micro', async () => {
    await attack();
    // What is left: one and a half clicks.
    const limits = { ...NO_LIMITS, budgetMicros: (3 + ACTIVITY_RULE.excessClicks) * CPC + 1.5 * CPC };
    const spent = async () => (await account())?.today.spendMicros;
    const billed = (await spent())!;
    expect(await showAndClick({ user: 'people-4' }, NOON + 40_000, limits)).toBe('provisional');
    expect(await showAndClick({ user: 'people-5' }, NOON + 41_000, limits)).toBe('provisional');
    expect(await spent()).toBe(billed);
    await rig.at(NOON + 30 * MINUTE);
    // One of the attack was provisional without a limit.
    expect(await judge()).toEqual([2, 1]);
    expect(await spent()).toBe(limits.budgetMicros);
    expect((await rig.accounts.campaigns(1, [1]))[0]?.today.spendMicros).toBe(limits.budgetMicros);
  });

  test('are recognized when they come again after they were judged, however long ago their token ended', async () => {
    await attack();
    const ad = adOf({ user: 'slow-of-the-attack' });
    await settle(ad, 'impression', NOON + 20_000);
    expect(await settle(ad, 'click', NOON + 20_150)).toBe('provisional');
    await rig.redis.del(rig.keys.seen(1, ad.tokenId));
    await rig.at(NOON + 30 * MINUTE);
    await judge();
    expect(await settle(ad, 'click', NOON + 31 * MINUTE)).toBe('duplicate');
  });

  test('are judged once by any number of replicas at a time, and every key of it expires', async () => {
    await attack();
    for (let i = 0; i < 30; i++) await showAndClick({ user: `many-${i}-of-the-attack` }, NOON + 20_000 + i * 997);
    await rig.at(NOON + 30 * MINUTE);
    const all = await Promise.all(Array.from({ length: 8 }, judge));
    expect(all.reduce((sum, [billed, filtered]) => sum + billed + filtered, 0)).toBe(31);
    const last = (await rig.events()).filter(([kind, reason]) => kind === 'click' && reason === 'activity');
    expect(last).toHaveLength(31);
    for (const key of await rig.redis.keys('ads:{1}:*activity*')) expect([key, (await rig.redis.ttl(key)) > 0]).toEqual([key, true]);
    for (const key of await rig.redis.keys('ads:{1}:*shown*')) expect([key, (await rig.redis.ttl(key)) > 0]).toEqual([key, true]);
  });
});

test.each([1, 3])('the ledger judges 2,500 impressions of seed %i as stored days are judged', async (seed) => {
  const chance = createChance(seed);
  const activity = createActivity();
  const pick = <T>(of: readonly T[]): T => of[Math.floor(chance() * of.length)]!;
  const users = ['a', 'b', 'c', 'd', 'e', 'f', null].map((one) => one && `${one}-user-of-seed-${seed}`);
  const due: { readonly actor: Actor; readonly atMs: number; readonly dueMs: number; readonly token: string }[] = [];
  const own: string[] = [];
  let atMs = NOON - 20 * DAY;
  /** Impressions of one day, on their way together. */
  let shown: { readonly ad: ServedAd; readonly atMs: number; readonly due: string }[] = [];
  const flush = async (): Promise<void> => {
    const [batch, last] = [shown, shown.at(-1)];
    shown = [];
    if (!last) return;
    await rig.at(last.atMs);
    expect(await Promise.all(batch.map((one) => send(one.ad, 'impression', one.atMs)))).toEqual(batch.map((one) => one.due));
  };
  const judgeUntil = async (untilMs: number): Promise<void> => {
    while (due[0] && due[0].dueMs <= untilMs) {
      await flush();
      const { actor, atMs: clickedMs, dueMs, token } = due.shift()!;
      await rig.at(dueMs);
      const [billed] = await judge();
      expect([token, billed === 1 ? '' : 'activity']).toEqual([token, activity.judge(actor, clickedMs, dueMs)]);
      own.push('judged');
    }
  };
  for (let i = 0; i < 2_500; i++) {
    // Now and then hours or days pass.
    atMs += Math.floor(chance() < 0.02 ? chance() * 5 * HOUR : chance() < 0.001 ? chance() * 9 * DAY : chance() * 20_000) + 200;
    const isAttack = i > 1_900 && i < 2_100;
    const user = pick(users);
    const network = isAttack ? '' : pick(['4aaaa', '4bbbb', '4cccc', '']);
    const creative = isAttack ? 1 : pick([1, 1, 1, 2]);
    const ad = adOf({ user: user && (isAttack || chance() < 0.2) ? `${user}-${i}-new` : user, network, creative });
    const visitor = ad.userHash ?? (network && `0${network}`);
    const actor: Actor = { visitor, isUser: ad.userHash !== null, network, creative: String(creative) };
    await judgeUntil(atMs);
    if (shown[0] && Math.floor(shown[0].atMs / DAY) < Math.floor(atMs / DAY)) await flush();
    shown.push({ ad, atMs, due: activity.impression(actor, atMs) ? 'activity' : 'counted' });
    if (chance() > (isAttack ? 0.95 : user === users[0] ? 0.5 : 0.02)) continue;
    await flush();
    atMs += 120;
    await judgeUntil(atMs);
    const { verdict } = activity.click(actor, atMs);
    expect([i, await settle(ad, 'click', atMs)]).toEqual([i, verdict === '' ? 'counted' : verdict]);
    own.push(verdict);
    if (verdict === PROVISIONAL) due.push({ actor, atMs, dueMs: atMs + ACTIVITY_RULE.judgeAfterMs, token: ad.tokenId });
  }
  expect(new Set(own)).toEqual(new Set(['', 'activity', PROVISIONAL, 'judged']));
});
