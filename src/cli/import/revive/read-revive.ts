import { CliFault } from '../../cli-fault.ts';
import { isTimeZone } from '../../../catalog/checks/formats.ts';
import type { ReviveDatabase, Row } from './open-database.ts';
import type {
  AffiliateRow,
  AgencyRow,
  BannerRow,
  CampaignRow,
  ClientRow,
  DeliveredRow,
  LinkRow,
  ReviveRows,
  RuleRow,
  ZoneRow,
} from './revive-rows.ts';

export interface ReadReviveOptions {
  readonly database: ReviveDatabase;
  /** Of its tables: `rv_`. */
  readonly prefix: string;
  /** undefined: the only one. */
  readonly agencyId: number | undefined;
  /** Whether campaigns that have expired are left out. */
  readonly isLiveOnly: boolean;
}

/** Of a campaign that has ended. */
const EXPIRED = 3;

const CAPPING = ['block', 'capping', 'session_capping'] as const;

/**
 * Reads what a manager account has. Files are not among it: they are read one by one (read-banner-file.ts).
 *
 * @throws CliFault when it is no database of Revive 5 or 6, or when the manager account has to be named
 */
export const readRevive = async ({ database, prefix, agencyId, isLiveOnly }: ReadReviveOptions): Promise<ReviveRows> => {
  if (!/^\w*$/.test(prefix)) throw new CliFault('--prefix must be letters, digits and underscores, such as rv_', 2);
  const read = async <R>(sql: string, values: readonly (string | number)[] = []): Promise<readonly R[]> => {
    try {
      return (await database.query(sql.replaceAll('{', prefix).replaceAll('}', ''), values)) as readonly R[];
    } catch (fault) {
      const table = /\{(\w+)\}/.exec(sql)?.[1];
      const said = (fault as Error).message;
      throw new CliFault(
        `The table ${prefix}${table} cannot be read as one of Revive 5 or 6: ${said}. --prefix names what its tables begin with`,
      );
    }
  };
  const agency = chosen(await read<AgencyRow>('select agencyid, name, account_id from {agency} order by agencyid'), agencyId);
  const own = [agency.agencyid];
  const live = isLiveOnly ? `and m.status <> ${EXPIRED}` : '';
  const campaigns = `{campaigns} m join {clients} c on c.clientid = m.clientid where c.agencyid = ? ${live}`;
  const banners = `select b.bannerid from {banners} b join ${campaigns.replace('where', 'on m.campaignid = b.campaignid where')}`;
  return {
    agency,
    affiliates: await read<AffiliateRow>(
      'select affiliateid, name, website from {affiliates} where agencyid = ? order by affiliateid',
      own,
    ),
    clients: await read<ClientRow>('select clientid, clientname, contact, email from {clients} where agencyid = ? order by clientid', own),
    zones: await read<ZoneRow>(
      `select ${columns('z', ['zoneid', 'affiliateid', 'zonename', 'delivery', 'width', 'height', 'chain', 'prepend', 'append', ...CAPPING])}
       from {zones} z join {affiliates} a on a.affiliateid = z.affiliateid where a.agencyid = ? order by z.zoneid`,
      own,
    ),
    campaigns: await read<CampaignRow>(`select ${columns('m', CAMPAIGN_COLUMNS)} from ${campaigns} order by m.campaignid`, own),
    banners: await read<BannerRow>(
      `select ${columns('n', BANNER_COLUMNS)} from {banners} n where n.bannerid in (${banners}) order by n.bannerid`,
      own,
    ),
    bannerRules: await read<RuleRow>(
      `select bannerid as owner, logical, type, comparison, data from {acls} where bannerid in (${banners}) order by bannerid, executionorder`,
      own,
    ),
    channelRules: await read<RuleRow>(
      'select channelid as owner, logical, type, comparison, data from {acls_channel} order by channelid, executionorder',
    ),
    links: await read<LinkRow>(
      `select ad_id, zone_id from {ad_zone_assoc} where zone_id > 0 and ad_id in (${banners}) order by ad_id, zone_id`,
      own,
    ),
    delivered: (
      await read<Row>(
        `select d.campaignid, sum(s.impressions) as impressions, sum(s.clicks) as clicks
         from {data_summary_ad_hourly} s join {banners} d on d.bannerid = s.ad_id where d.bannerid in (${banners}) group by d.campaignid`,
        own,
      )
    ).map((row): DeliveredRow => numbers(row)),
    timeZone: await readTimeZone(read, agency),
  };
};

const columns = (table: string, names: readonly string[]): string => names.map((name) => `${table}.${name}`).join(', ');
const CAMPAIGN_COLUMNS = [
  ...['campaignid', 'campaignname', 'clientid', 'views', 'clicks', 'conversions', 'priority', 'weight', 'target_impression'],
  ...['target_click', 'target_conversion', 'companion', 'revenue', 'revenue_type', 'status', 'activate_time', 'expire_time'],
  ...['show_capped_no_cookie', ...CAPPING],
];
const BANNER_COLUMNS = [
  ...['bannerid', 'campaignid', 'contenttype', 'storagetype', 'filename', 'imageurl', 'htmltemplate', 'width', 'height', 'weight', 'url'],
  ...['alt', 'bannertext', 'description', 'prepend', 'append', 'status', 'ext_bannertype', 'compiledlimitation', ...CAPPING],
];

/** Sums are texts in MySQL. */
const numbers = ({ campaignid, impressions, clicks }: Row): DeliveredRow => ({
  campaignid: Number(campaignid),
  impressions: Number(impressions ?? 0),
  clicks: Number(clicks ?? 0),
});

const chosen = (agencies: readonly AgencyRow[], id: number | undefined): AgencyRow => {
  const [only, ...more] = id === undefined ? agencies : agencies.filter(({ agencyid }) => agencyid === id);
  const listed = agencies.map(({ agencyid, name }) => `${agencyid} ${name}`).join(', ');
  if (!only) throw new CliFault(id === undefined ? 'The database has no manager account.' : `There is no manager account ${id}: ${listed}`);
  if (more.length > 0) throw new CliFault(`The database has several manager accounts; name one with --agency: ${listed}`, 2);
  return only;
};

/** What the account set for its times, else what the installation set. */
const readTimeZone = async (
  read: <R>(sql: string, values?: readonly (string | number)[]) => Promise<readonly R[]>,
  { account_id: account }: AgencyRow,
): Promise<string | undefined> => {
  const rows = await read<{ account_id: number; value: string }>(
    `select a.account_id, a.value from {account_preference_assoc} a join {preferences} p on p.preference_id = a.preference_id
     where p.preference_name = 'timezone'`,
  );
  const known = rows.filter(({ value }) => isTimeZone(value));
  return (known.find(({ account_id }) => account_id === account) ?? known[0])?.value;
};
