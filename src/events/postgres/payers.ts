/**
 * Who pays for what is counted. Every count is stored with the advertiser whom its campaign named then: 0 when none was
 * known, -1 when it had been taken out. campaign_payers has who paid since when, also of campaigns that are deleted.
 */

/** SQL: of a row of campaign_payers. */
export const STILL_PAYS = `until = 'infinity'`;

/** SQL: the advertiser of a count that is stored now, over `joinPayerNow`. */
export const PAYER_NOW = 'coalesce(payer_now.advertiser_id, 0)';
/** SQL. @param from a relation with `campaign_id` */
export const joinPayerNow = (from: string): string =>
  `left join campaign_payers payer_now on payer_now.campaign_id = ${from}.campaign_id and payer_now.until = 'infinity'`;

/** SQL: the advertiser of a count that was stored some moments ago, over `joinPayerThen`. */
export const PAYER_THEN = 'coalesce(payer_then.advertiser_id, 0)';
/** SQL. @param from a relation with `campaign_id` @param at when it was stored */
export const joinPayerThen = (from: string, at: string): string =>
  `left join campaign_payers payer_then
     on payer_then.campaign_id = ${from}.campaign_id and payer_then.since <= ${at} and payer_then.until > ${at}`;

/**
 * SQL: the advertiser of a stored count `r`, over `JOIN_FIRST_PAYER`; 0 or -1: none. Who is named first pays for what was counted
 * before that.
 */
export const PAYER = `case when r.advertiser_id = 0 then coalesce(first_payer.advertiser_id, 0) else r.advertiser_id end`;
export const JOIN_FIRST_PAYER = `left join campaign_payers first_payer on first_payer.campaign_id = r.campaign_id and first_payer.since = '-infinity'`;
