import type { Declared, Notes } from '../imported.ts';
import type { AffiliateRow, BannerRow, ReviveRows, ZoneRow } from './revive-rows.ts';
import { capsOf, capFault } from './to-line-items.ts';

/** What a zone shows, in Revive's numbers: those that are placements here. */
const BANNERS = 0;
const TEXT = 3;
const MAILS = 4;
const OTHER_ZONES: Readonly<Record<number, string>> = {
  1: 'an interstitial or floating banner',
  2: 'a popup',
  6: 'video ads in a player',
  7: 'overlays of a player',
};

/** Zones of any width or height have this. */
const ANY = -1;

/** The zones that are placements, by their ids. */
export const toPlacements = (
  { zones, affiliates, banners, links }: ReviveRows,
  idOf: (zone: ZoneRow) => string,
  keyOf: (kind: string, id: number) => string,
  notes: Notes,
): ReadonlyMap<number, Declared> => {
  const siteOf = new Map(affiliates.map((site) => [site.affiliateid, site]));
  const bannerOf = new Map(banners.map((banner) => [banner.bannerid, banner]));
  const placements = new Map<number, Declared>();
  for (const zone of zones) {
    const noted = { kind: 'zone', id: String(zone.zoneid), name: nameOf(zone, siteOf.get(zone.affiliateid)) };
    if (![BANNERS, TEXT, MAILS].includes(zone.delivery)) {
      const words = OTHER_ZONES[zone.delivery] ?? `an unknown kind (${zone.delivery})`;
      notes.add('left_out', noted, `shows ${words}, which has no equal here: its tags get no ad`);
      continue;
    }
    const linked = links.flatMap(({ zone_id, ad_id }) => (zone_id === zone.zoneid ? (bannerOf.get(ad_id) ?? []) : []));
    const size = sizeOf(zone, linked);
    if (size === undefined) {
      notes.add('left_out', noted, 'takes any size, and no banner with a size is linked to it: its size is not known');
      continue;
    }
    if (zone.delivery !== TEXT && (zone.width === ANY || zone.height === ANY))
      notes.add('changed', noted, `takes any size: the placement has that of its largest banner, ${size.width} × ${size.height}`);
    if (zone.chain) notes.add('changed', noted, `falls back to ${zone.chain} without an ad: a placement does not`);
    if (`${zone.prepend ?? ''}${zone.append ?? ''}`.trim() !== '')
      notes.add('changed', noted, 'the code before or after its ads is left out');
    if (capsOf('line_item', zone).length > 0 || capFault(zone) !== undefined)
      notes.add('changed', noted, 'its frequency cap is left out: only line items, campaigns and advertisers have one');
    placements.set(zone.zoneid, {
      ...{ id: idOf(zone), key: keyOf('zone', zone.zoneid), ...size },
      formats: zone.delivery === TEXT ? ['html'] : zone.delivery === MAILS ? ['banner'] : ['html', 'banner'],
      revive_zone_id: zone.zoneid,
    });
  }
  return placements;
};

const nameOf = ({ zonename }: ZoneRow, site: AffiliateRow | undefined): string => (site ? `${site.name} - ${zonename}` : zonename);

/** A text ad is as large as its text: its frame grows with it. */
const TEXT_SIZE = { width: 1, height: 1 };

const sizeOf = ({ delivery, width, height }: ZoneRow, linked: readonly BannerRow[]): typeof TEXT_SIZE | undefined => {
  if (delivery === TEXT) return TEXT_SIZE;
  if (width > 0 && height > 0) return { width, height };
  const sized = linked.filter((banner) => banner.width > 0 && banner.height > 0);
  const largest = sized.sort((a, b) => b.width * b.height - a.width * a.height)[0];
  return largest && { width: width > 0 ? width : largest.width, height: height > 0 ? height : largest.height };
};
