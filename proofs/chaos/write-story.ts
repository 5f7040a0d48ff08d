import type { CatalogRow, CatalogTable } from '../../src/catalog/model/catalog-reading.ts';
import { MS_PER_DAY, MS_PER_HOUR } from '../../src/base/utc-day.ts';
import { audience } from './book-audience.ts';
import { bookWorld, budget, CPMS_MICROS, limits, REPLICAS, SEQUENCE, TTLS_MS } from './book-world.ts';
import { createDraw, type Draw } from './draw.ts';
import { DRIFTS, NETWORKS, type AdCall, type CallFault, type RowEdit, type Settings, type Step } from './story.ts';
import type { RecordChange, StepClass, Story, TrackingCall, World } from './story.ts';

/** What is damaged or poisoned may be lost, too: then there is nothing to find. */
const LOST_TOO: ReadonlySet<StepClass> = new Set(['damage', 'poison']);
/** What was deleted has no account to be damaged, and no parent to be moved to. */
const GONE_TOO: ReadonlySet<StepClass> = new Set(['damage', 'move']);

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata'] as const;
/** Ad breaks, of which the shortest has no room for the longest ads. */
const BREAKS_MS = [15_000, 30_000, 60_000] as const;
/** What players report besides, of which a kind of each column of reports. */
const PLAYED = ['start', 'midpoint', 'skip', 'error_405'] as const;
/** A call that is a page by itself. */
const NO_VIEW = { view: null, namesPage: false };
const CURRENCIES = ['USD', 'EUR', 'JPY'] as const;

type NewStep = Step extends infer S ? (S extends Step ? Omit<S, 'id'> : never) : never;

export interface StoryOptions {
  readonly seed: number;
  readonly steps: number;
  readonly classes: ReadonlySet<StepClass>;
}

/** Writes a random story. The same options give the same story. */
export const writeStory = ({ seed, steps: count, classes }: StoryOptions): Story => {
  const draw = createDraw(seed);
  const world = bookWorld(draw, (name) => classes.has(name));
  const has = (name: StepClass): boolean =>
    classes.has(name) &&
    (world.mayLose ? !LOST_TOO.has(name) : name !== 'loss') &&
    (world.closes ? !GONE_TOO.has(name) : name !== 'close') &&
    (world.clickers || name !== 'activity');
  const writer = createStepWriter(draw, has, world);
  const steps: Step[] = [];
  const later = new Map<number, NewStep>();
  while (steps.length < count) {
    const id = steps.length + 1;
    const planned = later.get(id);
    later.delete(id);
    const { step, end, endsIn = 0 } = planned ? { step: planned } : writer.next(id);
    steps.push({ ...step, id });
    if (end) later.set(id + 1 + endsIn, end);
  }
  return { seed, world, steps };
};

/** A step, and for a state that lasts, the step that ends it, `endsIn` steps later. */
interface Written {
  readonly step: NewStep;
  readonly end?: NewStep;
  readonly endsIn?: number;
}

const createStepWriter = (draw: Draw, has: (name: StepClass) => boolean, world: World) => {
  const replica = (): number => draw.below(REPLICAS);
  const everyReplica = Array.from({ length: REPLICAS }, (_, i) => i);
  const someReplicas = (): readonly number[] => (draw.oneIn(2) ? everyReplica : everyReplica.filter(() => draw.oneIn(2)));
  const items = world.rows.line_items;
  const bidders = items.filter(({ type }) => type === 'programmatic').map(({ id }) => id as number);
  const fault = (): CallFault =>
    has('lost') && draw.oneIn(12) ? draw.of(['loseReply', 'late'] as const) : has('kill') && draw.oneIn(25) ? 'killed' : 'none';
  const selects: number[] = [];

  /** Micros per thousand; with `prices` from a fraction of a micro for an impression to 1,000 USD per thousand. */
  const anyBid = (): number =>
    has('prices') && draw.oneIn(2) ? Math.floor(10 ** (draw.below(9_000) / 1_000)) : draw.of(CPMS_MICROS) + draw.below(2_000);

  const pageCall = (): AdCall => {
    // Calls of one step and of the next share a page.
    const view = has('pages') && draw.oneIn(2) ? selects.length >> 1 : null;
    const namesPage = has('asks') && view !== null && view % 2 === 1;
    return { ...call(namesPage), view: view === null ? null : `v${view}`, namesPage };
  };
  const call = (isPart: boolean): AdCall => ({
    publisher: 1 + draw.below(world.rows.publishers.length),
    imps: isPart ? 1 : draw.oneIn(3) ? (has('imps') ? 2 + draw.below(5) : 2) : 1,
    first: isPart ? draw.below(2) : 0,
    visitor: {
      country: draw.of(['DE', 'AT', 'FR', null]),
      language: draw.of(['de', 'de-AT', 'fr', null]),
      keyValues: draw.of([{}, { section: 'sport' }, { section: 'sports', age: 17 }, { section: 'news', age: 30 }, { age: 64 }]),
      utcOffset: draw.of([null, null, 0, -300, 570]),
    },
    user: has('users') && !draw.oneIn(4) ? `u${draw.below(3)}` : null,
    client: has('clients') && !draw.oneIn(4) ? `c${draw.below(3)}` : null,
    network: null,
    view: null,
    namesPage: false,
    breakMs: null,
    bids: Object.fromEntries(bidders.filter(() => draw.oneIn(2)).map((id) => [id, anyBid()])),
  });
  const adCall = (): AdCall => {
    const call = pageCall();
    return has('pods') && draw.oneIn(5) ? { ...call, imps: 1 + draw.below(5), ...NO_VIEW, breakMs: draw.of(BREAKS_MS) } : call;
  };

  const trackingCall = (): TrackingCall => {
    // Mostly recent ads, and one in eight from any time.
    const from = draw.oneIn(8) ? 0 : Math.max(selects.length - 8, 0);
    const of = selects[from + draw.below(selects.length - from)] ?? 0;
    const kind = draw.of(['impression', 'impression', 'impression', has('clicks') ? 'click' : 'impression', 'event'] as const);
    const eventType =
      kind === 'event'
        ? draw.of([
            'like',
            'share',
            ...(has('clicks') ? ['viewable', 'viewable'] : []),
            ...(has('views') ? ['complete', 'complete', ...PLAYED] : []),
            ...(has('unused') ? ['notUsed', 'notUsed'] : []),
          ])
        : '';
    return { of, nth: draw.below(3), kind, eventType, prefetch: draw.oneIn(25), network: of % NETWORKS.length };
  };

  const settings = (): Settings => ({
    pid: { kp: draw.below(10) / 10, ki: draw.below(10) / 100, kd: draw.below(10) / 10 },
    signingSecret: draw.below(2),
  });

  const several = <T>(make: () => T, max: number): readonly T[] => Array.from({ length: 1 + draw.below(max) }, make);

  const select = (id: number): Written => {
    selects.push(id);
    return { step: { do: 'select', replica: replica(), calls: several(adCall, 4), fault: fault() } };
  };
  /** One client asks many times. */
  const stranger = (id: number): Written => {
    selects.push(id);
    const call = { ...adCall(), ...NO_VIEW, imps: 1, client: `s${draw.below(2)}` };
    return { step: { do: 'select', replica: replica(), calls: Array.from({ length: 10 + draw.below(40) }, () => call), fault: fault() } };
  };
  /** Many visitors of one page, which lets a replica reserve lots. */
  const crowd = (id: number): Written => {
    selects.push(id);
    const call = { ...adCall(), ...NO_VIEW, imps: 1 + draw.below(2), client: null };
    const calls = Array.from({ length: 5 + draw.below(20) }, () => call);
    return { step: { do: 'select', replica: replica(), calls, inTurn: true, fault: draw.oneIn(4) ? fault() : 'none' } };
  };
  /** The requests move from one replica to another. */
  const idle = (id: number): Written => {
    selects.push(id);
    const first = replica();
    const busy = (first + 1 + draw.below(REPLICAS - 1)) % REPLICAS;
    return {
      step: { do: 'idle', replica: first, busy, call: { ...adCall(), ...NO_VIEW, imps: 1, client: null }, requests: 20 + draw.below(40) },
    };
  };
  const clicks = (id: number): Written => {
    selects.push(id);
    const ads = 4 + draw.below(16);
    const by = draw.of(['user', 'network', 'creative', 'creative'] as const);
    const pause = { restMs: draw.of([0, 0, 3_000, MS_PER_HOUR]), everyMs: draw.of([200, 3_000, 20_000]) };
    const call = { ...adCall(), ...NO_VIEW, imps: 1, client: null };
    return {
      step: {
        do: 'clicks',
        replica: replica(),
        call,
        by,
        ads,
        ...pause,
        fault: draw.oneIn(3) ? fault() : 'none',
        faultAt: draw.below(ads),
      },
    };
  };
  const judge = (): Written => ({
    step: { do: 'judge', replicas: someReplicas(), afterMs: draw.of([0, 600_000, 600_000]), fault: fault() },
  });
  const track = (): Written => ({
    step: {
      do: 'track',
      replica: replica(),
      calls: several(trackingCall, 5),
      fault: fault(),
      lostInPostgres: has('postgres') && draw.oneIn(20),
    },
  });
  const forward = (): Written => {
    const ms = draw.of([
      100,
      700,
      1_500,
      5_000,
      15_000,
      40_000,
      400_000,
      draw.of(TTLS_MS.slice(0, 4)),
      draw.oneIn(4) ? 5 * MS_PER_HOUR : 60_000,
    ]);
    return draw.oneIn(3) ? thenBack(reach()) : { step: { do: 'forward', ms } };
  };
  /** A clock that has just passed an edge often steps back over it soon. */
  const thenBack = (step: NewStep): Written =>
    has('back') && draw.oneIn(2) ? { step, end: { do: 'back', ms: 100 + draw.below(900) }, endsIn: draw.below(4) } : { step };
  const reach = (): NewStep => ({ do: 'reach', everyMs: draw.of([2_000, 10_000, 40_000, 60_000]), offsetMs: draw.below(150) });
  const midnight = (): Written => thenBack({ do: 'reach', everyMs: MS_PER_DAY, offsetMs: draw.below(600) });
  /** The moment before a day ends: the steps after it fall on both sides. */
  const eve = (): Written => thenBack({ do: 'reach', everyMs: MS_PER_DAY, offsetMs: -draw.below(900) });
  const edit = (change: RowEdit): Written => ({ step: { do: 'edit', edit: change, replicas: someReplicas() } });
  const anyItem = (): CatalogRow => draw.of(items);
  const itemEdit = (patch: CatalogRow): Written => edit({ table: 'line_items', id: anyItem()['id'] as number, patch });
  const price = (): Written => {
    const kind = draw.below(6);
    const typed = items.filter(({ type }) => type === 'direct' || has('typedBids'));
    if (kind === 0 && has('clicks') && typed.length > 0)
      return edit({
        table: 'line_items',
        id: draw.of(typed)['id'] as number,
        patch: { budget_type: draw.of(['CPM', 'VCPM', 'CPC', 'Flat']) },
      });
    return itemEdit({ cpm_micros: draw.of(CPMS_MICROS) });
  };
  const limit = (): Written => {
    if (!draw.oneIn(4)) {
      const patch = limits(draw, has);
      const { id, rotation } = anyItem();
      return edit({ table: 'line_items', id: id as number, patch: { ...patch, ...(rotation === 'sequence' && SEQUENCE) } });
    }
    const budget_micros = draw.oneIn(3) ? null : budget(draw);
    const daily = draw.oneIn(3) ? { daily_budget_micros: draw.oneIn(2) ? null : budget(draw) } : {};
    return edit({ table: 'campaigns', id: draw.of(world.rows.campaigns)['id'] as number, patch: { budget_micros, ...daily } });
  };
  const state = (): Written => {
    const end_at = new Date(world.startMs + (draw.oneIn(3) ? draw.below(3) * MS_PER_DAY : 30 * MS_PER_DAY));
    const pacing = has('pacing') ? draw.of(['ASAP', 'Even', 'PID']) : 'ASAP';
    return itemEdit(draw.of<CatalogRow>([{ active: false }, { active: true }, { end_at }, { pacing }, audience(draw, has)]));
  };
  const gone = (): Written => awayFrom(draw.of(['line_items', 'line_items', 'campaigns'] as const));
  const awayFrom = (table: CatalogTable): Written => {
    const id = draw.of(world.rows[table])['id'] as RowEdit['id'];
    const away: RowEdit = draw.oneIn(2) ? { table, id, gone: true } : { table, id, broken: true };
    const back = { do: 'edit', edit: { table, id, gone: false, broken: false }, replicas: everyReplica } as const;
    return { step: { do: 'edit', edit: away, replicas: everyReplica }, end: back, endsIn: 3 + draw.below(30) };
  };
  const campaignOf = (): { campaign_id: number } => ({ campaign_id: draw.of(world.rows.campaigns)['id'] as number });
  const move = (ifUnserved: boolean): Written => {
    const moved: RowEdit = { table: 'line_items', id: anyItem()['id'] as number, patch: campaignOf(), ...(ifUnserved && { ifUnserved }) };
    // A replica that has not loaded the move yet would serve the row under its old parent.
    return { step: { do: 'edit', edit: moved, replicas: everyReplica } };
  };
  const moveCampaign = (): Written => {
    const publisher_id = 1 + draw.below(world.rows.publishers.length);
    return edit({ table: 'campaigns', id: draw.of(world.rows.campaigns)['id'] as number, patch: { publisher_id } });
  };
  const redis = (): Written => {
    const replicas = draw.oneIn(2) ? everyReplica : [replica()];
    return { step: { do: 'redis', replicas, up: false }, end: { do: 'redis', replicas, up: true }, endsIn: 2 + draw.below(15) };
  };
  const postgres = (): Written => ({ step: { do: 'postgres', up: false }, end: { do: 'postgres', up: true }, endsIn: 1 + draw.below(12) });
  const someAd = (): { of: number; nth: number } => ({ of: selects.at(-1 - draw.below(8)) ?? 0, nth: draw.below(3) });
  const poison = (): Written => {
    const what = draw.of(['refused event', 'unreadable event', 'hit'] as const);
    return { step: { do: 'poison', publisher: 1 + draw.below(world.rows.publishers.length), what } };
  };
  const refilter = (): Written => ({
    step: { do: 'refilter', networks: Array.from(NETWORKS, (_, n) => n).filter(() => draw.oneIn(3)), daysAgo: draw.below(2) },
  });
  const lose = (): Written => {
    const how = draw.of(['flush', 'older', 'restart'] as const);
    return { step: { do: 'lose', how }, end: { do: 'recover' }, endsIn: draw.below(12) };
  };
  const monthEnd = (): Written => ({
    step: { do: 'monthEnd', offsetMs: draw.of([-7_500_000, -200, 0, 100, 14_500_000]) + draw.below(100) },
  });
  const close = (): Written => ({
    step: {
      do: 'close',
      publisher: 1 + draw.below(world.rows.publishers.length),
      people: 1 + draw.below(2),
      killed: draw.oneIn(4),
    },
  });
  const record = (): Written => {
    const [publisher, campaign, advertiser] = (['publishers', 'campaigns', 'advertisers'] as const).map(
      (table) => draw.of(world.rows[table])['id'] as number,
    ) as [number, number, number];
    const name = `name ${draw.below(1_000)}`;
    const [zone, currency] = [draw.of(ZONES), draw.of(CURRENCIES)];
    const change = draw.of<RecordChange>([
      { table: 'campaigns', id: campaign, name },
      { table: 'publishers', id: publisher, name },
      { table: 'advertisers', id: advertiser, name },
      { campaign, advertiser: draw.oneIn(4) ? null : advertiser },
      { campaign, advertiser },
      { publisher, zone, currency },
      { publisher, zone, currency },
      { currency: draw.of(CURRENCIES.slice(1)), rate: (1 + draw.below(2_000)) / 1_000 },
      ...(draw.oneIn(4) ? [{ gone: campaign }] : []),
    ]);
    return { step: { do: 'record', change } };
  };
  const fold = (): Written => ({ step: { do: 'fold', replica: replica() } });
  const carry = (): Written => ({ step: { do: 'carry', replica: replica(), killed: has('writer') && draw.oneIn(3) } });

  /** How often each kind of step is drawn; the kinds of a class only in runs that have it. */
  const kinds: readonly (readonly [weight: number, write: (id: number) => Written, name?: StepClass])[] = [
    [110, select],
    [90, track],
    [60, forward],
    [30, fold],
    [has('writer') ? 8 : 12, carry],
    [25, () => ({ step: { do: 'lots', replica: replica(), fault: fault(), all: draw.oneIn(8) } }), 'lots'],
    [12, crowd, 'lots'],
    [6, idle, 'idle'],
    [20, clicks, 'activity'],
    [12, judge, 'activity'],
    [6, stranger, 'clients'],
    [5, () => ({ step: { do: 'ttl', replica: replica(), ttlMs: draw.of(TTLS_MS) } }), 'ttl'],
    [4, () => ({ step: { do: 'settings', replica: replica(), settings: settings() } }), 'settings'],
    [8, () => ({ step: { do: 'back', ms: 1 + draw.below(1_000) } }), 'back'],
    [4, midnight, 'midnight'],
    [4, eve, 'eve'],
    [12, price, 'price'],
    [14, limit, 'limits'],
    [8, state, 'state'],
    [4, gone, 'gone'],
    [4, () => awayFrom(draw.of(['creatives', 'creatives', 'placements', 'publishers'])), 'rows'],
    [3, () => move(true), 'move'],
    [4, () => move(false), 'moveServedItem'],
    [4, moveCampaign, 'moveServedCampaign'],
    [3, () => ({ step: { do: 'folding', on: false }, end: { do: 'folding', on: true }, endsIn: 5 + draw.below(30) }), 'fold'],
    [4, redis, 'redis'],
    [6, () => ({ step: { do: 'lateCalls' } }), 'lost'],
    [3, postgres, 'postgres'],
    [4, () => ({ step: { do: 'drop', replica: replica() } }), 'drop'],
    [6, () => ({ step: { do: 'reload', replicas: everyReplica } })],
    [3, () => ({ step: { do: 'compare' } }), 'books'],
    [4, () => ({ step: { do: 'drift', drift: draw.of(DRIFTS), ...someAd(), by: draw.of([-3, 1, 40]) } }), 'books'],
    [4, refilter, 'refilter'],
    [2, () => ({ step: { do: 'damage', kind: draw.of(['l', 'l', 'c']), ...someAd(), how: draw.of(['negative', 'sums']) } }), 'damage'],
    [4, () => ({ step: { do: 'repair' } }), 'damage'],
    [4, poison, 'poison'],
    [5, () => ({ step: { do: 'keep' } }), 'loss'],
    [6, lose, 'loss'],
    [8, monthEnd, 'close'],
    [20, close, 'close'],
    [20, record, 'close'],
  ];
  const open = kinds.filter(([, , name]) => name === undefined || has(name));
  const total = open.reduce((sum, [weight]) => sum + weight, 0);

  return {
    next: (id: number): Written => {
      let at = draw.below(total);
      for (const [weight, write] of open) {
        if (at < weight) return write(id);
        at -= weight;
      }
      return select(id);
    },
  };
};
