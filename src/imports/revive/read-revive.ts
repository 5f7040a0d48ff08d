import { isTimeZone } from '../../catalog/checks/formats.ts';
import type { ReviveTable } from '../files/revive-tables.ts';
import { ImportFault } from '../import-fault.ts';
import type { ReviveSource } from './revive-source.ts';
import type { AffiliateRow, AgencyRow, BannerRow, CampaignRow, ClientRow, LinkRow, ReviveRows, RowOf, ZoneRow } from './revive-rows.ts';

export interface ReadReviveOptions {
  readonly source: ReviveSource;
  /** undefined: the only one. */
  readonly agencyId: number | undefined;
  /** Whether campaigns that have expired are left out. */
  readonly isLiveOnly: boolean;
}

/** Of a campaign that has ended. */
const EXPIRED = 3;

/**
 * Reads what a manager account has. Files and statistics are not among it: they are read banner by banner.
 *
 * @throws ImportFault when it is no installation of Revive 5 or 6, or when the manager account has to be named
 */
export const readRevive = async ({ source, agencyId, isLiveOnly }: ReadReviveOptions): Promise<ReviveRows> => {
  const read = async <R>(table: ReviveTable, ...order: readonly (keyof R)[]): Promise<readonly R[]> => {
    const rows = (await source.rows(table)) as readonly R[];
    return [...rows].sort((a, b) => {
      const differs = order.find((column) => a[column] !== b[column]);
      return differs === undefined ? 0 : Number(a[differs]) - Number(b[differs]);
    });
  };
  const agency = chosen(await read<AgencyRow>('agency', 'agencyid'), agencyId);
  const isOwn = ({ agencyid }: { readonly agencyid: number }): boolean => agencyid === agency.agencyid;
  const affiliates = (await read<AffiliateRow>('affiliates', 'affiliateid')).filter(isOwn);
  const clients = (await read<ClientRow>('clients', 'clientid')).filter(isOwn);
  const [sites, payers] = [idsOf(affiliates, 'affiliateid'), idsOf(clients, 'clientid')];
  const zones = (await read<ZoneRow>('zones', 'zoneid')).filter(({ affiliateid }) => sites.has(affiliateid));
  const campaigns = (await read<CampaignRow>('campaigns', 'campaignid')).filter(
    ({ clientid, status }) => payers.has(clientid) && !(isLiveOnly && status === EXPIRED),
  );
  const booked = idsOf(campaigns, 'campaignid');
  const banners = (await read<BannerRow>('banners', 'bannerid')).filter(({ campaignid }) => booked.has(campaignid));
  const ads = idsOf(banners, 'bannerid');
  return {
    ...{ agency, affiliates, clients, zones, campaigns, banners },
    bannerRules: (await read<RowOf<'acls'>>('acls', 'bannerid', 'executionorder'))
      .filter(({ bannerid }) => ads.has(bannerid))
      .map((rule) => ({ ...rule, owner: rule.bannerid })),
    channelRules: (await read<RowOf<'acls_channel'>>('acls_channel', 'channelid', 'executionorder')).map((rule) => ({
      ...rule,
      owner: rule.channelid,
    })),
    links: (await read<LinkRow>('ad_zone_assoc', 'ad_id', 'zone_id')).filter(({ ad_id, zone_id }) => zone_id > 0 && ads.has(ad_id)),
    timeZone: await readTimeZone(source, agency),
  };
};

const idsOf = <R>(rows: readonly R[], column: keyof R): ReadonlySet<unknown> => new Set(rows.map((row) => row[column]));

const chosen = (agencies: readonly AgencyRow[], id: number | undefined): AgencyRow => {
  const [only, ...more] = id === undefined ? agencies : agencies.filter(({ agencyid }) => agencyid === id);
  const listed = agencies.map(({ agencyid, name }) => `${agencyid} ${name}`).join(', ');
  if (!only && id === undefined) throw new ImportFault('The database has no manager account');
  if (!only) throw new ImportFault(`There is no manager account ${id}: ${listed}`, [], 'agency');
  if (more.length > 0) throw new ImportFault(`The database has several manager accounts, and one has to be named: ${listed}`, [], 'agency');
  return only;
};

/** What the account set for its times, else what the installation set. */
const readTimeZone = async (source: ReviveSource, { account_id: account }: AgencyRow): Promise<string | undefined> => {
  const preferences = (await source.rows('preferences')).filter((row) => row['preference_name'] === 'timezone');
  const wanted = idsOf(preferences, 'preference_id');
  const known = (await source.rows('account_preference_assoc')).filter(
    (row) => wanted.has(row['preference_id']) && isTimeZone(String(row['value'])),
  );
  const found = known.find((row) => row['account_id'] === account) ?? known[0];
  return found && String(found['value']);
};
