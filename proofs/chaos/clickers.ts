import { MS_PER_DAY } from '../../src/base/utc-day.ts';
import { PROVISIONAL } from '../../src/ledger/hit.ts';
import { networkName, visitorName } from '../../src/ledger/settle/actor.ts';
import { STORY_ACTIVITY } from './story-activity.ts';
import type { LoggedEvent } from './system.ts';

/** Fewer clicks of a user than these are filtered by no rule; nor are they regular, or many in a minute. */
const MIN_CLICKS = Math.min(STORY_ACTIVITY.everyClicks, STORY_ACTIVITY.intervals + 1, STORY_ACTIVITY.clicksAMinute + 1);
/** A hit that is settled with its repeats sees them; one at the edge of a day may see impressions of both days twice. */
const [SEEN_BESIDE, SEEN_TWICE] = [5, 2];
/** What the ledger remembers for certain, and does not halve. */
const REMEMBERED_MS = STORY_ACTIVITY.memoryMs - 2 * MS_PER_DAY;

/** What the rules over time may do with clicks, from what every visitor and network has done so far. */
export interface Clickers {
  /** Clicks that were provisional, and that are filtered in the end. */
  readonly counts: { readonly provisional: number; readonly filtered: number };
  /** Notes a hit in the order of the stream. */
  note(key: string, event: LoggedEvent): void;
  /** Why the click cannot be filtered, or cannot count, as it is; undefined: it may. */
  faultOf(key: string, event: LoggedEvent, options: { readonly isForgetful: boolean }): string | undefined;
}

interface Known {
  /** Of its user, and of its network, with this one. */
  readonly clicks: number;
  readonly ofNetwork: number;
  /** No person makes it, whatever its day was. */
  readonly isCertain: boolean;
  readonly wasProvisional: boolean;
}

export const createClickers = (): Clickers => {
  const clicks = new Map<string, number[]>();
  const shown = new Map<string, number>();
  const known = new Map<string, Known>();
  const noteClick = (name: string, atMs: number): readonly number[] => {
    const times = clicks.get(name) ?? [];
    if (name !== '') times.push(atMs);
    clicks.set(name, times);
    return times;
  };
  const counts = { provisional: 0, filtered: 0 };
  return {
    counts,
    note: (key, { hit, reason, atMs, isJudged = false }) => {
      const { ad, kind } = hit;
      if (reason === 'activity') counts.filtered++;
      if (reason === PROVISIONAL) counts.provisional++;
      const user = ad.userHash === null ? '' : visitorName(ad);
      if (kind === 'impression' && hit.invalidReason === '') shown.set(user, (shown.get(user) ?? 0) + 1);
      // What is filtered for another reason was never looked at.
      if (kind !== 'click' || hit.restored || isJudged || !(reason === '' || reason === 'activity' || reason === PROVISIONAL)) return;
      const times = noteClick(user, atMs);
      const ofNetwork = noteClick(networkName(ad), atMs).length;
      const lately = times.filter((time) => Math.abs(time - atMs) < REMEMBERED_MS).length;
      const most = SEEN_TWICE * (shown.get(user) ?? 0) + SEEN_BESIDE;
      const isCertain =
        lately === times.length &&
        lately <= STORY_ACTIVITY.maxHistoryClicks &&
        lately >= Math.max(MIN_CLICKS, STORY_ACTIVITY.everyShare * most);
      known.set(key, { clicks: times.length, ofNetwork, isCertain, wasProvisional: reason === PROVISIONAL });
    },
    faultOf: (key, { reason }, { isForgetful }) => {
      const of = known.get(key);
      if (!of) return undefined;
      const ordinal = `it is click ${of.clicks} of its user and ${of.ofNetwork} of its network`;
      if (reason === PROVISIONAL) return `it was never judged; ${ordinal}`;
      const mayBe = of.wasProvisional || of.clicks >= MIN_CLICKS || of.ofNetwork >= STORY_ACTIVITY.everyClicksOfNetwork;
      if (reason === 'activity' && !mayBe) return `it is a person's; ${ordinal}`;
      return reason === '' && of.isCertain && !isForgetful ? `it is no person's; ${ordinal}` : undefined;
    },
  };
};
