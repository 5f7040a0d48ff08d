import { createHash } from 'node:crypto';
import type { RedisClient } from '../redis/redis-client.ts';
import { userName } from './settle/actor.ts';

/**
 * The version of the account's layout (lua/account.lua) in the name of its key: no script may read
 * another version.
 */
export const ACCOUNT_LAYOUT = 5;

const hashOf = (name: string): string => createHash('sha256').update(name).digest('base64url').slice(0, 22);

/**
 * Every key of the ledger. All keys of a publisher share the hash tag of its shard, so that one
 * request's keys share a cluster slot. There is one stream and one tally per shard, so their number
 * does not grow with the number of publishers.
 */
export const createLedgerKeys = (shards: number) => {
  const shardOf = (publisherId: number): number => publisherId % shards;
  const ofPublisher = (publisherId: number, rest: string) => `ads:{${shardOf(publisherId)}}:${rest}`;
  const ofShard = (shard: number, rest: string) => `ads:{${shard}}:${rest}`;
  return {
    shards,
    shardOf,
    /** Hash: packed accounts, fields `l<line item>` and `c<campaign>`. */
    accounts: (publisherId: number) => ofPublisher(publisherId, `accounts${ACCOUNT_LAYOUT}:${publisherId}`),
    /** String: the user's packed places under frequency caps at this publisher. */
    places: (publisherId: number, userHash: string) => ofPublisher(publisherId, `places:${publisherId}:${userHash}`),
    /** String: what a page view shows (lua/page.lua); its name may be anything. */
    pageView: (publisherId: number, name: string) => ofPublisher(publisherId, `page:${publisherId}:${hashOf(name)}`),
    /** The start of the names of two hashes: what the clients of this publisher hold and rendered (lua/clients.lua). */
    clients: (publisherId: number) => ofPublisher(publisherId, `clients:${publisherId}`),
    /** String: the kinds already seen of one token. */
    // settle/judge-clicks.lua derives this key from that of the events.
    seen: (publisherId: number, tokenId: string) => ofPublisher(publisherId, `seen:${tokenId}`),
    /** Hash token id → billing notice URL of the bids whose tokens end in a minute (since the epoch). */
    billingNotices: (shard: number, minute: number) => ofShard(shard, `burl:${minute}`),
    /** String: the number of the last adjustment of accounts by the reconciliation. */
    adjustment: (shard: number) => ofShard(shard, 'adjustment'),
    /** Stream of settled hits on their way to Postgres. */
    events: (shard: number) => ofShard(shard, 'events'),
    /** Hash name of a sink → the last entry of the events that it has. */
    sinkMarks: (shard: number) => ofShard(shard, 'sinks'),
    /** String: the replica that hands the events of a shard to a sink. */
    sinkOwner: (shard: number, sink: string) => ofShard(shard, `sinks:${sink}`),
    /** Hash `day:publisher:campaign:line item:creative` → serves. */
    serves: (shard: number) => ofShard(shard, 'serves'),
    /** Set: the fields of the serves that changed since they were copied to Postgres. */
    // lua/tally.lua derives this key from that of the serves.
    changedServes: (shard: number) => ofShard(shard, 'serves:changed'),
    /** Hash `day:line item:kind:reason` → filtered and provisional hits. */
    // lua/waiting.lua derives this key from that of the events.
    filtered: (shard: number) => ofShard(shard, 'events:filtered'),
    /** String: what a user who clicks has done lately (lua/activity.lua). */
    // lua/activity.lua derives this key from that of the events and the user's name (settle/actor.ts).
    userActivity: (publisherId: number, userHash: string) => ofPublisher(publisherId, `events:activity:${userName(publisherId, userHash)}`),
    /** Hash token id → a click under judgement (lua/provisional.lua). */
    // lua/provisional.lua derives this key from that of the events.
    provisional: (shard: number) => ofShard(shard, 'events:provisional'),
    /** Hash `day:line item:event type` → custom events. */
    eventTally: (shard: number) => ofShard(shard, 'event-tally'),
    /** String: the fold horizon; every hit stored in Postgres before it (Redis ms) has been folded. */
    horizon: (shard: number) => ofShard(shard, 'horizon'),
    /** Hash: the accounts that are set aside, by key and field (lua/books.lua). */
    broken: (shard: number) => ofShard(shard, 'broken'),
    /** String: the installation and layout of the shard's counters (redis/lua/probe.lua). */
    claim: (shard: number) => ofShard(shard, 'claim'),
    /** Hash: which content of Redis the counters belong to (reserve/trust-books.lua). */
    epochs: (scope: number) => ofShard(scope, 'epochs'),
    /** String: a replica rebuilds the accounts of a campaign in an epoch. */
    rebuilding: (publisherId: number, campaignId: number, epoch: string) => ofPublisher(publisherId, `rebuilding:${campaignId}:${epoch}`),
    /** Sorted set: accounts that refuse because the rest of them is held (lua/scarce.lua), by time (Redis ms). */
    // lua/scarce.lua derives this key from that of the epochs.
    scarce: (scope: number) => ofShard(scope, 'epochs:scarce'),
    /** String: the last reports of lots of a replica, and what was answered (allowances/report-lots.lua). */
    lotReports: (scope: number, replica: string) => ofShard(scope, `lots:${replica}`),
    /** String: quality reports of a client or for a token in an hour (since the epoch). */
    reports: (hour: number, name: string) => ofShard(0, `reports:${hour}:${name}`),
    /** String: the creative, or the token, that an image tag showed to a recipient (tracking/shown-ads.ts). */
    shownAd: (publisherId: number, part: 'creative' | 'token', name: string) =>
      ofPublisher(publisherId, `shown:${publisherId}:${part}:${name}`),
    /** String: how many of them a publisher's tags remembered in an hour (since the epoch). */
    shownAds: (publisherId: number, hour: number) => ofPublisher(publisherId, `shown:${publisherId}:${hour}`),
    /** String: attempts to be let in, within their window (people/attempts.ts). */
    attempts: (kind: string, who: string) => ofShard(0, `attempts:${kind}:${who}`),
    /** Sorted set: who has a record open, by the time of their last report (people/presence). */
    presence: (table: string, recordId: number) => ofShard(0, `presence:${table}:${recordId}`),
    /** Sorted set: the TOKEN_TTL of each running replica, by the time of its last report. */
    replicas: ofShard(0, 'replicas'),
  };
};

export type LedgerKeys = ReturnType<typeof createLedgerKeys>;

/** What scripts of the ledger are called with. */
export interface ScriptOptions {
  readonly redis: RedisClient;
  readonly keys: LedgerKeys;
  /** Of loadScript. */
  readonly clock?: string | undefined;
}

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
