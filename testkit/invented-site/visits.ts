import { createHash } from 'node:crypto';
import type { Publisher } from '../../src/catalog/model/entities.ts';
import type { Consent } from '../../src/context/consent/consent.ts';
import type { AdRequest } from '../../src/serving/ad-request.ts';
import { targetingQuery } from '../../src/targeting/targeting-query.ts';
import { halfHourAt, hoursOffered } from '../../src/targeting/week-hours.ts';
import type { PageView } from './life.ts';

const NO_DIMENSIONS = new Map();
const ALLOWED: Consent = { remember: null, measure: null, profile: null, shareWith: () => null };
const REFUSED: Consent = { remember: 'tcf', measure: 'tcf', profile: 'tcf', shareWith: () => 'tcf' };

/** A page view of the invented site as the request that `/ad` makes of it. */
export const requestOf = (publisher: Publisher, { atMs, visitor, section, places, number }: PageView): AdRequest => {
  const hours = halfHourAt(atMs, 0);
  const { country, device, consents, name } = visitor;
  const context = { country, device };
  return {
    id: `v${number}`,
    publisher,
    imps: places.map(({ id }, i) => ({
      ...{ impId: String(i), placementId: id, width: null, height: null, otherSizes: [], targeting: undefined, terms: undefined },
    })),
    query: {
      targeting: targetingQuery(NO_DIMENSIONS, context, { section }, (kind) =>
        kind === 'schedule' ? [...hoursOffered('publisher', hours), ...hoursOffered('visitor', hours)] : [],
      ),
      atMs,
      mayRemember: consents,
    },
    userHash: consents ? createHash('sha256').update(name).digest('base64url').slice(0, 22) : null,
    sessionUser: null,
    consent: consents ? ALLOWED : REFUSED,
    pageView: undefined,
    pagePlacements: [],
    hasSegments: false,
    client: undefined,
    seal: undefined,
    bidContext: undefined as never,
    visitor: { country, device, browser: null },
    maxHoldMs: undefined,
    traced: false,
  };
};
