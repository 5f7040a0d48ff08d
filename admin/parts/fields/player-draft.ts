import type { Break, PlayerRules } from '../../../src/catalog/model/video-rules.ts';
import { listOf, numberOf, textOf } from '../../bookings/forms/typed-text.ts';

/** What a player takes, as it is typed. */
export interface PlayerDraft {
  readonly position: string;
  readonly skip: string;
  readonly vast: string;
  readonly minDuration: string;
  readonly maxDuration: string;
  readonly perSecond: string;
  readonly mimes: readonly string[];
  readonly durations: readonly string[];
  readonly pod: PodDraft | undefined;
  readonly breaks: readonly BreakDraft[];
}

export interface PodDraft {
  readonly ads: string;
  readonly seconds: string;
}

export interface BreakDraft extends PodDraft {
  readonly at: string;
}

const podDraft = ({ max_ads, max_duration }: Partial<Break>): PodDraft => ({ ads: textOf(max_ads), seconds: textOf(max_duration) });
const podOf = ({ ads, seconds }: PodDraft) => ({ max_ads: numberOf(ads) ?? '', max_duration: numberOf(seconds) ?? '' });

export const playerDraft = (value: unknown): PlayerDraft => {
  const { position, skip, vast, min_duration, max_duration, min_cpm_per_second, mimes, durations, pod, breaks } = (value ??
    {}) as PlayerRules;
  return {
    ...{ position: textOf(position), skip: textOf(skip), vast: textOf(vast) },
    ...{ minDuration: textOf(min_duration), maxDuration: textOf(max_duration), perSecond: textOf(min_cpm_per_second) },
    ...{ mimes: listOf(mimes), durations: listOf(durations) },
    pod: pod && podDraft(pod),
    breaks: (breaks ?? []).map((one) => ({ at: one.at, ...podDraft(one) })),
  };
};

/** What is no number is sent as typed: the service says what is wrong. Without any rule it is null. */
export const playerOf = (draft: unknown): Readonly<Record<string, unknown>> | null => {
  const { position, skip, vast, minDuration, maxDuration, perSecond, mimes, durations, pod, breaks } = draft as PlayerDraft;
  const [min, max, price] = [minDuration, maxDuration, perSecond].map(numberOf);
  const rules = {
    ...(position !== '' && { position }),
    ...(min !== null && { min_duration: min }),
    ...(max !== null && { max_duration: max }),
    ...(durations.length > 0 && { durations: durations.map(numberOf) }),
    ...(skip !== '' && { skip }),
    ...(mimes.length > 0 && { mimes }),
    ...(vast !== '' && { vast }),
    ...(price !== null && { min_cpm_per_second: price }),
    ...(pod && { pod: podOf(pod) }),
    ...(breaks.length > 0 && { breaks: breaks.map((one) => ({ at: one.at.trim(), ...podOf(one) })) }),
  };
  return Object.keys(rules).length === 0 ? null : rules;
};
