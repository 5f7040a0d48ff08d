import type { Request } from 'express';
import {
  LATEST_VAST,
  positionOfBreak,
  type PlayerRules,
  type PodRules,
  type VastVersion,
  type VideoRules,
} from '../../catalog/model/video-rules.ts';
import type { AskedPod } from '../openrtb/expand-pods.ts';
import { problem, type Problem } from '../problems/problem.ts';
import { localAddress } from '../request/local-address.ts';
import type { AskedTag } from './asked-tag.ts';

/** What the tag of a player says besides those of pages. */
export interface AskedPlayer {
  /** The address of this service. */
  readonly base: string;
  readonly version: VastVersion;
  /** What its placement says. */
  readonly rules: PlayerRules;
}

/** The ads that it asks for. */
export interface AskedBreak {
  readonly video: VideoRules;
  /** undefined: one ad. */
  readonly pod: AskedPod | undefined;
}

/** By what tags say; VAST 4.2 is for players of every 4. */
const VERSIONS: Readonly<Record<string, VastVersion>> = {
  ...{ 2: '2.0', '2.0': '2.0', 3: '3.0', '3.0': '3.0' },
  ...{ 4: '4.2', '4.0': '4.2', '4.1': '4.2', '4.2': '4.2', '4.3': '4.2' },
};

/** @param publicUrl the address of this service; '': that of the connection, in development; undefined: unknown in production */
export const askedPlayer = (
  publicUrl: string | undefined,
  { query, snapshot, publisher, tag }: AskedTag,
  req: Request,
): AskedPlayer | Problem => {
  const base = publicUrl === '' ? localAddress(req) : publicUrl;
  if (base === undefined) return problem('unavailable', 'PUBLIC_URL is not set, and every address in VAST must be absolute.');
  const placement = snapshot.placements.get(tag.placementId);
  const isOurs = placement?.publisherId === null || placement?.publisherId === publisher.id;
  const rules = (isOurs ? placement?.video : undefined) ?? NO_RULES;
  const given = filledIn(query, 'v');
  const version = given === undefined ? (rules.vast ?? LATEST_VAST) : Object.hasOwn(VERSIONS, given) ? VERSIONS[given]! : undefined;
  return version === undefined ? fault('/v', `must be one of ${Object.keys(VERSIONS).join(', ')}`) : { base, version, rules };
};

/** The break that a tag names by its number, else the pod of the placement. */
export const askedBreak = ({ rules, version }: AskedPlayer, { query }: AskedTag): AskedBreak | Problem => {
  const number = filledIn(query, 'break');
  const one = number === undefined ? undefined : rules.breaks?.[Number(number) - 1];
  if (number !== undefined && !one) return fault('/break', breakWords(rules));
  const position = one && positionOfBreak(one.at);
  return { video: { vast: version, position }, pod: podOf(one ?? rules.pod, one ? `break-${number}` : 'break') };
};

const NO_RULES: PlayerRules = {};

/** A macro that the page did not fill counts as absent. */
const filledIn = (query: URLSearchParams, name: string): string | undefined => {
  const given = query.get(name) ?? '';
  return given === '' || /^\[.*\]$/.test(given) ? undefined : given;
};

const fault = (pointer: string, detail: string): Problem => problem('invalid_request', 'The tag has a fault.', [{ pointer, detail }]);

const breakWords = ({ breaks = [] }: PlayerRules): string =>
  breaks.length === 0
    ? 'must be absent: the placement has no breaks'
    : `must be the number of a break of the placement, 1 to ${breaks.length}`;

const podOf = (rules: PodRules | undefined, id: string): AskedPod | undefined =>
  rules && { id, ads: rules.max_ads, maxMs: rules.max_duration * 1000 };
