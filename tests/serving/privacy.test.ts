import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Redis } from 'ioredis';
import { LONE_SECRET_KID } from '../../src/config/read-settings.ts';
import { WITHHELD_FROM_BIDDERS } from '../../src/context/consent/consent.ts';
import { createTokens } from '../../src/tracking/tokens.ts';
import { bookCatalog } from '../../testkit/book-catalog.ts';
import { withClient } from '../../testkit/databases.ts';
import { samplePrivacy } from '../../testkit/sample-booking.ts';
import { eventually } from '../../testkit/until.ts';
import { COMBINED, PRIVACY_TABLE, privacyOf, VENDOR } from '../context/consent/privacy-table.ts';
import { atEnd } from '../setup/at-end.ts';
import { startReplica, TOKEN_SECRET, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

/** Every request of the table, alone and with signals of other laws, each for a publisher with its settings. */
const CASES = [...PRIVACY_TABLE.flatMap(({ requests, allowed }) => requests.map((request) => ({ request, allowed }))), ...COMBINED];
const SETTINGS = [
  ...new Map(CASES.map(({ request }) => [JSON.stringify(privacyOf(request)), privacyOf(request)])).values(),
  { ...samplePrivacy, capsWithoutUserId: 'session' as const },
];
const publisherOf = ({ request }: (typeof CASES)[number]) =>
  1 + SETTINGS.findIndex((settings) => JSON.stringify(settings) === JSON.stringify(privacyOf(request)));

const ADDRESSES: Readonly<Record<string, string>> = {
  US: '8.8.8.8',
  DE: '193.99.144.80',
  GB: '81.2.69.142',
  CH: '195.176.3.23',
  NO: '129.240.118.130',
  FR: '212.27.48.10',
  BR: '200.160.2.3',
  CA: '192.206.151.131',
};
/** A private address has no country. */
const NOWHERE = '10.1.2.3';

interface BidRequest {
  readonly site: { readonly page: string };
  readonly device: { readonly ip: string };
  readonly user: { readonly id?: string; readonly consent?: string };
  readonly regs?: Readonly<Record<string, unknown>>;
}

let replica: Replica;
let redis: Redis;
let databaseUrl: string;
let bidder: Server;
/** What the bidders received, by their path and the id of the ad request that the page carries. */
const received = new Map<string, { readonly text: string; readonly request: BidRequest }>();

beforeAll(async () => {
  bidder = createServer((req, res) => {
    let text = '';
    req.on('data', (chunk) => (text += chunk));
    req.on('end', () => {
      const request = JSON.parse(text) as BidRequest;
      received.set(`${req.url} ${/\/case-(\d+)/.exec(request.site.page)?.[1]}`, { text, request });
      res.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => bidder.listen(0, '127.0.0.1', resolve));
  atEnd(() => bidder.close());
  const endpoint = (path: string) => `http://127.0.0.1:${(bidder.address() as AddressInfo).port}/${path}`;
  databaseUrl = await testDatabase();
  await bookCatalog(databaseUrl, {
    publishers: SETTINGS.map((settings, i) => ({
      name: `P${i + 1}`,
      domain: 'p.example',
      api_key: `key-${i + 1}`,
      consent_when_silent: settings.consentWhenSilent,
      us_opt_out_ends_frequency_caps: settings.usOptOutEndsCaps,
      frequency_caps_without_user_id: settings.capsWithoutUserId,
      placements: [{ id: `slot-${i + 1}`, width: 300, height: 250, formats: ['html'] }],
      campaigns: [
        {
          line_items: [
            {
              name: 'vendor',
              type: 'programmatic',
              cpm: null,
              endpoint: endpoint('vendor'),
              gvl_id: VENDOR,
              creatives: [{ placement_id: `slot-${i + 1}` }],
            },
            {
              name: 'unlisted',
              type: 'programmatic',
              cpm: null,
              endpoint: endpoint('unlisted'),
              creatives: [{ placement_id: `slot-${i + 1}` }],
            },
            { name: 'capped', cpm: 9, frequency_cap: 5, creatives: [{ placement_id: `slot-${i + 1}`, content: 'capped' }] },
            { name: 'open', cpm: 1, creatives: [{ placement_id: `slot-${i + 1}`, content: 'open' }] },
          ],
        },
      ],
    })),
  });
  const redisUrl = await testRedisUrl();
  redis = new Redis(redisUrl);
  atEnd(() => redis.disconnect());
  replica = await startReplica({ env: { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, BIDDER_TIMEOUT: '2s', LOG_LEVEL: 'debug' } });
});

interface Answer {
  readonly seatbid: readonly { readonly bid: readonly { readonly adm: string; readonly impurl: string }[] }[];
  readonly debug: {
    readonly trace: {
      readonly consent: {
        readonly remember: boolean;
        readonly measure: boolean;
        readonly withheld: readonly { readonly field: string; readonly from: string; readonly why: string }[];
      };
    };
  };
}

const ask = async (publisher: number, user: string, more: object, headers: Readonly<Record<string, string>> = {}): Promise<Answer> => {
  const body = { id: '1', imp: [{ id: '1', tagid: `slot-${publisher}` }], ext: { publisher_id: publisher }, ...more };
  const answer = await fetch(`${replica.url}/ad?debug=1`, {
    method: 'POST',
    headers: { 'X-API-Key': `key-${publisher}`, ...headers },
    body: JSON.stringify({ ...body, user: { id: user, ...(more as { user?: object }).user } }),
  });
  return (await answer.json()) as Answer;
};

const tokens = createTokens({ secrets: [{ kid: LONE_SECRET_KID, secret: TOKEN_SECRET }] });
const adOf = (url: string) => tokens.verify(new URL(url, 'http://localhost').searchParams.get('t') as string)!;

interface Kept {
  readonly hasUser: boolean;
  /** Network, browser or origin of the sender. */
  readonly hasSignals: boolean;
}

/** What the event rows of these tokens keep. */
const rowsOf = async (jtis: readonly string[]): Promise<ReadonlyMap<string, Kept>> => {
  const found = new Map<string, Kept>();
  await eventually(async () => {
    const { rows } = await withClient(databaseUrl, (client) =>
      client.query(`select jti, user_hash <> '' as "hasUser", s.jti is not null as "hasSignals"
       from events left join event_signals s using (jti, kind, event_type, screened)`),
    );
    for (const { jti, ...kept } of rows as ({ readonly jti: string } & Kept)[]) found.set(jti, kept);
    expect(jtis.filter((jti) => !found.has(jti))).toEqual([]);
  });
  return found;
};

test('what a bidder, the token, Redis, the event row and the trace receive is as docs/privacy.md says, for every signal', async () => {
  const deviations: unknown[] = [];
  const due = new Map<string, Kept>();
  for (const [i, one] of CASES.entries()) {
    const { request, allowed } = one;
    const { regs, user, device, country, secGpc, gvlId = VENDOR } = request;
    const ip = country === undefined ? NOWHERE : ADDRESSES[country]!;
    const userId = `user-${i}@mail.example`;
    const page = `https://p.example/case-${i}?email=${userId}`;
    const publisher = publisherOf(one);
    const more = { regs, user: user as object, site: { page }, device: { ip, ...(device as object) } };
    const answer = await ask(publisher, userId, more, secGpc === undefined ? {} : { 'Sec-GPC': secGpc });
    const bid = answer.seatbid[0]!.bid[0]!;
    await fetch(new URL(bid.impurl, replica.url));
    const ad = adOf(bid.impurl);
    const path = gvlId === null ? '/unlisted' : '/vendor';
    const { text, request: sent } = received.get(`${path} ${i}`)!;
    const places = await redis.keys(`ads:*:places:${publisher}:${ad.userHash ?? 'none'}`);
    const truncated = `${ip.slice(0, ip.lastIndexOf('.'))}.0`;
    const { consent } = answer.debug.trace;
    const lineItem = (publisher - 1) * 4 + (gvlId === null ? 2 : 1);
    const fromBidder = consent.withheld
      .filter(({ from }) => / line items /.test(from) && from.match(/\d+/g)!.includes(String(lineItem)))
      .map(({ field }) => field);
    const isGpc = secGpc === '1' || (regs as { readonly ext?: { readonly gpc?: unknown } } | undefined)?.ext?.gpc !== undefined;
    const seen = {
      served: bid.adm,
      tokenHasUser: ad.userHash !== null,
      tokenIsUnmeasured: ad.unmeasured === true,
      tokenHasSeal: ad.seal !== undefined,
      places: places.length,
      bidder: { user: sent.user.id !== undefined, ip: sent.device.ip, page: sent.site.page, gpc: JSON.stringify(sent.regs?.['ext']) },
      rawUserId: text.replace(page, '').includes('mail.example'),
      trace: [consent.remember, consent.measure, fromBidder.join()],
      untold: consent.withheld.filter(({ why }) => !why),
    };
    const expected: typeof seen = {
      served: allowed.remember ? 'capped' : 'open',
      tokenHasUser: allowed.remember,
      tokenIsUnmeasured: !allowed.measure,
      // It judges the hits of the token where they may not be kept, too.
      tokenHasSeal: true,
      places: allowed.remember ? 1 : 0,
      bidder: {
        user: allowed.share && allowed.remember,
        ip: allowed.share ? ip : truncated,
        page: allowed.share ? page : `https://p.example/case-${i}`,
        gpc: isGpc ? '{"gpc":"1"}' : (undefined as unknown as string),
      },
      rawUserId: false,
      trace: [allowed.remember, allowed.measure, allowed.share ? '' : WITHHELD_FROM_BIDDERS.join()],
      untold: [],
    };
    due.set(ad.tokenId, { hasUser: allowed.remember && allowed.measure, hasSignals: allowed.measure });
    if (JSON.stringify(seen) !== JSON.stringify(expected)) deviations.push({ request, seen, expected });
  }
  const rows = await rowsOf([...due.keys()]);
  for (const [jti, kept] of due) if (JSON.stringify(rows.get(jti)) !== JSON.stringify(kept)) deviations.push({ jti, kept });
  console.info(`requests ${CASES.length}, deviations ${deviations.length}`);
  expect(deviations).toEqual([]);
  const logged = replica.logs();
  for (const secret of ['mail.example', ...Object.values(ADDRESSES)]) expect(logged).not.toContain(secret);
});

test('without the user id capped line items serve up to their cap from the memory of the replica, if the publisher chose so', async () => {
  const answers: (string | undefined)[] = [];
  const publisher = SETTINGS.findIndex(({ capsWithoutUserId }) => capsWithoutUserId === 'session') + 1;
  for (let i = 0; i < 7; i++) {
    const answer = await ask(publisher, 'session-user', { regs: { coppa: 1 } });
    const bid = answer.seatbid[0]!.bid[0]!;
    expect(adOf(bid.impurl).userHash).toBeNull();
    await fetch(new URL(bid.impurl, replica.url));
    answers.push(bid.adm);
  }
  expect(answers).toEqual([...Array<string>(5).fill('capped'), 'open', 'open']);
  expect((await ask(publisher, 'another user', { regs: { coppa: 1 } })).seatbid[0]!.bid[0]!.adm).toBe('capped');
  expect(await redis.keys(`ads:*:places:${publisher}:*`)).toEqual([]);
});
