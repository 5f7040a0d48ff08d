import type { CatalogRow, CatalogTable } from '../../src/catalog/model/catalog-reading.ts';
import type { PidGains } from '../../src/config/settings.ts';
import type { HitKind } from '../../src/ledger/hit.ts';

/** A row as booked, or with a column that the checks refuse (`broken`: it is set aside), or deleted (`gone`). */
export interface RowEdit {
  readonly table: CatalogTable;
  readonly id: number | string;
  readonly patch?: CatalogRow;
  readonly gone?: boolean;
  readonly broken?: boolean;
  /** A move to another parent, which the API refuses once anything of the row was served. */
  readonly ifUnserved?: boolean;
}

/** What targeting reads of a request. */
export interface Visitor {
  readonly country: string | null;
  /** Of the browser; null: not known. */
  readonly language: string | null;
  /** Key-values of the page. */
  readonly keyValues: Readonly<Record<string, string | number>>;
  /** How far the visitor's clock is before UTC, in minutes; null: not known. */
  readonly utcOffset: number | null;
}

export interface AdCall {
  readonly publisher: number;
  readonly imps: number;
  readonly user: string | null;
  /** Who must earn the holds; null: they need not be earned. */
  readonly client: string | null;
  /** Five characters that name the network that asks; null: unknown. */
  readonly network: string | null;
  /** The page view that it is for, together with other calls; null: it is one by itself. */
  readonly view: string | null;
  /** The view names all placements of its page, and each call asks for one of them. */
  readonly namesPage: boolean;
  /** The first of the placements that it asks for, of two. */
  readonly first: number;
  readonly visitor: Visitor;
  /** Its impressions are one ad break of a video, of this length; null: they are places of a page. */
  readonly breakMs: number | null;
  /** Bids in micros per thousand impressions, by line item. */
  readonly bids: Readonly<Record<number, number>>;
}

/** Where hits come from; the list of data centers has some of them. */
export const NETWORKS = ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24'] as const;

/** One request of a tracking URL: of the `nth` ad that step `of` was answered. Nothing when there is none. */
export interface TrackingCall {
  readonly of: number;
  readonly nth: number;
  readonly kind: HitKind;
  readonly eventType: string;
  readonly prefetch: boolean;
  /** The sender's, in NETWORKS. */
  readonly network: number;
}

/**
 * What happens to the replica's Redis calls during one step. `killed`: the replica is killed when its first call has run,
 * without an answer, and starts again.
 */
export type CallFault = 'none' | 'loseReply' | 'late' | 'killed';

/**
 * One step, complete in itself, so that any subset of a story is a story. Times in ms. `reach` goes forward to the next
 * multiple of `everyMs`, and `offsetMs` further; never back.
 */
export type Step = { readonly id: number } & (
  | {
      readonly do: 'select';
      readonly replica: number;
      readonly calls: readonly AdCall[];
      /** One call after the other. */
      readonly inTurn?: boolean;
      readonly fault: CallFault;
    }
  | {
      readonly do: 'track';
      readonly replica: number;
      readonly calls: readonly TrackingCall[];
      readonly fault: CallFault;
      readonly lostInPostgres: boolean;
    }
  /** One replica has the requests, then another one until it is refused; after two seconds the first holds nothing of that. */
  | { readonly do: 'idle'; readonly replica: number; readonly busy: number; readonly call: AdCall; readonly requests: number }
  /** All ads are clicked, `everyMs` after each other, by one user, one network of many users, or many networks. */
  | {
      readonly do: 'clicks';
      readonly replica: number;
      readonly call: AdCall;
      readonly by: 'user' | 'network' | 'creative';
      readonly ads: number;
      readonly restMs: number;
      readonly everyMs: number;
      readonly fault: CallFault;
      readonly faultAt: number;
    }
  /** Replicas judge provisional clicks at the same time, after a while. */
  | { readonly do: 'judge'; readonly replicas: readonly number[]; readonly afterMs: number; readonly fault: CallFault }
  | { readonly do: 'lots'; readonly replica: number; readonly fault: CallFault; readonly all: boolean }
  | { readonly do: 'edit'; readonly edit: RowEdit; readonly replicas: readonly number[] }
  | { readonly do: 'reload'; readonly replicas: readonly number[] }
  | { readonly do: 'ttl'; readonly replica: number; readonly ttlMs: number }
  | { readonly do: 'settings'; readonly replica: number; readonly settings: Settings }
  | { readonly do: 'forward'; readonly ms: number }
  | { readonly do: 'reach'; readonly everyMs: number; readonly offsetMs: number }
  | { readonly do: 'back'; readonly ms: number }
  | { readonly do: 'redis'; readonly replicas: readonly number[]; readonly up: boolean }
  | { readonly do: 'postgres'; readonly up: boolean }
  | { readonly do: 'fold'; readonly replica: number }
  | { readonly do: 'folding'; readonly on: boolean }
  | { readonly do: 'carry'; readonly replica: number; readonly killed: boolean }
  | { readonly do: 'lateCalls' }
  | { readonly do: 'drop'; readonly replica: number }
  | { readonly do: 'compare' }
  | { readonly do: 'drift'; readonly drift: Drift; readonly of: number; readonly nth: number; readonly by: number }
  | { readonly do: 'damage'; readonly kind: 'l' | 'c'; readonly of: number; readonly nth: number; readonly how: Damage }
  | { readonly do: 'repair' }
  /** The list of data centers has these networks from now on; a day is filtered again by it. */
  | { readonly do: 'refilter'; readonly networks: readonly number[]; readonly daysAgo: number }
  /** Time passes to the end of the month, and further by this. */
  | { readonly do: 'monthEnd'; readonly offsetMs: number }
  /** People close the month of a publisher at the same time; `killed`: before it is booked. */
  | { readonly do: 'close'; readonly publisher: number; readonly people: number; readonly killed: boolean }
  | { readonly do: 'record'; readonly change: RecordChange }
  | { readonly do: 'keep' }
  | { readonly do: 'lose'; readonly how: Loss }
  | { readonly do: 'recover' }
  | { readonly do: 'poison'; readonly publisher: number; readonly what: 'refused event' | 'unreadable event' | 'hit' }
);

/**
 * What Redis loses: everything; what it has counted since the last `keep`; or nothing, but it is another process, which may
 * have lost something.
 */
export type Loss = 'flush' | 'older' | 'restart';

/** A count that differs from the events: of a row of Postgres, or of an account. */
export const DRIFTS = ['impressions', 'spend', 'clicks', 'events', 'hours', 'account'] as const;
export type Drift = (typeof DRIFTS)[number];

/** A held sum of an account that is wrong: below zero, or not the sum of its holds. */
export type Damage = 'negative' | 'sums';

/** Settings that may differ between replicas while they are rolled out, besides TOKEN_TTL. */
export interface Settings {
  /** PID_KP, PID_KI, PID_KD */
  readonly pid: PidGains;
  /** Which of the token secrets, all of which every replica knows, signs. */
  readonly signingSecret: number;
}

/** A change that concerns statements. */
export type RecordChange =
  | { readonly table: 'publishers' | 'campaigns' | 'advertisers'; readonly id: number; readonly name: string }
  | { readonly campaign: number; readonly advertiser: number | null }
  | { readonly publisher: number; readonly zone: string; readonly currency: string }
  | { readonly currency: string; readonly rate: number }
  /** A campaign is deleted. */
  | { readonly gone: number };

/** The bookings and settings that a story begins with. */
export interface World {
  readonly startMs: number;
  readonly replicas: readonly { readonly ttlMs: number; readonly skewMs: number }[];
  /** Redis may lose its data: replicas keep books of it. */
  readonly mayLose: boolean;
  /** Some visitors click as no person does; more line items have no limits, so that they see ads. */
  readonly clickers: boolean;
  /** It begins at the end of a month, which is closed. */
  readonly closes: boolean;
  readonly rows: Readonly<Record<CatalogTable, readonly CatalogRow[]>>;
}

export interface Story {
  readonly seed: number;
  readonly world: World;
  readonly steps: readonly Step[];
}

/** What a run may draw from. `--only-steps` names some of them; selections, hits and time passing are in every run. */
export const STEP_CLASSES = [
  'ttl',
  'back',
  'midnight',
  'price',
  'limits',
  'state',
  'gone',
  'move',
  'redis',
  'lost',
  'postgres',
  'fold',
  'writer',
  'drop',
  'clicks',
  'bids',
  'typedBids',
  'users',
  'clients',
  'pacing',
  'settings',
  'imps',
  'prices',
  'rows',
  'kill',
  'eve',
  'books',
  'refilter',
  'lots',
  'idle',
  'damage',
  'poison',
  'loss',
  'activity',
  'close',
  'views',
  'pages',
  'labels',
  'unused',
  'sequences',
  'pods',
  'zones',
  'schedules',
  'visitors',
  'wideCaps',
  'asks',
  'companions',
] as const;
/** Edits that the API refuses; only on request, to show what they would do. */
export const FORBIDDEN_CLASSES = ['moveServedItem', 'moveServedCampaign'] as const;

export type StepClass = (typeof STEP_CLASSES)[number] | (typeof FORBIDDEN_CLASSES)[number];
