import type { Request } from 'express';
import type { CreativeFormat } from '../../catalog/model/choices.ts';
import type { Publisher } from '../../catalog/model/entities.ts';
import { acceptsOrigin } from '../../catalog/model/origins.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import type { VideoRules } from '../../catalog/model/video-rules.ts';
import type { AdRequest } from '../../serving/ad-request.ts';
import type { AdAnswer } from '../../serving/serve-ad.ts';
import { expandPods, type AskedPod } from '../openrtb/expand-pods.ts';
import { readTag, tagTerms, type ReadTag } from '../openrtb/read-tag.ts';
import { toAdRequest } from '../openrtb/to-ad-request.ts';
import { writeTrace } from '../openrtb/write-trace.ts';
import { problem, type Problem } from '../problems/problem.ts';
import { pageOrigin } from '../request/hit-source.ts';
import { disclosureTo, type AdRouteOptions } from './ad.ts';

type AskingOptions = Omit<AdRouteOptions, 'writeAnswer'>;

/** What a tag asks for, checked. */
export interface AskedTag {
  readonly snapshot: Snapshot;
  readonly publisher: Publisher;
  readonly query: URLSearchParams;
  readonly tag: ReadTag;
}

export const queryOf = ({ url }: Request): URLSearchParams => new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');

/**
 * The publisher of `key`, or of `publisher` when it lists its origins, as for auctions. A page that
 * names itself must be one of them; mail programs name none.
 */
export const askedTag = ({ currentSnapshot, authenticate, dimensions }: AskingOptions, req: Request): AskedTag | Problem => {
  const snapshot = currentSnapshot();
  if (!snapshot) return problem('unavailable', 'The campaign data has not been loaded yet.');
  const query = queryOf(req);
  const key = query.get('key');
  const named = key === null ? snapshot.publishers.get(Number(query.get('publisher_id') ?? query.get('publisher'))) : undefined;
  const publisher = key === null ? (named && named.origins.size > 0 ? named : undefined) : authenticate(snapshot, key);
  if (!publisher) return problem('unauthorized', UNKNOWN_CALLER);
  if (!acceptsOrigin(publisher.origins, pageOrigin(req) ?? undefined)) return problem('origin_not_allowed', FOREIGN_ORIGIN);
  const tag = readTag(query, dimensions);
  return 'faults' in tag ? problem('invalid_request', 'The tag has a fault.', tag.faults) : { snapshot, publisher, query, tag };
};

const UNKNOWN_CALLER = 'The tag must have the key of the publisher, or the id of a publisher that lists the web origins of its pages.';
export const FOREIGN_ORIGIN = 'The publisher lists the web origins of its pages, and the origin of this page is not one of them.';

/** What a kind of tag takes. */
export interface TagKind {
  readonly formats: readonly CreativeFormat[];
  /** undefined: the life of the token. */
  readonly maxHoldMs?: number | undefined;
  /** What the player reads and where in a film it is; of tags of players. */
  readonly video?: VideoRules | undefined;
  /** undefined: one ad. */
  readonly pod?: AskedPod | undefined;
}

/** Decides the one impression of a tag, or the ads of its pod. */
export const serveTag = async (
  options: AskingOptions,
  { snapshot, publisher, tag }: AskedTag,
  req: Request,
  { formats, maxHoldMs, video, pod }: TagKind,
): Promise<{ readonly request: AdRequest; readonly answer: AdAnswer }> => {
  const started = performance.now();
  options.observe.requested();
  const wire = tag.toRequest(publisher.id);
  const { imp, terms } = expandPods(wire.imp, tagTerms(formats, video), () => pod);
  const request = toAdRequest(options, snapshot, publisher, { ...wire, imp }, req, { maxHoldMs, terms });
  const answer = await options.serveAd(snapshot, request);
  options.observe.answered(answer, (performance.now() - started) / 1000);
  return { request, answer };
};

/** The trace as JSON text; '': none was asked for. */
export const traceOfTag = (options: AskingOptions, { trace }: AdAnswer, { publisher }: AskedTag, req: Request): string =>
  trace ? writeTrace(trace, disclosureTo(options, req, publisher)) : '';
