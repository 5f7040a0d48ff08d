import type { Chance } from '../../testkit/chance.ts';
import type { Json } from '../api/api-client.ts';

const COUNTRIES = ['AT', 'CH', 'DE', 'FR', 'US'];

/** A random declaration of a publisher, in the order of an export and without what is the default; the same keys come again and again. */
export const anyBookings = (key: string, chance: Chance): Json => {
  const int = (below: number): number => Math.floor(chance() * below);
  const some = <T>(values: readonly T[]): readonly T[] => values.filter(() => chance() < 0.6);
  const maybe = (members: object): object => (chance() < 0.5 ? members : {});
  const keys = (prefix: string): readonly string[] => some(['a', 'b', 'c', 'd']).map((letter) => `${prefix}${letter}`);
  const list = (name: string, records: readonly object[]): object => (records.length > 0 ? { [name]: records } : {});
  const flight = { start_date: `2026-0${1 + int(9)}-01`, end_date: `2027-0${1 + int(9)}-28` };
  const advertisers = ['a', 'b'].map((letter) => ({
    ...{ key: `${key}-${letter}`, name: `Advertiser ${int(3)}` },
    ...maybe({ domain: 'boots.example' }),
    ...maybe({ labels: ['outdoor', `l${int(3)}`] }),
  }));
  const placements = ['p1', 'p2', 'p3'].map((letter) => ({
    ...{ id: `${key}-${letter}`, width: 300, height: 100 + int(3) * 50, formats: ['html'] },
    ...maybe({ floor: (1 + int(1000)) / 1000 }),
  }));
  const creatives = (parent: string): readonly object[] =>
    keys(`${parent}-c`).map((own) => ({
      ...{ key: own, ...maybe({ name: `Creative ${int(5)}` }) },
      ...{ placements: [`${key}-p${1 + int(3)}`], format: 'html', content: `<p>${int(3)}\n# "x": y</p>` },
      ...maybe({ click_url: 'https://boots.example/' }),
      ...maybe({ weight: 2 + int(9) }),
    }));
  const lineItems = (parent: string): readonly object[] =>
    keys(`${parent}-l`).map((own) => ({
      ...{ key: own, ...maybe({ name: `Line item ${int(5)}` }), active: chance() < 0.5, ...flight, cpm: (1 + int(5000)) / 1000 },
      ...maybe({ goal_impressions: 1 + int(1e6), pacing: 'Even' }),
      ...maybe({ targeting: { countries: [COUNTRIES[int(5)]], devices: ['mobile'] } }),
      ...maybe({ priority: 1 + int(3) }),
      ...list('creatives', creatives(own)),
    }));
  const campaigns = keys(`${key}-`).map((own) => ({
    ...{ key: own, name: `Campaign ${int(5)}`, ...maybe({ advertiser: `${key}-${['a', 'b'][int(2)]}` }), ...flight },
    ...maybe({ budget: (1 + int(1e6)) / 100 }),
    ...maybe({ active: false }),
    ...list('line_items', lineItems(own)),
  }));
  return {
    ...{ version: 1, publisher: { key, name: `Publisher ${int(3)}`, domain: 'gazette.example', ...maybe({ time_zone: 'Europe/Berlin' }) } },
    ...list(
      'advertisers',
      advertisers.filter((one) => campaigns.some((campaign) => (campaign as Json).advertiser === one.key)),
    ),
    ...list('placements', placements),
    ...list('campaigns', campaigns),
  };
};
