/** What a tag of Revive Adserver says. Parameters are documented in docs/moving-from-revive.md. */
export interface ReviveTag {
  /** In their order on the page; 0: an empty place. */
  readonly zoneIds: readonly number[];
  /** Of the ids of places in the answer. */
  readonly prefix: string;
  /** Whether places of the page must not show the same ad twice. */
  readonly blocksRepeats: boolean;
  /** The query of a plain tag of this service (docs/tags.md) for a placement. */
  readonly toTag: (placementId: string) => URLSearchParams;
}

export const MAX_ZONES = 20;

/** What tags say besides key-values. */
const RESERVED = new Set([
  ...['zoneid', 'zones', 'prefix', 'loc', 'referer', 'charset', 'cb', 'n', 'ct0', 'target', 'block', 'blockcampaign', 'exclude', 'context'],
  ...['mmm_fo', 'withtext', 'what', 'campaignid', 'clientid', 'bannerid', 'uid', 'refresh', 'resize', 'q', 'debug', 'debug_grant', 't'],
]);
/** The same in both, or of this service. */
const SAME = ['gdpr', 'gdpr_consent', 'gpp', 'gpp_sid', 'us_privacy', 'coppa'];
const MAX_LENGTH = 256;

/** Reads a tag; undefined: it names no zone, or its prefix is none. */
export const readReviveTag = (query: URLSearchParams): ReviveTag | undefined => {
  const zones = query.get('zones') ?? query.get('zoneid') ?? /^zone:(\d+)$/.exec(query.get('what') ?? '')?.[1] ?? '';
  const prefix = query.get('prefix') ?? '';
  const zoneIds = zones.split('|').map((id) => (/^\d{1,9}$/.test(id) ? Number(id) : 0));
  // Letters of an answer that a page runs as a script: Revive refuses others, too.
  if (!/^[\w-]{0,64}$/.test(prefix) || zoneIds.every((id) => id === 0)) return undefined;
  return {
    zoneIds,
    prefix,
    blocksRepeats: ['block', 'blockcampaign'].some((name) => /^[1-9]/.test(query.get(name) ?? '')),
    toTag: (placementId) => {
      const tag = new URLSearchParams({ placement: placementId });
      const copy = (from: string, to: string): void => {
        const value = query.get(from);
        if (value !== null) tag.set(to, value);
      };
      for (const name of SAME) copy(name, name);
      copy('uid', 'n');
      copy('loc', 'page');
      copy('referer', 'ref');
      for (const [name, value] of query)
        if (!RESERVED.has(name) && !SAME.includes(name) && value !== '' && value.length <= MAX_LENGTH) tag.append(`kv.${name}`, value);
      return tag;
    },
  };
};
