import { createHash } from 'node:crypto';
import { userName } from './settle/actor.ts';

/**
 * Every key of the ledger. All keys of a publisher share the hash tag of its shard, so that one
 * request's keys share a cluster slot. There is one stream and one tally per shard, so their number
 * does not grow with the number of publishers.
 */
export interface LedgerKeys {
  readonly shards: number;
  shardOf(publisherId: number): number;
  /** Hash: packed accounts, fields `l<line item>` and `c<campaign>`. */
  accounts(publisherId: number): string;
  /** String: the user's packed places under frequency caps at this publisher. */
  places(publisherId: number, userHash: string): string;
  /** String: what a page view shows (lua/page.lua); its name may be anything. */
  pageView(publisherId: number, name: string): string;
  /** The start of the names of two hashes: what the clients of this publisher hold and rendered (lua/clients.lua). */
  clients(publisherId: number): string;
  /** String: the kinds already seen of one token. */
  seen(publisherId: number, tokenId: string): string;
  /** Hash token id → billing notice URL of the bids whose tokens end in a minute (since the epoch). */
  billingNotices(shard: number, minute: number): string;
  /** String: the number of the last adjustment of accounts by the reconciliation. */
  adjustment(shard: number): string;
  /** Stream of settled hits on their way to Postgres. */
  events(shard: number): string;
  /** Hash name of a sink → the last entry of the events that it has. */
  sinkMarks(shard: number): string;
  /** String: the replica that hands the events of a shard to a sink. */
  sinkOwner(shard: number, sink: string): string;
  /** Hash `day:publisher:campaign:line item:creative` → serves. */
  serves(shard: number): string;
  /** Set: the fields of the serves that changed since they were copied to Postgres. */
  changedServes(shard: number): string;
  /** Hash `day:line item:kind:reason` → filtered and provisional hits. */
  filtered(shard: number): string;
  /** String: what a user who clicks has done lately (lua/activity.lua). */
  userActivity(publisherId: number, userHash: string): string;
  /** Hash token id → a click under judgement (lua/provisional.lua). */
  provisional(shard: number): string;
  /** Hash `day:line item:event type` → custom events. */
  eventTally(shard: number): string;
  /**
   * String: the fold horizon; every hit stored in Postgres before it (Redis ms) has been folded.
   */
  horizon(shard: number): string;
  /** Hash: the accounts that are set aside, by key and field (lua/books.lua). */
  broken(shard: number): string;
  /** String: the installation and layout of the shard's counters (redis/lua/probe.lua). */
  claim(shard: number): string;
  /** Hash: which content of Redis the counters belong to (reserve/trust-books.lua). */
  epochs(scope: number): string;
  /** String: a replica rebuilds the accounts of a campaign in an epoch. */
  rebuilding(publisherId: number, campaignId: number, epoch: string): string;
  /** Sorted set: accounts that refuse because the rest of them is held (lua/scarce.lua), by time (Redis ms). */
  scarce(scope: number): string;
  /** String: the last reports of lots of a replica, and what was answered (allowances/report-lots.lua). */
  lotReports(scope: number, replica: string): string;
  /** String: quality reports of a client or for a token in an hour (since the epoch). */
  reports(hour: number, name: string): string;
  /** String: the creative, or the token, that an image tag showed to a recipient (tracking/shown-ads.ts). */
  shownAd(publisherId: number, part: 'creative' | 'token', name: string): string;
  /** String: how many of them a publisher's tags remembered in an hour (since the epoch). */
  shownAds(publisherId: number, hour: number): string;
  /** String: attempts to be let in, within their window (people/attempts.ts). */
  attempts(kind: string, who: string): string;
  /** Sorted set: who has a record open, by the time of their last report (people/presence). */
  presence(table: string, recordId: number): string;
  /** Sorted set: the TOKEN_TTL of each running replica, by the time of its last report. */
  readonly replicas: string;
}

/**
 * The version of the account's layout (lua/account.lua) in the name of its key: no script may read
 * another version.
 */
export const ACCOUNT_LAYOUT = 5;

const hashOf = (name: string): string => createHash('sha256').update(name).digest('base64url').slice(0, 22);

export const createLedgerKeys = (shards: number): LedgerKeys => {
  const shardOf = (publisherId: number) => publisherId % shards;
  const ofPublisher = (publisherId: number, rest: string) => `ads:{${shardOf(publisherId)}}:${rest}`;
  const ofShard = (shard: number, rest: string) => `ads:{${shard}}:${rest}`;
  return {
    shards,
    shardOf,
    accounts: (publisherId) => ofPublisher(publisherId, `accounts${ACCOUNT_LAYOUT}:${publisherId}`),
    places: (publisherId, userHash) => ofPublisher(publisherId, `places:${publisherId}:${userHash}`),
    pageView: (publisherId, name) => ofPublisher(publisherId, `page:${publisherId}:${hashOf(name)}`),
    clients: (publisherId) => ofPublisher(publisherId, `clients:${publisherId}`),
    // settle/judge-clicks.lua derives this key from that of the events.
    seen: (publisherId, tokenId) => ofPublisher(publisherId, `seen:${tokenId}`),
    billingNotices: (shard, minute) => ofShard(shard, `burl:${minute}`),
    adjustment: (shard) => ofShard(shard, 'adjustment'),
    events: (shard) => ofShard(shard, 'events'),
    sinkMarks: (shard) => ofShard(shard, 'sinks'),
    sinkOwner: (shard, sink) => ofShard(shard, `sinks:${sink}`),
    serves: (shard) => ofShard(shard, 'serves'),
    // lua/tally.lua derives this key from that of the serves.
    changedServes: (shard) => ofShard(shard, 'serves:changed'),
    // lua/waiting.lua derives this key from that of the events.
    filtered: (shard) => ofShard(shard, 'events:filtered'),
    // lua/activity.lua derives this key from that of the events and the user's name (settle/actor.ts).
    userActivity: (publisherId, userHash) => ofPublisher(publisherId, `events:activity:${userName(publisherId, userHash)}`),
    // lua/provisional.lua derives this key from that of the events.
    provisional: (shard) => ofShard(shard, 'events:provisional'),
    eventTally: (shard) => ofShard(shard, 'event-tally'),
    horizon: (shard) => ofShard(shard, 'horizon'),
    broken: (shard) => ofShard(shard, 'broken'),
    claim: (shard) => ofShard(shard, 'claim'),
    epochs: (scope) => ofShard(scope, 'epochs'),
    rebuilding: (publisherId, campaignId, epoch) => ofPublisher(publisherId, `rebuilding:${campaignId}:${epoch}`),
    // lua/scarce.lua derives this key from that of the epochs.
    scarce: (scope) => ofShard(scope, 'epochs:scarce'),
    lotReports: (scope, replica) => ofShard(scope, `lots:${replica}`),
    reports: (hour, name) => ofShard(0, `reports:${hour}:${name}`),
    shownAd: (publisherId, part, name) => ofPublisher(publisherId, `shown:${publisherId}:${part}:${name}`),
    shownAds: (publisherId, hour) => ofPublisher(publisherId, `shown:${publisherId}:${hour}`),
    attempts: (kind, who) => ofShard(0, `attempts:${kind}:${who}`),
    presence: (table, recordId) => ofShard(0, `presence:${table}:${recordId}`),
    replicas: ofShard(0, 'replicas'),
  };
};

/** The clock of simulations and tests, in ms; the service uses the clock of Redis. */
export const VIRTUAL_CLOCK_KEY = 'ads:virtual-clock';

/** The field of a line item's or a campaign's account in the hash of its publisher. */
export const accountField = (kind: 'l' | 'c', id: number): string => `${kind}${id}`;

/** The part after the day in the field of the serves tally that counts one creative. */
export const servesField = (publisherId: number, campaignId: number, lineItemId: number, creativeId: number): string =>
  `${publisherId}:${campaignId}:${lineItemId}:${creativeId}`;

/** The fields of the accounts of a serves tally's field: of its line item and its campaign. */
export const accountsOfServes = (field: string): readonly string[] => {
  const [, , campaignId, lineItemId] = field.split(':').map(Number);
  return [accountField('l', lineItemId ?? NaN), accountField('c', campaignId ?? NaN)];
};

/** The part between the day and the reason in the field of the tally of filtered hits. */
export const filteredField = (lineItemId: number, kind: string): string => `${lineItemId}:${kind}:`;
