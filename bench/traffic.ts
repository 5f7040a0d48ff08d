import { fileURLToPath } from 'node:url';
import { createCountryLookup } from '../src/context/country-lookup.ts';
import { AUDIENCES, COLOURS, COUNTRIES, LANGUAGES, PLACEMENTS, REFERRERS, SECTIONS, TOPICS, type BenchPublisher } from './seed-catalog.ts';
import { createChance } from '../testkit/chance.ts';

/** One ad request, as text; the load generator replaces every occurrence of USER with twelve new random characters. */
export interface AdCall {
  readonly apiKey: string;
  readonly body: string;
}

export const USER = '@USER-ID-12@';
/** The browser that fetches pixels, in every run. */
export const PIXEL_BROWSER = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/131.0.0.0 Safari/537.36';
/** The body size that the prototypes of the design were measured with. */
const BODY_BYTES = 376;

export interface TrafficPlan {
  readonly publishers: readonly BenchPublisher[];
  readonly calls: number;
  readonly seed: number;
  /** Impressions a request, drawn from this list; default one each. */
  readonly imps?: readonly number[];
  /** Share of requests for a placement on which nothing is booked. */
  readonly vacant?: number;
  /** The browser of every request; default: some 2,000 of them. Pixels from another browser than the ad's are filtered. */
  readonly browser?: string;
  /** With a value for every kind of target; such requests are longer. */
  readonly isRich?: boolean;
}

/** Ad requests of many pages, addresses and browsers, 376 bytes each when they ask for one impression. The same plan gives the same calls. */
export const adCalls = ({ publishers, calls, seed, imps = [1], vacant = 0, browser, isRich = false }: TrafficPlan): readonly AdCall[] => {
  const chance = createChance(seed);
  const whole = (below: number): number => Math.floor(chance() * below);
  const one = <T>(values: readonly T[]): T => values[whole(values.length)]!;
  const addresses = addressesOf(chance, Math.min(calls, 16_384));
  return Array.from({ length: calls }, (_, i) => {
    const publisher = one(publishers);
    const first = whole(PLACEMENTS.length);
    const body = {
      id: `r${String(i).padStart(11, '0')}`,
      imp: Array.from({ length: one(imps) }, (__, n) => ({
        id: String(n + 1),
        tagid: chance() < vacant ? 'empty-slot1' : PLACEMENTS[(first + n) % PLACEMENTS.length]!.id,
      })),
      user: { id: USER },
      device: { ua: browser ?? userAgent(whole), ip: one(addresses) },
      site: { page: 'https://p.example/' },
      ext: {
        publisher_id: publisher.id,
        kv: { section: one(SECTIONS), topic: `t${whole(TOPICS)}`, colour: `c${whole(COLOURS)}` },
      },
    };
    if (isRich) return { apiKey: publisher.apiKey, body: JSON.stringify(withEveryValue(body, whole, one)) };
    const missing = body.imp.length === 1 ? BODY_BYTES - Buffer.byteLength(JSON.stringify(body)) : 0;
    body.site.page += 'a-page-about-it/'.repeat(16).slice(0, Math.max(0, missing));
    return { apiKey: publisher.apiKey, body: JSON.stringify(body) };
  });
};

interface PlainBody {
  readonly user: object;
  readonly device: object;
  readonly site: { readonly page: string };
  readonly ext: { readonly publisher_id: number; readonly kv: { readonly section: string } };
}

const withEveryValue = (body: PlainBody, whole: (below: number) => number, one: <T>(values: readonly T[]) => T): object => ({
  ...body,
  user: { ...body.user, data: [{ segment: Array.from({ length: 3 }, () => ({ id: `a${whole(AUDIENCES)}` })) }] },
  // OpenRTB's list of connection types: Wi-Fi, 4G, 5G.
  device: { ...body.device, language: one(LANGUAGES), connectiontype: one([2, 6, 7]) },
  site: { page: `${body.site.page}${body.ext.kv.section}/an-article`, ref: `https://${one(REFERRERS)}/` },
  ext: { ...body.ext, kv: { ...body.ext.kv, age: 13 + whole(80) } },
});

/** The same request as an OpenRTB auction: key-values as first-party data of the site, a banner in the size of each placement. */
export const asAuction = ({ apiKey, body }: AdCall): AdCall => {
  const { id, imp, user, device, site, ext } = JSON.parse(body) as {
    id: string;
    imp: readonly { id: string; tagid: string }[];
    user: object;
    device: object;
    site: object;
    ext: { publisher_id: number; kv: object };
  };
  const auction = {
    id,
    imp: imp.map((one) => ({ ...one, banner: {} })),
    user,
    device,
    site: { ...site, publisher: { id: String(ext.publisher_id) }, ext: { data: ext.kv } },
    at: 1,
    cur: ['USD'],
  };
  return { apiKey, body: JSON.stringify(auction) };
};

/** Some 2,000 browsers. */
const userAgent = (whole: (below: number) => number): string => {
  const version = 96 + whole(40);
  const platforms = [
    `(Linux; Android ${9 + whole(6)}; K) AppleWebKit/537.36 Chrome/${version}.0.0.0 Mobile Safari/537.36`,
    `(iPhone; CPU iPhone OS ${14 + whole(4)}_${whole(7)} like Mac OS X) AppleWebKit/605.1.15 Version/${14 + whole(4)}.0 Mobile Safari/604.1`,
    `(Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/${version}.0.${whole(12)}.0 Safari/537.36`,
    `(Macintosh; Intel Mac OS X 10_15_${whole(8)}) AppleWebKit/605.1.15 Version/${14 + whole(4)}.${whole(7)} Safari/605.1.15`,
    `(X11; Linux x86_64; rv:${version}.0) Gecko/20100101 Firefox/${version}.0`,
  ];
  return `Mozilla/5.0 ${platforms[whole(platforms.length)]}`;
};

/** Addresses of the countries that line items ask for, about as many of each. */
const addressesOf = (chance: () => number, count: number): readonly string[] => {
  const countryOf = createCountryLookup({ dataDir: fileURLToPath(new URL('../dist/geodata', import.meta.url)), cacheSize: 1 });
  const most = Math.ceil(count / COUNTRIES.length);
  const taken = new Map<string, number>();
  const addresses: string[] = [];
  // Small countries have few addresses: after a while addresses of any country fill the rest.
  for (let tries = 0; addresses.length < count; tries++) {
    const ip = [1 + Math.floor(chance() * 222), ...Array.from({ length: 3 }, () => Math.floor(chance() * 256))].join('.');
    const country = countryOf(ip).country ?? '';
    const before = taken.get(country) ?? 0;
    if (tries < 20 * count && (before >= most || !COUNTRIES.some((name) => name === country))) continue;
    taken.set(country, before + 1);
    addresses.push(ip);
  }
  return addresses;
};
