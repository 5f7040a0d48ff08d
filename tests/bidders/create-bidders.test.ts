import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describeOutcome } from '../../src/bidders/bid-outcome.ts';
import type { Bid } from '../../src/bidders/bidder-port.ts';
import { MAX_ENDPOINTS } from '../../src/bidders/create-bidders.ts';
import { mockBid } from '../../src/bidders/openrtb/mock-bid.ts';
import {
  answerJson,
  bidOf,
  context,
  httpBidder,
  invitationTo,
  nativeContent,
  opportunity,
  outcomeOf,
  rawBidder,
  until,
  watchedBidders,
  type ReceivedRequest,
  type TestBidder,
} from './bidder-fixtures.ts';

const open: { close(): Promise<void> }[] = [];
const keep = <T extends { close(): Promise<void> }>(part: T): T => (open.push(part), part);
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.close();
});

/** A bidder that records its requests and answers with `answer` (JSON; undefined: 204; null: no answer). */
const bidder = async (answer: (request: ReceivedRequest) => unknown): Promise<TestBidder & { readonly received: ReceivedRequest[] }> => {
  const received: ReceivedRequest[] = [];
  const server = await httpBidder((request, response) => {
    received.push(request);
    const body = answer(request);
    if (body === undefined) response.writeHead(204).end();
    else if (body !== null) answerJson(response, body);
  });
  return keep({ ...server, received });
};
const started = (options: Parameters<typeof watchedBidders>[0] = {}) => {
  const watched = watchedBidders(options);
  keep(watched.bidders);
  return watched;
};
/** A timer of the test's own, which a busy machine delays like those of the service. */
const timer = (ms: number) => {
  const fired = sleep(ms).then(() => performance.now());
  /** How long ago it fired; negative: not yet. */
  const passedMs = async (): Promise<number> => {
    const nowMs = performance.now();
    return nowMs - (await fired);
  };
  return { passedMs };
};
const jsonOf = ({ body }: ReceivedRequest): { id: string; tmax: number; imp: { id: string }[]; source: { tid: string } } =>
  JSON.parse(body) as never;
const nth = <T>(list: readonly T[], index: number): T => {
  const value = list[index];
  if (value === undefined) throw new Error(`nothing at ${index}`);
  return value;
};

test('a bid is returned with its price in micros and with macros replaced in its HTML and its notices', async () => {
  const adm =
    '<a href="https://x.example/?p=${AUCTION_PRICE}&c=${AUCTION_CURRENCY}&i=${AUCTION_IMP_ID}&s=${AUCTION_SEAT_ID}&b=${AUCTION_BID_ID}&a=${AUCTION_AD_ID}">';
  const server = await bidder(() =>
    bidOf({
      price: 1.234567,
      adm,
      adid: 'ad 9',
      w: 300,
      h: 250,
      adomain: ['brand.example', 5],
      burl: 'http://127.0.0.1/?p=${AUCTION_PRICE:B64}',
    }),
  );
  const { bidders, seen } = started();
  const { bids, refusals } = await bidders.ask([opportunity([invitationTo(server.url)])], context);
  expect(refusals).toEqual([]);
  expect(bids).toEqual([
    {
      impId: 'imp-1',
      placementId: 'top',
      invitation: invitationTo(server.url),
      bidder: createHash('sha256').update(new URL(server.url).href).digest('hex').slice(0, 8),
      bidId: 'b1',
      deal: '',
      cpmMicros: 1_234_567,
      adm: '<a href="https://x.example/?p=1.234567&c=USD&i=imp-1&s=s1&b=b1&a=ad%209">',
      adomain: ['brand.example'],
      cat: [],
      cattax: 1,
      dsa: undefined,
      width: 300,
      height: 250,
      ...{ tag: null, durationMs: null },
      winNoticeUrl: null,
      billingNoticeUrl: `http://127.0.0.1/?p=${encodeURIComponent(Buffer.from('1.234567').toString('base64'))}`,
      lossNoticeUrl: null,
      foreignNotices: [],
    },
  ]);
  const sent = nth(server.received, 0);
  expect(sent.headers).toMatchObject({ 'x-openrtb-version': '2.6', 'content-type': 'application/json', 'accept-encoding': 'gzip' });
  expect(jsonOf(sent).tmax).toBeLessThanOrEqual(2_000);
  expect(jsonOf(sent).tmax).toBeGreaterThan(1_000);
  expect(seen).toMatchObject({ calls: ['accepted'], bids: ['accepted'], errors: [] });
});

test('no bidder is called without an invitation', async () => {
  const { bidders, seen } = started();
  expect(await bidders.ask([], context)).toEqual({ bids: [], refusals: [] });
  expect(await bidders.ask([opportunity([]), opportunity([invitationTo(null)], 'imp-2')], context)).toEqual({ bids: [], refusals: [] });
  expect(seen.calls).toEqual([]);
});

test('a bidder gets one request per format for all impressions of a page', async () => {
  const server = await bidder(() => undefined);
  const { bidders } = started();
  const native = invitationTo(server.url, 2, nativeContent);
  await bidders.ask([opportunity([invitationTo(server.url), native], 'a'), opportunity([invitationTo(server.url)], 'b')], context);
  const requests = server.received.map(jsonOf).sort((x, y) => y.imp.length - x.imp.length);
  expect(requests.map(({ imp }) => imp.map(({ id }) => id))).toEqual([['a', 'b'], ['a']]);
  expect(nth(requests, 0).source.tid).toBe(nth(requests, 1).source.tid);
  expect(nth(requests, 0).id).not.toBe(nth(requests, 1).id);
});

test('the best bid for each impression is used, and the other bids get a loss notice', async () => {
  const notified: string[] = [];
  const notices = await bidder(({ path }) => void notified.push(path));
  const lurl = `${notices.url}/lost?code=\${AUCTION_LOSS}&price=\${AUCTION_PRICE}`;
  const bid = (impid: string, price: unknown, more = {}): object => ({
    id: `${impid} ${String(price)}`,
    impid,
    price,
    adm: '<b>x</b>',
    lurl,
    ...more,
  });
  const server = await bidder(() => ({
    seatbid: [{ bid: [bid('a', 1), bid('b', 3)] }, { bid: [bid('a', 2), bid('a', '9'), bid('b', 2.5, { w: 999, h: 1 })] }],
  }));
  const { bidders, seen } = started();
  const invited = [invitationTo(server.url)];
  const { bids } = await bidders.ask([opportunity(invited, 'a'), opportunity(invited, 'b')], context);
  expect(bids.map(({ impId, cpmMicros }) => [impId, cpmMicros])).toEqual([
    ['a', 2_000_000],
    ['b', 3_000_000],
  ]);
  await until(() => notified.length === 3);
  expect(notified.sort()).toEqual(['/lost?code=102&price=', '/lost?code=203&price=', '/lost?code=3&price=']);
  expect([...seen.bids].sort()).toEqual(['accepted', 'accepted', 'bad_price', 'outbid_by_itself', 'wrong_size']);
});

test('a bidder that hangs delays the answer to the deadline and does not affect other bids', async () => {
  const hung = keep(await rawBidder(() => undefined));
  const servers = await Promise.all([1, 2].map((price) => bidder(() => bidOf({ price, adm: 'x' }))));
  const { bidders } = started({ timeoutMs: 1_000 });
  const deadline = timer(1_000);
  const invitations = [hung, ...servers].map(({ url }, index) => invitationTo(url, index));
  const { bids, refusals } = await bidders.ask([opportunity(invitations)], context);
  // It would answer never; a busy machine may hold this process for a while.
  expect(await deadline.passedMs()).toBeLessThan(2_000);
  expect(bids.map(({ cpmMicros }) => cpmMicros).sort()).toEqual([1_000_000, 2_000_000]);
  expect(refusals).toMatchObject([{ reason: 15, detail: 'no complete response before the deadline (seat-non-bid 101)' }]);
});

test('a caller that leaves less time is answered in it, and the bidder knows', async () => {
  const server = await bidder(() => bidOf({ price: 1, adm: 'x' }));
  const hung = keep(await rawBidder(() => undefined));
  const { bidders } = started({ timeoutMs: 20_000 });
  const deadline = timer(1_000);
  const { bids } = await bidders.ask([opportunity([invitationTo(server.url), invitationTo(hung.url, 2)])], { ...context, maxMs: 1_000 });
  expect(await deadline.passedMs()).toBeLessThan(10_000);
  expect([bids.length, jsonOf(nth(server.received, 0)).tmax <= 1_000]).toEqual([1, true]);
});

test('a bid below the floor is refused with its codes', async () => {
  const server = await bidder(() => bidOf({ price: 0.49, adm: 'x' }));
  const { bidders } = started();
  const { refusals } = await bidders.ask([{ ...opportunity([invitationTo(server.url)]), floorMicros: 500_000 }], context);
  expect(refusals).toMatchObject([{ detail: 'price below the floor (seat-non-bid 301, loss 100)' }]);
});

test('reads a gzipped answer, and accepts a missing impid in the answer for a single impression', async () => {
  const server = keep(
    await httpBidder((_, response) => {
      response.setHeader('content-encoding', 'gzip');
      response.end(gzipSync(JSON.stringify({ seatbid: [{ bid: [{ price: 2, adm: 'ad' }] }] })));
    }),
  );
  const { bidders } = started();
  expect((await bidders.ask([opportunity([invitationTo(server.url)])], context)).bids).toHaveLength(1);
  const both = [opportunity([invitationTo(server.url)], 'a'), opportunity([invitationTo(server.url)], 'b')];
  expect((await bidders.ask(both, context)).refusals.map(outcomeOf)).toEqual(['unknown_imp', 'unknown_imp']);
});

test('a native answer is converted to native assets', async () => {
  const native = {
    link: { url: 'https://brand.example/', clicktrackers: ['https://t.example/c?p=${AUCTION_PRICE}'] },
    assets: [
      { id: 1, title: { text: 'Shoes' } },
      { id: 2, img: { url: 'https://cdn.example/i.png', w: 300, h: 250 } },
      { id: 4, data: { value: 'Brand' } },
    ],
    eventtrackers: [
      { event: 1, method: 1, url: 'https://t.example/i' },
      { event: 1, method: 2, url: 'https://t.example/script.js' },
    ],
  };
  for (const adm of [JSON.stringify(native), { native }, native]) {
    const server = await bidder(() => bidOf({ price: 2.5, adm, mtype: 4 }));
    const { bidders } = started();
    const { bids } = await bidders.ask([opportunity([invitationTo(server.url, 1, nativeContent)])], context);
    expect(JSON.parse(nth(bids, 0).adm)).toEqual({
      title: 'Shoes',
      click: 'https://brand.example/',
      brand: 'Brand',
      sponsored: 'Brand',
      image: { url: 'https://cdn.example/i.png', w: 300, h: 250 },
      impression_trackers: ['https://t.example/i'],
      click_trackers: ['https://t.example/c?p=2.5'],
    });
  }
});

test('the mock bidder bids on html and native impressions', async () => {
  const server = await bidder(({ path, body }) => mockBid(new URL(path, 'http://mock').searchParams, JSON.parse(body)).body ?? undefined);
  const { bidders } = started();
  const ask = (query: string, content = invitationTo(null).creative.content) =>
    bidders.ask([opportunity([invitationTo(`${server.url}/test/bid${query}`, 1, content)], 'x')], context);
  expect((await ask('')).bids).toMatchObject([{ cpmMicros: 1_750_000, adm: expect.stringContaining('1.75 USD') }]);
  expect((await ask('?price=0.4')).bids).toMatchObject([{ cpmMicros: 400_000 }]);
  expect((await ask('?native=1', nativeContent)).bids).toMatchObject([{ adm: expect.stringContaining('"title":"Test bid"') }]);
  expect((await ask('?no_bid=1')).refusals).toMatchObject([{ detail: describeOutcome('no_bid'), reason: 508 }]);
});

describe('notices', () => {
  const noticed = async () => {
    const paths: string[] = [];
    const receiver = await bidder(({ path, method }) => void paths.push(`${method} ${path}`));
    const notices = {
      nurl: `${receiver.url}/win?p=\${AUCTION_PRICE}`,
      burl: `${receiver.url}/bill?p=\${AUCTION_PRICE}&c=\${AUCTION_CURRENCY}`,
      lurl: `${receiver.url}/loss?l=\${AUCTION_LOSS}`,
    };
    const server = await bidder(() => bidOf({ price: 0.000_001, adm: 'x', ...notices }));
    return { paths, server };
  };

  test('win, billing and loss notices are sent to their URLs with decimal prices', async () => {
    const { paths, server } = await noticed();
    const { bidders, seen } = started();
    const ask = async (): Promise<Bid> => nth((await bidders.ask([opportunity([invitationTo(server.url)])], context)).bids, 0);
    const winner = await ask();
    bidders.notifyWin(winner);
    bidders.notifyBilled(winner.billingNoticeUrl ?? '');
    bidders.notifyLoss(await ask(), 102);
    await until(() => paths.length === 3);
    expect(paths.sort()).toEqual(['GET /bill?p=0.000001&c=USD', 'GET /loss?l=102', 'GET /win?p=0.000001']);
    await until(() => seen.notices.length === 3);
    expect(seen.notices.sort()).toEqual(['billing sent', 'loss sent', 'win sent']);
  });

  test('notices go to the host of the endpoint and to listed hosts with their subdomains, and to no other', async () => {
    const urls = { nurl: 'http://victim.example/win', burl: 'http://eu.notices.example:8080/bill', lurl: 'http://xnotices.example/loss' };
    const bids = Array.from({ length: 100 }, (_, i) => ({ id: `b${i}`, impid: 'imp-1', price: 1 + i, adm: 'x', ...urls }));
    const server = await bidder(() => ({ seatbid: [{ bid: bids }] }));
    const { bidders, seen } = started();
    const invitation = invitationTo(server.url);
    const listing = { ...invitation, lineItem: { ...invitation.lineItem, noticeHosts: ['notices.example'] } };
    const answers = await bidders.ask([opportunity([listing])], context);
    expect(answers.bids).toMatchObject([
      { winNoticeUrl: null, billingNoticeUrl: urls.burl, lossNoticeUrl: null, foreignNotices: ['loss', 'win'] },
    ]);
    expect(seen.notices.sort()).toEqual([
      ...Array.from({ length: 100 }, () => 'loss foreign_host'),
      ...Array.from({ length: 100 }, () => 'win foreign_host'),
    ]);
  });

  test('line items with the same endpoint share one call and one bid, whose notice is sent once', async () => {
    const { paths, server } = await noticed();
    const { bidders } = started();
    const { bids } = await bidders.ask([opportunity([invitationTo(server.url, 1), invitationTo(server.url, 2)])], context);
    expect(server.received).toHaveLength(1);
    expect(bids.map(({ invitation }) => invitation.lineItem.id)).toEqual([1, 2]);
    bidders.notifyLoss(nth(bids, 0), 102);
    bidders.notifyWin(nth(bids, 1));
    bidders.notifyWin(nth(bids, 0));
    await until(() => paths.length > 0);
    await until(() => paths.length > 1, 100);
    expect(paths).toEqual(['GET /win?p=0.000001']);
  });

  test('a notice receiver that hangs delays neither answers nor shutdown', async () => {
    const hung = keep(await rawBidder(() => undefined));
    const { bidders, seen } = started({ noticeTimeoutMs: 200 });
    for (let index = 0; index < 2_100; index += 1) bidders.notifyBilled(`${hung.url}/${index}`);
    const server = await bidder(() => bidOf({ price: 1, adm: 'x' }));
    expect((await bidders.ask([opportunity([invitationTo(server.url)])], context)).bids).toHaveLength(1);
    expect(seen.notices).toEqual(Array.from({ length: 100 }, () => 'billing dropped'));
    expect(hung.open()).toBeLessThanOrEqual(4);
    const startedAt = performance.now();
    await bidders.close();
    // One after the other they would take 105 s.
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    expect(seen.notices).toHaveLength(2_100);
    await until(() => hung.open() === 0);
    expect(hung.open()).toBe(0);
  });

  test('a forbidden notice URL is counted and not called', () => {
    const { bidders, seen } = started({ allowPrivateAddresses: false });
    for (const url of ['http://127.0.0.1/', 'https://10.0.0.1/', 'javascript:alert(1)', '', 'https://u:p@x.example/'])
      bidders.notifyBilled(url);
    expect(seen.notices).toEqual(Array.from({ length: 5 }, () => 'billing refused'));
  });
});

describe('the circuit breaker', () => {
  test('an unreachable bidder is skipped after a few failures, and is called again when it has recovered', async () => {
    let dead = true;
    const server = await bidder(() => (dead ? null : bidOf({ price: 1, adm: 'x' })));
    const { bidders, seen } = started({ timeoutMs: 150, circuit: { failuresInRow: 5, retryAfterMs: 500, trialTimeoutMs: 150 } });
    const ask = async () => bidders.ask([opportunity([invitationTo(`${server.url}/bid?key=secret`)])], context);
    for (let index = 0; index < 5; index += 1) expect((await ask()).refusals).toMatchObject([{ detail: describeOutcome('timeout') }]);
    for (let index = 0; index < 20; index += 1) expect((await ask()).refusals).toMatchObject([{ detail: describeOutcome('circuit_open') }]);
    // It was not called: nothing waited for it.
    expect(server.received).toHaveLength(5);
    dead = false;
    await sleep(550);
    expect((await ask()).refusals).toMatchObject([{ detail: describeOutcome('circuit_open') }]);
    await until(() => seen.circuits.at(-1)?.endsWith(' closed') === true);
    expect((await ask()).bids).toHaveLength(1);
    const id = createHash('sha256').update(`${server.url}/bid?key=secret`).digest('hex').slice(0, 8);
    expect(seen.circuits).toEqual(['closed', 'open', 'half_open', 'closed'].map((state) => `${id} ${state}`));
  });

  test('no request waits for the trial call to an unreachable bidder', async () => {
    const hung = keep(await rawBidder(() => undefined));
    const { bidders, seen } = started({ timeoutMs: 300, circuit: { failuresInRow: 1, retryAfterMs: 100, trialTimeoutMs: 300 } });
    const ask = async () => bidders.ask([opportunity([invitationTo(hung.url)])], context);
    await ask();
    const changesTo = (name: string) => seen.circuits.filter((state) => state.endsWith(` ${name}`)).length;
    for (let trial = 1; trial <= 2; trial += 1) {
      await until(() => changesTo('open') === trial);
      await sleep(150);
      const startedAt = performance.now();
      expect((await ask()).refusals).toMatchObject([{ detail: describeOutcome('circuit_open') }]);
      expect(performance.now() - startedAt).toBeLessThan(150);
      expect(changesTo('half_open')).toBe(trial);
    }
  });

  test('only a few requests wait for a bidder that has never answered, for any number of requests', async () => {
    const hung = keep(await rawBidder(() => undefined));
    const { bidders, seen } = started({ timeoutMs: 100 });
    const asked: Promise<unknown>[] = [];
    for (let index = 0; index < 60; index += 1) {
      asked.push(bidders.ask([opportunity([invitationTo(hung.url)])], context));
      await sleep(5);
    }
    await Promise.all(asked);
    expect(seen.calls.filter((outcome) => outcome === 'timeout')).toHaveLength(5);
    expect(seen.calls.filter((outcome) => outcome === 'busy' || outcome === 'circuit_open')).toHaveLength(55);
  });

  test('the circuit opens on failures under load, and not on invalid bids', async () => {
    let ill = false;
    const server = await bidder(({ path }) => (ill && path === '/ill' ? 'not an answer'.repeat(100_000) : bidOf({ price: 'x', adm: 'x' })));
    const { bidders, seen } = started();
    const askOften = async (path: string, times: number) => {
      for (let index = 0; index < times; index += 1) await bidders.ask([opportunity([invitationTo(server.url + path)])], context);
    };
    await askOften('/ill', 50);
    expect(seen.circuits.filter((state) => state.endsWith('open'))).toEqual([]);
    ill = true;
    await askOften('/ill', 20);
    expect(server.received).toHaveLength(55);
    await askOften('/well', 5);
    expect(server.received).toHaveLength(60);
  });
});

test('a bidder gets at most 50 keep-alive connections', async () => {
  const server = keep(await httpBidder((_, response) => void setTimeout(() => answerJson(response, {}), 20)));
  const { bidders, seen } = started({ timeoutMs: 3_000 });
  const ask = async () => bidders.ask([opportunity([invitationTo(server.url)])], context);
  for (let index = 0; index < 10; index += 1) await ask();
  // The second may be opened before the first is back in the pool.
  expect(server.accepted()).toBeLessThanOrEqual(2);
  await Promise.all(Array.from({ length: 150 }, ask));
  expect(server.accepted()).toBeLessThanOrEqual(50);
  expect(seen.calls.filter((outcome) => outcome === 'no_bid').length).toBe(110);
  expect(seen.calls.filter((outcome) => outcome === 'busy').length).toBe(50);
});

test('the number of remembered endpoints is bounded, and eviction removes the metric series of an endpoint', async () => {
  const server = await bidder(() => undefined);
  const { bidders, seen } = started({ timeoutMs: 3_000 });
  for (let index = 0; index < MAX_ENDPOINTS + 10; index += 1)
    await bidders.ask([opportunity([invitationTo(`${server.url}/${index}`)])], context);
  expect(seen.circuits.filter((state) => state.endsWith('gone'))).toHaveLength(10);
  await bidders.close();
  expect(seen.circuits.filter((state) => state.endsWith('gone'))).toHaveLength(MAX_ENDPOINTS + 10);
});

test('a bidder that often runs out of time is asked less, which the refusal says; its calls, bids and wins are counted', async () => {
  let calls = 0;
  const server = await bidder(() => (calls++ % 5 < 2 ? null : bidOf({ price: 2, adm: '<b>ad</b>' })));
  const { bidders, seen } = started({ timeoutMs: 250, circuit: { failuresInRow: 1_000, retryAfterMs: 20, trialTimeoutMs: 200 } });
  const details: string[] = [];
  for (let i = 0; i < 120; i++) {
    const { bids, refusals } = await bidders.ask([opportunity([invitationTo(server.url)])], context);
    for (const bid of bids.slice(0, 1)) if (i % 2 === 0) bidders.notifyWin(bid);
    details.push(...refusals.map(({ detail }) => detail));
  }
  const { calls: sent = 0, skipped = 0, timeouts = 0, impressions, bids = 0, wins = 0 } = seen.steps;
  expect([sent, impressions, sent + skipped, timeouts + bids]).toEqual([calls, calls, 120, calls]);
  expect([seen.steps['placement top impressions'], seen.steps['placement top timeouts']]).toEqual([calls, timeouts]);
  expect(skipped).toBeGreaterThan(10);
  expect(wins).toBeGreaterThan(0);
  expect(wins).toBeLessThanOrEqual(bids);
  expect(seen.shares.at(-1)).toBeLessThan(0.6);
  expect(details).toContainEqual(
    expect.stringMatching(/^asked less often, because many of its calls run out of time \(seat-non-bid 101\): it gets \d+% of its calls$/),
  );
});

test('hundreds of calls aborted at the deadline leave no open socket', async () => {
  const hung = keep(await rawBidder((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{')));
  const { bidders, seen } = started({ timeoutMs: 50, circuit: { failuresInRow: 1_000, retryAfterMs: 20, trialTimeoutMs: 50 } });
  for (let round = 0; round < 5; round += 1) {
    await Promise.all(Array.from({ length: 60 }, async () => bidders.ask([opportunity([invitationTo(hung.url)])], context)));
  }
  // Sockets opened for calls that were aborted meanwhile stay idle for 4 seconds, like any other.
  expect(hung.open()).toBeLessThanOrEqual(50);
  await until(() => hung.open() === 0);
  // A bidder that runs out of time is asked less from the next second on, which a busy machine reaches here.
  expect(seen.calls.filter((outcome) => !['timeout', 'circuit_open', 'busy', 'slow'].includes(outcome))).toEqual([]);
});
