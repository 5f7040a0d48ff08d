import { AUDIO_TYPES, VIDEO_TYPES } from '../../catalog/model/video-ad.ts';
import { VAST_VERSIONS, type VastVersion } from '../../catalog/model/video-rules.ts';
import type { AskedImp } from './read-bid-response.ts';

/** What a player takes, as far as it says. */
export interface Played extends Pick<AskedImp, 'pod'> {
  readonly players: NonNullable<AskedImp['players']>;
  /** Units of the bidder's currency for one of the publisher's. */
  readonly rate: number;
}

const LINEAR = 1;
/** OpenRTB's lists: where a video plays and when (2.6, 3.2.7). */
const POSITIONS = {
  pre: { plcmt: 1, startdelay: 0 },
  mid: { plcmt: 1, startdelay: -1 },
  post: { plcmt: 1, startdelay: -2 },
  outstream: { plcmt: 4 },
} as const;

/** OpenRTB 2.6, 3.2.7, without its size. */
export const videoOf = (played: Played): object => ({ ...playerOf(played, VIDEO_TYPES), ...positionOf(played), linearity: LINEAR });

/** OpenRTB 2.6, 3.2.8. */
export const audioOf = (played: Played): object => playerOf(played, AUDIO_TYPES);

/** AdCOM's list, without and with wrappers. A player of 4.2 reads every 4: the elements of 4.3 are the same. */
const PROTOCOLS: Readonly<Record<VastVersion, readonly number[]>> = {
  ...{ '2.0': [2, 5], '3.0': [3, 6] },
  '4.2': [7, 8, 11, 12, 13, 14, 15, 16],
};

/** The strictest of what its rules say. */
const playerOf = (played: Played, types: readonly string[]): object => {
  const rules = rulesOf(played);
  const min = Math.max(0, ...rules.map((rule) => rule.min_duration ?? 0));
  const max = Math.min(Infinity, ...rules.map((rule) => rule.max_duration ?? Infinity));
  const durations = rules.find((rule) => (rule.durations ?? []).length > 0)?.durations;
  const asked = rules.flatMap(({ mimes = [] }) => (mimes.length > 0 ? [mimes.map((mime) => mime.toLowerCase())] : []));
  const mimes = types.filter((type) => asked.every((of) => of.includes(type.toLowerCase())));
  const newest = Math.min(...rules.map(({ vast }) => (vast === undefined ? Infinity : VAST_VERSIONS.indexOf(vast))));
  return {
    // A player of types that no browser plays is asked for as it is.
    mimes: mimes.length > 0 ? mimes : (asked[0] ?? types),
    // The standard has lengths in place of a range.
    ...(durations === undefined && min > 0 && { minduration: Math.ceil(min) }),
    ...(durations === undefined && max < Infinity && { maxduration: Math.floor(max) }),
    ...(durations !== undefined && { rqddurs: durations }),
    protocols: VAST_VERSIONS.filter((_, i) => i <= newest)
      .flatMap((version) => PROTOCOLS[version])
      .toSorted((a, b) => a - b),
    ...podOf(played),
  };
};

const rulesOf = ({ players }: Played) => players.filter((rule) => rule !== null && rule !== undefined);

const positionOf = (played: Played): object => {
  const position = positionIn(played);
  const skips = rulesOf(played).map(({ skip }) => skip);
  return {
    ...(position !== undefined && POSITIONS[position]),
    ...(skips.includes('required') ? { skip: 1 } : skips.includes('forbidden') ? { skip: 0 } : {}),
  };
};

/** Of the break, else of the placement. */
const positionIn = (played: Played) => rulesOf(played).find(({ position }) => position !== undefined)?.position;

/** OpenRTB's lists of places in a pod, and of pods in a film: the first, the last, any. */
const [FIRST, LAST, ANY] = [1, -1, 0];

/** Each ad of a pod is asked for as a separate impression. */
const podOf = (played: Played): object => {
  const { pod, rate } = played;
  const perSecond = Math.max(0, ...rulesOf(played).map((rule) => rule.min_cpm_per_second ?? 0));
  const position = positionIn(played);
  return {
    ...(pod && {
      podid: pod.name,
      podseq: position === 'pre' ? FIRST : position === 'post' ? LAST : ANY,
      slotinpod: pod.slot === 1 ? FIRST : pod.slot === pod.slots ? LAST : ANY,
    }),
    ...(perSecond > 0 && { mincpmpersec: Math.ceil(perSecond * rate * 1e6) / 1e6 }),
  };
};
