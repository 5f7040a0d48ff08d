import { MS_PER_DAY } from '../../src/base/utc-day.ts';
import { createChance } from '../../testkit/chance.ts';
import { png } from '../../testkit/png.ts';

export const ADS_HOST = 'ads.example.test';
export const NEWS_HOST = 'news.example.test';
export const SHOP_HOST = 'shop.example.test';
/** A visitor's address, which both systems know to be in Berlin. */
export const VISITOR = '193.99.144.80';
export const PLACE = {
  continent: { code: 'EU' },
  country: { iso_code: 'DE' },
  subdivisions: [{ iso_code: 'BE' }],
  city: { names: { en: 'Berlin' } },
};
const SIZE = { width: 300, height: 250 };
const TEXT_ZONE = 3;
const HOURLY = 100;

export interface Rule {
  readonly logical: 'and' | 'or';
  readonly type: string;
  readonly comparison: string;
  /** Of Site:Channel, the name of the channel. */
  readonly data: string;
}
type Fields = Readonly<Record<string, unknown>>;
interface PlannedBanner {
  /** As Revive's interface for programs names them. */
  readonly fields: Fields;
  /** Columns that it has no field for. */
  readonly row: Fields;
  readonly image?: { readonly name: string; readonly content: string };
  readonly rules: readonly Rule[];
  /** By their names. */
  readonly zones: readonly string[];
}
interface PlannedCampaign {
  readonly advertiser: number;
  readonly fields: Fields;
  readonly row: Fields;
  readonly banners: readonly PlannedBanner[];
}

/** What is booked in Revive. */
export interface SitePlan {
  readonly user: string;
  readonly agency: Fields;
  readonly website: Fields;
  readonly channels: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
  readonly zones: readonly { readonly zoneName: string; readonly type: number; readonly width: number; readonly height: number }[];
  readonly advertisers: readonly Fields[];
  readonly campaigns: readonly PlannedCampaign[];
  /** Impressions of each banner in each of its zones, in the last hour. */
  readonly hourly: number;
}

/** What Revive made of it: its ids and its tags, by the names of the plan. */
export interface Booked {
  readonly agency: number;
  readonly zones: Readonly<Record<string, number>>;
  readonly campaigns: Readonly<Record<string, number>>;
  readonly banners: Readonly<Record<string, number>>;
  readonly tags: Readonly<Record<string, Readonly<Record<TagKind, string>>>>;
}
export type TagKind = 'async' | 'frame' | 'script' | 'image';

/** A page of the website: its zones, by the kind of tag that shows them, and what its tags say of it. */
export interface PlannedPage {
  readonly path: string;
  readonly tag: TagKind;
  readonly zones: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  readonly locale: string;
  readonly referrer?: string;
}

/** Zones that several campaigns or banners with weights share, and the share of each banner. */
export interface PlannedShare {
  readonly zone: string;
  readonly shares: Readonly<Record<string, number>>;
}

export interface Planned {
  readonly plan: SitePlan;
  readonly pages: readonly PlannedPage[];
  readonly shares: readonly PlannedShare[];
  /** Of the website of advertisers, by path. */
  readonly pictures: ReadonlyMap<string, Buffer>;
}

const rule = (type: string, comparison: string, data: string, logical: Rule['logical'] = 'and'): Rule => ({
  ...{ logical, type, comparison, data },
});

const BUT_NOW = 'the hours that are not these';
const NOW = 'these hours';

/** Hours around now, or all others, in a time zone. */
const hoursOf = (which: string, nowMs: number, zone: string): string => {
  const now = Number(new Intl.DateTimeFormat('en-GB', { hour: '2-digit', hourCycle: 'h23', timeZone: zone }).format(nowMs));
  const near = (hour: number): boolean => [0, 1, 2, 23].includes((hour - now + 24) % 24);
  const hours = Array.from({ length: 24 }, (_, hour) => hour).filter((hour) => near(hour) === (which === NOW));
  return `${hours.join(',')}@${zone}`;
};
const dateOf = (nowMs: number, days: number): string => new Date(nowMs + days * MS_PER_DAY).toISOString().slice(0, 10);
const plainDate = (nowMs: number, days: number): string => `${dateOf(nowMs, days).replaceAll('-', '')}@Europe/Berlin`;

/** Rules as banners have them: of a page's variables, its address, its visitors and the time; and some that have no equal. Those of host names need a list of the internet to be made. */
const rulesOf = (nowMs: number): readonly (readonly Rule[])[] => [
  [rule('Site:Variable', '==', 'rubric|sport')],
  [rule('Site:Variable', '!=', 'rubric|sport')],
  [rule('Site:Variable', '==', 'rubric|sport'), rule('Site:Variable', '==', 'rubric|money', 'or')],
  [rule('Site:Variable', 'ge', 'age|30')],
  [rule('Site:Variable', 'lt', 'age|30')],
  [rule('Site:Source', '==', 'app')],
  [rule('Site:Source', '!=', 'app')],
  [rule('Site:Pageurl', '=~', `https://${NEWS_HOST}/sport`)],
  [rule('Site:Pageurl', '!~', `https://${NEWS_HOST}/sport`)],
  [rule('Site:Pageurl', '=~', 'sport')],
  [rule('Site:Referingpage', '=~', 'https://search.example.test/')],
  [rule('Client:Language', '=~', 'de')],
  [rule('Client:Language', '!~', 'de')],
  [rule('Client:Language', '=~', 'en,fr')],
  [rule('Client:BrowserVersion', 'nn', 'Chrome|')],
  [rule('Client:BrowserVersion', 'nn', 'Firefox|')],
  [rule('Client:OsVersion', 'nn', 'Linux|')],
  [rule('Client:OsVersion', 'nn', 'Windows|')],
  [rule('Client:Useragent', '=~', 'Chrome')],
  [rule('Client:Ip', '==', VISITOR)],
  [rule('Time:Hour', '=~', hoursOf(NOW, nowMs, 'Europe/Berlin'))],
  [rule('Time:Hour', '!~', hoursOf(NOW, nowMs, 'Europe/Berlin'))],
  [rule('Time:Hour', '=~', hoursOf(BUT_NOW, nowMs, 'Europe/Berlin'))],
  [rule('Time:Day', '=~', '0,1,2,3,4,5,6@Europe/Berlin')],
  [rule('Time:Date', '>=', plainDate(nowMs, -3))],
  [rule('Time:Date', '<', plainDate(nowMs, -3))],
  [rule('Time:Date', '<=', plainDate(nowMs, 40)), rule('Site:Variable', '!=', 'rubric|money')],
  [rule('Geo:Country', '=~', 'DE,AT')],
  [rule('Geo:Country', '=~', 'US')],
  [rule('Geo:Country', '!~', 'DE')],
  [rule('Geo:Subdivision1', '=~', 'DE|BE,BY')],
  [rule('Geo:City', '=~', 'DE|Berlin')],
  [rule('Geo:City', '!~', 'DE|Berlin')],
  [rule('Geo:Continent', '=~', 'EU'), rule('Client:Language', '=~', 'de')],
  [rule('Site:Channel', '=~', 'sporty')],
  [rule('Site:Channel', '!~', 'sporty')],
  [rule('Site:Channel', '=~', 'german'), rule('Site:Variable', '!=', 'rubric|money')],
  [rule('Client:Language', '=~', 'de'), rule('Site:Variable', '==', 'rubric|money', 'or')],
];

const STORAGES = ['html', 'sql', 'web', 'url', 'html'] as const;

/** Markup as advertisers write it. */
const MARKUP: readonly ((name: string, url: string) => string)[] = [
  (name) => `<a class="ad" href="{clickurl}" target="{target}">${name}</a>`,
  (name, url) => `<div style="width:300px;height:250px"><a href="${url}" target="_blank">${name} &amp; co</a></div>`,
  (name) => `<p>${name} {random}</p><a href='{clickurl_html}' target='{target}' rel='{rel}'>${name}</a>`,
  (name) =>
    `<script>document.write('<a href="{clickurl}" target="_blank">' + ${JSON.stringify(name)} + '</a>');</script><!-- {bannerid} {timestamp} -->`,
];

/** Kinds of campaigns, as fields and columns of Revive. */
const KINDS: readonly ((nowMs: number, round: number) => { readonly fields: Fields; readonly row?: Fields })[] = [
  () => ({ fields: { priority: -1, weight: 2, revenue: 2.5, revenueType: 1 } }),
  (nowMs) => ({
    fields: {
      ...{ priority: 5, impressions: 50_000_000, revenue: 2.5, revenueType: 1 },
      ...{ startDate: dateOf(nowMs, -10), endDate: dateOf(nowMs, 60) },
    },
  }),
  () => ({ fields: { priority: 9, targetImpressions: 3_000_000, revenue: 3, revenueType: 1 } }),
  (nowMs) => ({
    fields: { priority: 1, clicks: 900_000, impressions: 80_000_000, endDate: dateOf(nowMs, 90), revenue: 0.5, revenueType: 2 },
  }),
  () => ({ fields: { priority: 0, weight: 1, revenue: 1, revenueType: 1 } }),
  () => ({ fields: { priority: 0, weight: 1, revenue: 1, revenueType: 1, capping: 3 } }),
  () => ({ fields: { priority: 0, weight: 1, revenue: 1, revenueType: 1 } }),
  () => ({ fields: { priority: 0, weight: 3, revenue: 0.25, revenueType: 2 } }),
  () => ({ fields: { priority: -2, weight: 1, revenue: 1.25, revenueType: 1 } }),
  () => ({ fields: { priority: 0, weight: 1, revenue: 900, revenueType: 4 } }),
  () => ({ fields: { priority: 0, weight: 1, revenue: 5, revenueType: 3 } }),
  (nowMs, round) =>
    [
      { fields: { priority: 0, weight: 1, endDate: dateOf(nowMs, -5) } },
      { fields: { priority: 0, weight: 1, startDate: dateOf(nowMs, 20) } },
      { fields: { priority: 0, weight: 1 }, row: { status: 1 } },
    ][round % 3]!,
  () => ({ fields: { priority: 0, weight: 1, revenue: 1, revenueType: 1, sessionCapping: 2 } }),
  () => ({ fields: { priority: 0, weight: 1, capping: 2, block: 3_600 } }),
];
const BANNER_CAPS = 4;
const WEIGHTED = 6;

const OWN_ZONES = 42;
const BANNERS = 4;

/** 50 campaigns with 200 banners in the zones of a website, of all kinds that are common. The same seed gives the same ones. */
export const planSite = (seed: number, nowMs: number): Planned => {
  const chance = createChance(seed);
  const pictures = new Map<string, Buffer>();
  const rules = rulesOf(nowMs);
  const turn = Math.floor(chance() * rules.length);
  let made = 0;

  const banner = (name: string, storage: string, zones: readonly string[], more: Partial<PlannedBanner> = {}): PlannedBanner => {
    const url = `https://${SHOP_HOST}/${name}`;
    const number = made++;
    const content = png(SIZE.width, SIZE.height, [(number * 37) % 256, (number * 91) % 256, number % 256]);
    const file = `${name}.png`;
    if (storage === 'url') pictures.set(`/${file}`, content);
    const own: Readonly<Record<string, Fields>> = {
      html: { htmlTemplate: MARKUP[number % MARKUP.length]!(name, url), ...SIZE },
      txt: { bannerText: `${name} & co: <less>`, width: 0, height: 0 },
      url: { imageURL: `https://${SHOP_HOST}/${file}`, ...SIZE },
    };
    return {
      ...{ rules: [], row: {}, zones },
      ...((storage === 'sql' || storage === 'web') && { image: { name: file, content: content.toString('base64') } }),
      ...more,
      fields: { bannerName: name, storageType: storage, url, ...own[storage], ...more.fields },
    };
  };
  /** Of campaigns that have a zone each. */
  const owner = (i: number): PlannedCampaign => {
    const kind = i % KINDS.length;
    const { fields, row = {} } = KINDS[kind]!(nowMs, Math.floor(i / KINDS.length));
    // Revive refuses a weight of contract campaigns.
    return {
      ...{ advertiser: i % 8, row, fields: { campaignName: `Campaign ${i}`, weight: 0, ...fields } },
      banners: Array.from({ length: BANNERS }, (_, k) => {
        const name = `ad-${i}-${k}`;
        const isText = kind === WEIGHTED && k === BANNERS - 1;
        const storage = isText ? 'txt' : STORAGES[(i + 2 * k) % STORAGES.length]!;
        return banner(name, storage, [isText ? `text ${pageOf(i)}` : `own ${i}`], {
          rules: k === 0 || isText ? [] : rules[(turn + 3 * i + k) % rules.length]!,
          fields: {
            weight: kind === WEIGHTED ? k + 1 : 1,
            ...(kind === BANNER_CAPS && { capping: 1 + (k % 2), block: k > 1 ? 7_200 : 0 }),
            ...(kind === 12 && k === 1 && { sessionCapping: 1 }),
          },
          ...(kind === 12 && k === 2 && { row: { status: 1 } }),
        });
      }),
    };
  };
  /** Of those that share zones; the letter has pictures alone. */
  const sharer = (name: string, fields: Fields, ads: readonly Partial<PlannedBanner>[], zones: readonly string[]): PlannedCampaign => ({
    ...{ advertiser: 7, row: {}, fields: { campaignName: `Shared ${name}`, weight: 1, revenue: 1, revenueType: 1, ...fields } },
    banners: ads.map((more, k) => banner(`${name}-${k}`, STORAGES[1 + (k % 3)]!, more.zones ?? zones, more)),
  });
  const plain = Array.from({ length: BANNERS }, () => ({}));
  const weighted = [1, 2, 3, 4].map((weight) => ({ fields: { weight } }));
  const sport = { rules: [rule('Site:Variable', '==', 'rubric|sport')], zones: ['fallback'] };
  const shared = [
    sharer('weights', { priority: 0 }, weighted, ['weights']),
    ...['first', 'second', 'third'].map((name) => sharer(name, { priority: 0 }, plain, ['campaigns', 'letter'])),
    sharer('override', { priority: -1 }, [{}, {}, {}, sport], ['override']),
    sharer('remnant', { priority: 0 }, plain, ['override', 'contract', 'fallback']),
    sharer('contract', { priority: 10, weight: 0, targetImpressions: 5_000_000 }, plain, ['contract']),
    sharer('other', { priority: 0, weight: 0 }, plain, ['contract']),
  ];
  const campaigns = [...Array.from({ length: OWN_ZONES }, (_, i) => owner(i)), ...shared];
  const names = [...new Set(campaigns.flatMap(({ banners }) => banners.flatMap(({ zones }) => zones)))];
  const person = { contactName: 'Ada', emailAddress: 'ada@gazette.example' };
  const sharedZones = ['weights', 'campaigns', 'override', 'contract', 'fallback'];
  return {
    pictures,
    plan: {
      ...{ user: 'admin', campaigns, hourly: HOURLY },
      agency: { agencyName: 'Gazette group', ...person },
      website: { publisherName: 'The Gazette', website: `https://${NEWS_HOST}`, ...person },
      channels: [
        { name: 'sporty', rules: [rule('Site:Variable', '==', 'rubric|sport')] },
        { name: 'german', rules: [rule('Client:Language', '=~', 'de')] },
      ],
      zones: names.map((zoneName) =>
        zoneName.startsWith('text') ? { zoneName, type: TEXT_ZONE, width: 0, height: 0 } : { zoneName, type: 0, ...SIZE },
      ),
      advertisers: Array.from({ length: 8 }, (_, i) => ({ advertiserName: `Advertiser ${i}`, ...person })),
    },
    pages: [
      ...PAGES.map((page, p) => ({
        ...page,
        zones: [...names.filter((name) => name === `text ${p}` || (name.startsWith('own ') && pageOf(Number(name.slice(4))) === p))],
      })),
      { path: '/mixed', tag: 'async', zones: sharedZones, variables: {}, locale: 'en-US' },
      { path: '/mixed/sport', tag: 'async', zones: sharedZones, variables: { rubric: 'sport' }, locale: 'en-US' },
      { path: '/letter', tag: 'image', zones: ['letter'], variables: {}, locale: 'en-US' },
    ],
    shares: [
      { zone: 'weights', shares: { 'weights-0': 0.1, 'weights-1': 0.2, 'weights-2': 0.3, 'weights-3': 0.4 } },
      {
        zone: 'campaigns',
        shares: Object.fromEntries(['first', 'second', 'third'].flatMap((name) => plain.map((_, k) => [`${name}-${k}`, 1 / 12]))),
      },
    ],
  };
};

/** Where a campaign with a zone of its own is shown. */
const pageOf = (campaign: number): number => campaign % 5;

const PAGES: readonly Omit<PlannedPage, 'zones'>[] = [
  { path: '/', tag: 'async', variables: {}, locale: 'en-US' },
  {
    ...{ path: '/sport', tag: 'async', variables: { rubric: 'sport', age: '40', source: 'app' }, locale: 'de-DE' },
    referrer: 'https://search.example.test/',
  },
  { path: '/money', tag: 'async', variables: { rubric: 'money', age: '20' }, locale: 'fr-FR' },
  { path: '/frames', tag: 'frame', variables: { rubric: 'money' }, locale: 'de-DE' },
  { path: '/scripts', tag: 'script', variables: { rubric: 'sport', age: '29' }, locale: 'en-US' },
];
