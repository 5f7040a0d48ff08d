import { VIDEO_EVENT_LABELS } from '../../catalog/model/video-events.ts';
import { closedRecord, described, oneOf, record, text } from '../../base/schema.ts';
import { REPORT_REASONS } from '../../tracking/report-store.ts';
import { component } from '../component.ts';
import { ownQuery, required } from '../parameters.ts';
import { at, created, defineRoutes, file, ownBody, PUBLIC } from '../route.ts';

const token = { t: required(ownQuery(text, 'The token of the tracking URL')) };
const gif = file('A transparent 1×1 GIF; repeated calls are counted once', { 'image/gif': {} });
const TRACKING_PROBLEMS = ['invalid_token', 'unavailable'] as const;

/** What a page or the SDK calls after an ad was rendered. Served by src/http. */
export const trackingApi = (allowedEvents: readonly string[]) =>
  defineRoutes({
    trackImpression: {
      ...at('GET', '/impression', 'tracking', PUBLIC),
      summary: 'Record an impression; counted and billed once per token',
      ...{ parameters: token, answer: gif, problems: TRACKING_PROBLEMS },
    },
    trackClick: {
      ...at('GET', '/click', 'tracking', PUBLIC),
      summary: 'Record a click',
      parameters: token,
      answer: { ...gif, others: { 302: { description: 'Redirects to the click_url of the creative, when it has one' } } },
      problems: TRACKING_PROBLEMS,
    },
    trackEvent: {
      ...at('GET', '/event', 'tracking', PUBLIC),
      summary: 'Record a custom event',
      parameters: {
        ...token,
        type: required(ownQuery(oneOf([...allowedEvents, ...VIDEO_EVENT_LABELS]), 'Checked before the token; the events of VAST, too')),
        code: ownQuery(text, 'Of type error: the code of VAST'),
      },
      answer: gif,
      problems: ['unknown_event_type', ...TRACKING_PROBLEMS],
    },
    reportAdQuality: {
      ...at('POST', '/report', 'tracking', PUBLIC),
      summary: 'Report the quality of an ad',
      body: ownBody(
        component(
          'QualityReport',
          closedRecord({ token: described(text, 'The token of any tracking URL'), reason: oneOf(REPORT_REASONS) }),
          {
            ...{ token: 'eyJ…', reason: 'misleading' },
          },
        ),
      ),
      answer: created(
        'Stored; the same token returns the same id',
        component('StoredReport', record({ id: text }), { id: '2f1c7f0e-6a55-4a0c-9f0b-1d6d0c1f7a11' }),
      ),
      problems: ['invalid_token', 'too_many_requests', 'unavailable'],
    },
  });
