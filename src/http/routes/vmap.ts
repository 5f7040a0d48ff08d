import type { RequestHandler } from 'express';
import { positionOfBreak, type PlayerRules, type VideoPosition } from '../../catalog/model/video-rules.ts';
import { composeVmap, type AdBreak } from '../../creative/vast/compose-vmap.ts';
import { pageCors } from '../answers/cors.ts';
import { sendProblem } from '../problems/problem.ts';
import { askedPlayer, type AskedPlayer } from './asked-player.ts';
import { askedTag } from './asked-tag.ts';
import { sendXml } from './send-xml.ts';
import type { VastRouteOptions } from './vast.ts';

/**
 * GET /vmap: the breaks of a film on a placement (VMAP 1.0.1). Each names the tag of its ads, so that
 * nothing is selected or held for a break before the film reaches it.
 */
export const vmapRoute = (options: VastRouteOptions): RequestHandler =>
  function answerVmap(req, res) {
    const asked = askedTag(options, req);
    if ('status' in asked) return sendProblem(res, asked, pageCors(req));
    const player = askedPlayer(options.publicUrl, asked, req);
    if ('status' in player) return sendProblem(res, player, pageCors(req));
    sendXml(req, res, composeVmap(player.version, breaksOf(player, queryWithoutBreak(req.url))));
  };

/** A film without named breaks has one, where its placement is. */
const OFFSETS: Readonly<Record<VideoPosition, string>> = { pre: 'start', mid: '50%', post: 'end', outstream: 'start' };

const breaksOf = ({ base, rules }: AskedPlayer, query: string): readonly AdBreak[] => {
  const tag = `${base}/vast?${query}`;
  const { breaks = [], position = 'pre' } = rules satisfies PlayerRules;
  return breaks.length === 0
    ? [{ timeOffset: OFFSETS[position], id: position, tag }]
    : breaks.map(({ at }, i) => ({ timeOffset: at, id: `${positionOfBreak(at)}-${i + 1}`, tag: `${tag}&break=${i + 1}` }));
};

/** As it was given: the player fills in the macros that are left. */
const queryWithoutBreak = (url: string): string =>
  url
    .slice(url.indexOf('?') + 1)
    .split('&')
    .filter((part) => !/^break(=|$)/.test(part))
    .join('&');
