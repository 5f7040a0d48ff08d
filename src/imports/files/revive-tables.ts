const CAPPING = ['block', 'capping', 'session_capping'] as const;

/** The tables of Revive 5 and 6 that are read whole, with the columns that are read. */
export const REVIVE_TABLES = {
  account_preference_assoc: { texts: ['value'], numbers: ['account_id', 'preference_id'] },
  acls: { texts: ['logical', 'type', 'comparison', 'data'], numbers: ['bannerid', 'executionorder'] },
  acls_channel: { texts: ['logical', 'type', 'comparison', 'data'], numbers: ['channelid', 'executionorder'] },
  ad_zone_assoc: { texts: [], numbers: ['ad_id', 'zone_id'] },
  affiliates: { texts: ['name', 'website'], numbers: ['affiliateid', 'agencyid'] },
  agency: { texts: ['name'], numbers: ['agencyid', 'account_id'] },
  banners: {
    texts: [
      ...['contenttype', 'storagetype', 'filename', 'imageurl', 'htmltemplate', 'url', 'alt', 'bannertext', 'description'],
      ...['prepend', 'append', 'ext_bannertype', 'compiledlimitation'],
    ],
    numbers: ['bannerid', 'campaignid', 'width', 'height', 'weight', 'status', ...CAPPING],
  },
  campaigns: {
    texts: ['campaignname', 'revenue', 'activate_time', 'expire_time'],
    numbers: [
      ...['campaignid', 'clientid', 'views', 'clicks', 'conversions', 'priority', 'weight', 'target_impression', 'target_click'],
      ...['target_conversion', 'companion', 'revenue_type', 'status', 'show_capped_no_cookie', ...CAPPING],
    ],
  },
  clients: { texts: ['clientname', 'contact', 'email'], numbers: ['clientid', 'agencyid'] },
  preferences: { texts: ['preference_name'], numbers: ['preference_id'] },
  zones: {
    texts: ['zonename', 'chain', 'prepend', 'append'],
    numbers: ['zoneid', 'affiliateid', 'delivery', 'width', 'height', ...CAPPING],
  },
} as const satisfies Readonly<Record<string, { readonly texts: readonly string[]; readonly numbers: readonly string[] }>>;
export type ReviveTable = keyof typeof REVIVE_TABLES;
