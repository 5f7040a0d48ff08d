import { createAdRequests, type AdRequest } from '../../sdk/src/ad-requests.ts';

interface Asked {
  readonly url: string;
  readonly body: {
    readonly imp: readonly { readonly id: string; readonly tagid: string; readonly ext?: object; readonly banner?: object }[];
    readonly ext: object;
  };
}

/** A server that fills every placement but `none`. */
const setup = (answer?: (asked: Asked) => Partial<Response>) => {
  const asked: Asked[] = [];
  const request = createAdRequests({
    send: (url, init) => {
      const one: Asked = { url, body: JSON.parse(init.body as string) };
      asked.push(one);
      const bid = one.body.imp
        .filter((imp) => imp.tagid !== 'none')
        .map((imp) => ({
          impid: imp.id,
          adm: imp.tagid,
          impurl: '/impression?t=1',
          clkurl: 'https://ads.invalid/click?t=1',
          evturl: 'javascript:1',
        }));
      const nonbid = one.body.imp.filter((imp) => imp.tagid === 'none').map((imp) => ({ impid: imp.id, nbr: 503 }));
      const json = { id: 'r', seatbid: bid.length ? [{ bid }] : [], ...(bid.length ? {} : { nbr: 500 }), ext: { nonbid } };
      return Promise.resolve({ ok: true, json: () => Promise.resolve(json), ...answer?.(one) } as Response);
    },
    pageFields: () => Promise.resolve({ user: { id: 'user' } }),
    newId: () => 'request',
    nextTick: (run) => queueMicrotask(run),
  });
  const ask = (placementId: string, more: Partial<AdRequest> = {}) =>
    request({ baseUrl: 'https://ads.invalid/', apiKey: 'k', publisherId: 1, placementId, sizes: [], keyValues: undefined, ...more });
  return { asked, ask };
};

test('21 placements of one tick need two requests, because the server accepts 20', async () => {
  const { asked, ask } = setup();
  const answers = await Promise.all(Array.from({ length: 21 }, (_, index) => ask(`p${index}`)));
  expect(asked.map((one) => one.body.imp.length)).toEqual([20, 1]);
  expect(answers.map((answer) => answer.seatbid[0]!.bid.map((bid) => bid.adm))).toEqual(
    Array.from({ length: 21 }, (_, index) => [`p${index}`]),
  );
});

test('each caller receives its own bid or its own no-bid reason', async () => {
  const { ask } = setup();
  const [filled, empty] = await Promise.all([ask('some'), ask('none')]);
  expect(filled).not.toHaveProperty('nbr');
  expect(empty).toMatchObject({ seatbid: [], nbr: 503 });
});

test('tracking URLs become absolute, and a URL that is not http(s) becomes empty', async () => {
  const { ask } = setup();
  const { seatbid } = await ask('some');
  expect(seatbid[0]!.bid[0]).toMatchObject({
    impurl: 'https://ads.invalid/impression?t=1',
    clkurl: 'https://ads.invalid/click?t=1',
    evturl: '',
    repturl: 'https://ads.invalid/impression?t=1',
  });
});

test('another server or publisher needs another request; other key-values travel with their impression', async () => {
  const { asked, ask } = setup();
  await Promise.all([
    ask('a'),
    ask('b', { baseUrl: 'https://other.invalid/ads' }),
    ask('c', { publisherId: 2 }),
    ask('d', { keyValues: { section: 'sport' } }),
    ask('e'),
  ]);
  expect(asked.map((one) => [one.url, ...one.body.imp.map((imp) => imp.tagid)])).toEqual([
    ['https://ads.invalid/ad', 'a', 'd', 'e'],
    ['https://other.invalid/ads/ad', 'b'],
    ['https://ads.invalid/ad', 'c'],
  ]);
  expect(asked[0]!.body.imp.map((imp) => imp.ext)).toEqual([undefined, { kv: { section: 'sport' } }, undefined]);
});

test('key-values that all slots have belong to the request, and sizes to their impression', async () => {
  const { asked, ask } = setup();
  const keyValues = { section: 'sport' };
  await Promise.all([ask('a', { keyValues }), ask('b', { keyValues, sizes: [{ w: 728, h: 90 }] })]);
  expect(asked[0]!.body).toMatchObject({ ext: { publisher_id: 1, kv: keyValues } });
  expect(asked[0]!.body.imp).toEqual([
    { id: '1', tagid: 'a' },
    { id: '2', tagid: 'b', banner: { format: [{ w: 728, h: 90 }] } },
  ]);
});

test.each<[string, Partial<Response>]>([
  ['an error', { ok: false, status: 401, text: () => Promise.resolve('refused') }],
  ['another JSON', { json: () => Promise.resolve({ hello: 1 }) }],
  ['no JSON', { json: () => Promise.reject(new SyntaxError('Unexpected token <')) }],
])('%s rejects every caller of the request', async (_, answer) => {
  const { ask } = setup(() => answer);
  const results = await Promise.allSettled([ask('a'), ask('b')]);
  expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected']);
});
