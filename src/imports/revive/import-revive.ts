import { groupBy } from '../../base/group-by.ts';
import { createZoneOffset } from '../../base/zone-offset.ts';
import { ImportFault } from '../import-fault.ts';
import { createNotes, type Declared, type DeliveredDay, type Imported, type ImportedFile, type Notes } from '../imported.ts';
import { daysOfBanner } from './days-of-banner.ts';
import type { BannerFiles } from './read-banner-file.ts';
import { readRevive, type ReadReviveOptions } from './read-revive.ts';
import type { AgencyRow, Delivered, ReviveRows } from './revive-rows.ts';
import { toCampaign } from './to-campaign.ts';
import { notedBanner, toCreative } from './to-creative.ts';
import { groupBanners, notedCampaign, type BannerGroup, type ReadBanner } from './to-line-items.ts';
import { toPlacements } from './to-placements.ts';

export interface ImportReviveOptions extends ReadReviveOptions, Pick<BannerFiles, 'inFolder'> {
  /** What keys and ids of placements begin with: another one for a second installation of Revive. */
  readonly name: string;
  /** undefined: that of the account, else UTC. */
  readonly timeZone: string | undefined;
  /** Revive has none. */
  readonly currency: string;
  /** undefined: the first website's. */
  readonly domain: string | undefined;
}

/** Of a creative. */
const MAX_PLACEMENTS = 100;

/**
 * What a manager account of Revive has, as bookings of a publisher.
 *
 * @throws ImportFault when the account cannot be read, or the bookings have no domain
 */
export const importRevive = async ({ source, inFolder, name, currency, ...options }: ImportReviveOptions): Promise<Imported> => {
  const rows = await readRevive({ source, ...options });
  const { agency, affiliates, clients, campaigns } = rows;
  const bannerFiles: BannerFiles = { inDatabase: (file) => source.picture(file), inFolder };
  const notes = createNotes();
  const files = new Map<string, ImportedFile>();
  const keyOf = (kind: string, id: number): string => `${name}:${kind}:${id}`;
  const timeZone = options.timeZone ?? rows.timeZone ?? 'UTC';
  const placements = toPlacements(rows, ({ zoneid }) => `${name}-zone-${zoneid}`, keyOf, notes);
  const zonesOf = groupBy(rows.links, ({ ad_id }) => ad_id);
  const rulesOf = groupBy(rows.bannerRules, ({ owner }) => owner);
  const rulesOfChannel = groupBy(rows.channelRules, ({ owner }) => owner);
  const bannersOf = groupBy(rows.banners, ({ campaignid }) => campaignid);
  const offset = createZoneOffset();
  const history: DeliveredDay[] = [];

  const placed = (bannerId: number): readonly Declared[] =>
    (zonesOf.get(bannerId) ?? []).flatMap(({ zone_id }): readonly Declared[] => {
      const placement = placements.get(zone_id);
      return placement ? [placement] : [];
    });
  const creativesOf = ({ banners }: BannerGroup): readonly Declared[] =>
    banners.flatMap(({ banner, creative }) => {
      const all = placed(banner.bannerid);
      const parts = Array.from({ length: Math.ceil(all.length / MAX_PLACEMENTS) }, (_, i) =>
        all.slice(i * MAX_PLACEMENTS, (i + 1) * MAX_PLACEMENTS),
      );
      return parts.map((part, i) => ({
        key: keyOf('banner', banner.bannerid) + (i === 0 ? '' : `:${i + 1}`),
        ...creative,
        ...ownSize(banner, part),
        placements: part.map(({ id }) => id),
      }));
    });

  /** What a campaign has delivered; that of banners which are carried over is history. */
  const deliveredBy = async (campaignId: number, carried: ReadonlySet<number>): Promise<Delivered> => {
    const sum = { impressions: 0, clicks: 0 };
    for (const { bannerid } of bannersOf.get(campaignId) ?? []) {
      for (const { zone, day, impressions, clicks } of daysOfBanner(await source.hoursOf(bannerid), timeZone, offset)) {
        sum.impressions += impressions;
        sum.clicks += clicks;
        const placement = placements.get(zone)?.['id'];
        if (carried.has(bannerid) && typeof placement === 'string')
          history.push({ creative: keyOf('banner', bannerid), placement, day, impressions, clicks });
      }
    }
    return sum;
  };

  const declared: Declared[] = [];
  for (const campaign of campaigns) {
    const banners: ReadBanner[] = [];
    for (const banner of bannersOf.get(campaign.campaignid) ?? []) {
      if (placed(banner.bannerid).length === 0) {
        notes.add('left_out', notedBanner(banner), 'is linked to no zone that is a placement');
        continue;
      }
      const creative = await toCreative(banner, bannerFiles, notes, (file) => files.set(file.sha256, file));
      if (creative) banners.push({ banner, creative });
    }
    if (banners.length === 0) notes.add('changed', notedCampaign(campaign), 'has no banner that was carried over: it has no line item');
    const groups = groupBanners(banners, {
      ...{ campaign, timeZone, notes },
      rulesOf: (id) => rulesOf.get(id) ?? [],
      rulesOfChannel: (id) => rulesOfChannel.get(id) ?? [],
    });
    const delivered = await deliveredBy(campaign.campaignid, new Set(banners.map(({ banner }) => banner.bannerid)));
    declared.push(toCampaign({ campaign, groups, keyOf, delivered, creativesOf, notes }));
  }
  sayMoney(rows, currency, notes);
  sayCaps(declared, agency, notes);
  return {
    source: `Revive Adserver, manager account ${agency.name}`,
    bookings: {
      publisher: {
        ...{ key: keyOf('agency', agency.agencyid), name: agency.name || `Manager account ${agency.agencyid}` },
        domain:
          options.domain ??
          domainOf(
            affiliates.map(({ website }) => website),
            agency,
          ),
        ...(timeZone !== 'UTC' && { time_zone: timeZone }),
        ...(currency !== 'USD' && { currency }),
      },
      advertisers: clients.map(({ clientid, clientname, contact, email }) => ({
        ...{ key: keyOf('client', clientid), name: clientname || `Advertiser ${clientid}` },
        ...((contact || email) && { contact: [contact, email].filter(Boolean).join(', ') }),
      })),
      placements: [...placements.values()],
      campaigns: declared,
    },
    ...{ files, notes: notes.all(), history },
  };
};

/** A creative has a size where all its places have it: elsewhere it would not fit. */
const ownSize = ({ width, height }: { readonly width: number; readonly height: number }, places: readonly Declared[]): Declared =>
  width > 0 && height > 0 && places.every((place) => place['width'] === width && place['height'] === height) ? { width, height } : {};

const domainOf = (websites: readonly (string | null)[], { name }: AgencyRow): string => {
  for (const website of websites) {
    const host = /^(?:https?:\/\/)?(?:www\.)?([a-z0-9.-]+\.[a-z]{2,})/i.exec(website ?? '')?.[1];
    if (host) return host.toLowerCase();
  }
  throw new ImportFault(`No website of ${name} has an address: the publisher's domain has to be named, such as news.example`, [], 'domain');
};

/** Revive counts what a visitor saw in cookies, also without consent. */
const sayCaps = (campaigns: readonly Declared[], agency: AgencyRow, notes: Notes): void => {
  const items = campaigns.flatMap((campaign) => campaign['line_items'] as readonly Declared[]);
  const capped = items.filter((item) => 'frequency_caps' in item).length;
  if (capped === 0) return;
  notes.add(
    ...(['changed', { kind: 'manager account', id: String(agency.agencyid), name: agency.name }] as const),
    `line items with a frequency cap (${capped}) serve where a visitor's id may be used: by asynchronous tags, and by frames, scripts and ` +
      "images with uid, the page's own id, alone. What visitors mean who say nothing is the publisher's consent_when_silent",
  );
};

const sayMoney = ({ agency, campaigns }: ReviveRows, currency: string, notes: Notes): void => {
  if (campaigns.some(({ revenue }) => Number(revenue ?? 0) > 0))
    notes.add(
      ...(['changed', { kind: 'manager account', id: String(agency.agencyid), name: agency.name }] as const),
      `Revive's amounts have no currency: they were read as ${currency}`,
    );
};
