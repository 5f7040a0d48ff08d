import { MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE } from '../../base/utc-day.ts';
import { PROVISIONAL } from '../../ledger/hit.ts';
import { ACTIVITY_RULE as RULE } from '../../ledger/settle/activity-rule.ts';

/** Who causes a hit, and on what. Names are of one publisher; '': unknown. */
export interface Actor {
  /** A user, or else a browser in a network. */
  readonly visitor: string;
  readonly isUser: boolean;
  readonly network: string;
  readonly creative: string;
}

export interface ClickVerdict {
  readonly verdict: '' | 'activity' | typeof PROVISIONAL;
  /** Another click of its visitor on this day. */
  readonly isRepeat: boolean;
}

interface Visitor {
  day: number;
  clicks: number;
  shown: number;
  beforeClicks: number;
  beforeShown: number;
  windows: number[];
  counts: number[];
  times: number[];
  barredMs: number;
  writtenMs: number;
}

interface Group {
  day: number;
  seen: number;
  lastMs: number;
  window: number;
  clicks: number;
  counted: number;
  shown: number;
  pastClicks: number;
  pastShown: number;
  oddFrom: number;
  oddTo: number;
  suspectMs: number;
  writtenMs: number;
}

interface Network {
  readonly visitor: Visitor;
  readonly group: Group;
  writtenMs: number;
}

const WINDOWS = [MS_PER_MINUTE, MS_PER_HOUR, MS_PER_DAY];
const MOST = [RULE.clicksAMinute, RULE.clicksAnHour, RULE.clicksADay];

const newVisitor = (): Visitor => ({
  ...{ day: 0, clicks: 0, shown: 0, beforeClicks: 0, beforeShown: 0, windows: [0, 0, 0], counts: [0, 0, 0], times: [] },
  ...{ barredMs: 0, writtenMs: 0 },
});

const newGroup = (atMs: number): Group => ({
  ...{ day: 0, seen: 0, lastMs: atMs, window: Math.floor(atMs / RULE.windowMs), clicks: 0, counted: 0, shown: 0 },
  ...{ pastClicks: 0, pastShown: 0, oddFrom: -1, oddTo: -1, suspectMs: 0, writtenMs: 0 },
});

const shareOf = ({ clicks, shown, beforeClicks, beforeShown }: Visitor, shownNow = 0): number =>
  (beforeClicks + clicks) / Math.max(beforeShown + Math.max(shown, shownNow), beforeClicks + clicks);

const isRegular = (times: readonly number[]): boolean => {
  if (times.length <= RULE.intervals) return false;
  const intervals = times.slice(1).map((time, i) => time - times[i]!);
  const longest = Math.max(...intervals);
  return longest - Math.min(...intervals) <= RULE.intervalSpread * longest;
};

/** Counts a click. Returns whether no person makes it. */
const visitorClick = (v: Visitor, clickedMs: number, shown: number, isUser: boolean): boolean => {
  const atMs = Math.max(clickedMs, v.times.at(-1) ?? 0);
  const day = Math.floor(atMs / MS_PER_DAY);
  if (day > v.day) {
    v.beforeClicks += v.clicks;
    v.beforeShown += v.shown;
    if (v.beforeClicks > RULE.maxHistoryClicks) {
      v.beforeClicks /= 2;
      v.beforeShown /= 2;
    }
    Object.assign(v, { day, clicks: 0, shown: 0 });
  }
  v.clicks++;
  v.shown = Math.max(v.shown, shown);
  v.times.push(atMs);
  if (v.times.length > RULE.intervals + 1) v.times.shift();
  let isBusy = false;
  for (const [i, length] of WINDOWS.entries()) {
    const window = Math.floor(atMs / length);
    v.counts[i] = (v.windows[i] === window ? v.counts[i]! : 0) + 1;
    v.windows[i] = window;
    isBusy ||= v.counts[i] > MOST[i]!;
  }
  const share = shareOf(v);
  if (isUser && ((isBusy && share >= RULE.busyShare) || isRegular(v.times))) v.barredMs = atMs + RULE.memoryMs;
  const every = isUser ? RULE.everyClicks : RULE.everyClicksOfNetwork;
  return v.barredMs > atMs || (v.beforeClicks + v.clicks >= every && share >= RULE.everyShare);
};

/** Counts a click. Returns whether it is provisional. */
const groupClick = (g: Group, clickedMs: number, shown: number): boolean => {
  const atMs = Math.max(clickedMs, g.lastMs);
  const [day, window] = [Math.floor(atMs / MS_PER_DAY), Math.floor(atMs / RULE.windowMs)];
  const since = day === g.day ? Math.max(shown - g.seen, 0) : shown;
  g.day = day;
  g.seen = shown;
  if (window > g.window) {
    const part = (atMs - window * RULE.windowMs) / Math.max(atMs - g.lastMs, 1);
    g.pastClicks += g.counted;
    g.pastShown = g.pastShown + g.shown + since * (1 - part);
    if (g.pastShown > RULE.maxHistoryImpressions) {
      g.pastClicks /= 2;
      g.pastShown /= 2;
    }
    Object.assign(g, { window, clicks: 0, counted: 0, shown: since * part });
  } else g.shown += since;
  g.lastMs = atMs;
  g.clicks++;
  if (
    g.pastShown >= RULE.historyImpressions &&
    g.clicks > RULE.excessClicks + ((RULE.excess * (g.pastClicks + 1)) / g.pastShown) * g.shown
  ) {
    if (g.oddTo !== window && g.oddTo !== window - 1) g.oddFrom = window;
    g.oddTo = window;
    g.suspectMs = atMs + RULE.suspectMs;
  }
  return g.suspectMs > atMs;
};

/**
 * What visitors, networks and creatives do over time, as the ledger follows it (ledger/lua/activity.lua has each
 * step and its reason): for stored days. Hits are passed in the order of their times, epoch ms.
 */
export const createActivity = () => {
  const shownOn = new Map<string, number>();
  const visitors = new Map<string, Visitor>();
  const creatives = new Map<string, Group>();
  const networks = new Map<string, Network>();

  const shownOf = (name: string, atMs: number): number => shownOn.get(`${Math.floor(atMs / MS_PER_DAY)} ${name}`) ?? 0;
  const show = (name: string, atMs: number): number => {
    const shown = shownOf(name, atMs) + 1;
    shownOn.set(`${Math.floor(atMs / MS_PER_DAY)} ${name}`, shown);
    return shown;
  };
  const read = <T extends { writtenMs: number }>(of: Map<string, T>, name: string, nowMs: number): T | undefined => {
    const record = of.get(name);
    return record && nowMs - record.writtenMs < RULE.memoryMs ? record : undefined;
  };
  const write = <T extends { writtenMs: number }>(of: Map<string, T>, name: string, record: T, nowMs: number): T => {
    record.writtenMs = nowMs;
    of.set(name, record);
    return record;
  };

  return {
    /** Returns whether it is one of more than a person sees. */
    impression: ({ visitor, isUser, network, creative }: Actor, atMs: number): boolean => {
      show(`creative ${creative}`, atMs);
      const shown = isUser ? show(`user ${visitor}`, atMs) : 0;
      const nearby = network === '' ? 0 : show(`network ${network}`, atMs);
      return shown > RULE.impressionsADay && 2 * nearby >= shown;
    },
    click: ({ visitor, isUser, network, creative }: Actor, atMs: number): ClickVerdict => {
      let isFiltered = false;
      let isRepeat = false;
      if (visitor !== '') {
        const v = write(visitors, visitor, read(visitors, visitor, atMs) ?? newVisitor(), atMs);
        isFiltered = visitorClick(v, atMs, isUser ? shownOf(`user ${visitor}`, atMs) : 0, isUser) && isUser;
        isRepeat = v.clicks > 1;
      }
      let isOdd = false;
      let ofNetwork: Network | undefined;
      if (network !== '') {
        const known = read(networks, network, atMs) ?? { visitor: newVisitor(), group: newGroup(atMs), writtenMs: 0 };
        ofNetwork = write(networks, network, known, atMs);
        const shown = shownOf(`network ${network}`, atMs);
        isFiltered = visitorClick(ofNetwork.visitor, atMs, shown, false) || isFiltered;
        isOdd = !isFiltered && groupClick(ofNetwork.group, atMs, shown);
      }
      if (isFiltered) return { verdict: 'activity', isRepeat };
      const group = write(creatives, creative, read(creatives, creative, atMs) ?? newGroup(atMs), atMs);
      isOdd = groupClick(group, atMs, shownOf(`creative ${creative}`, atMs)) || isOdd;
      if (isOdd) return { verdict: PROVISIONAL, isRepeat };
      group.counted++;
      if (ofNetwork) ofNetwork.group.counted++;
      return { verdict: '', isRepeat };
    },
    /** Judges a provisional click again, at `nowMs`. */
    judge: ({ visitor, isUser, network, creative }: Actor, atMs: number, nowMs: number): '' | 'activity' => {
      const window = Math.floor(atMs / RULE.windowMs);
      const isOdd = (g: Group | undefined): boolean => g !== undefined && g.oddFrom <= window && window <= g.oddTo;
      const [group, ofNetwork] = [read(creatives, creative, nowMs), read(networks, network, nowMs)];
      const v = isUser ? read(visitors, visitor, nowMs) : ofNetwork?.visitor;
      if (v) {
        const shownNow = v.day === Math.floor(nowMs / MS_PER_DAY) ? shownOf(isUser ? `user ${visitor}` : `network ${network}`, nowMs) : 0;
        if (v.barredMs > atMs || ((isOdd(group) || isOdd(ofNetwork?.group)) && shareOf(v, shownNow) >= RULE.everyShare)) return 'activity';
      }
      if (group) write(creatives, creative, group, nowMs).pastClicks++;
      if (ofNetwork) write(networks, network, ofNetwork, nowMs).group.pastClicks++;
      return '';
    },
  };
};
