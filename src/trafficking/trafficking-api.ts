import { APPROVAL_API } from '../approvals/approval-api.ts';
import { ALERT_API } from '../alerts/alert-api.ts';
import { AD_API } from '../api/public/ad-api.ts';
import { AUCTION_API } from '../api/public/auction-api.ts';
import { OPERATIONS_API } from '../api/public/operations-api.ts';
import { trackingApi } from '../api/public/tracking-api.ts';
import { component } from '../api/component.ts';
import { at, defineRoutes, METHODS, OF_ONESELF, ok, type RouteTable } from '../api/route.ts';
import { ASSET_API } from '../assets/asset-api.ts';
import * as s from '../base/schema.ts';
import { AUDIT_API } from '../bookings/audit-api.ts';
import { BOOKING_API } from '../bookings/booking-api.ts';
import { BOOKING_DRAFT_API } from '../bookings/booking-draft-api.ts';
import { BULK_API } from '../bookings/bulk-api.ts';
import { CREATIVE_CHECK_API } from '../bookings/creative-check-api.ts';
import { DECLARATION_API } from '../declarations/declaration-api.ts';
import { COMMENT_API } from '../bookings/comment-api.ts';
import { DIMENSION_API } from '../bookings/dimension-api.ts';
import { MEDIA_BUY_API } from '../buys/media-buy-api.ts';
import { ENTITY_API } from '../bookings/entity-api.ts';
import { SAVED_VIEW_API } from '../bookings/saved-view-api.ts';
import { DELIVERY_API } from '../delivery/delivery-api.ts';
import { EXPLAIN_API } from '../delivery/explain/explain-api.ts';
import { FINANCE_API } from '../finance/finance-api.ts';
import { AVAILABILITY_API } from '../forecast/availability/availability-api.ts';
import { FORECAST_API } from '../forecast/forecast-api.ts';
import { TRAFFIC_EVENT_API } from '../forecast/traffic-event-api.ts';
import { HISTORY_API } from '../imports/history-api.ts';
import { IMPORT_API } from '../imports/import-api.ts';
import { MENTION_API } from '../people/mentions/mention-api.ts';
import { AUTH_API, PEOPLE_API } from '../people/people-api.ts';
import { PROOF_API } from '../proofing/proof-api.ts';
import { SHARED_PROOF_API } from '../proofing/shared-proof-api.ts';
import { EXPORT_API } from '../reports/export-api.ts';
import { RECORD_REPORT_API } from '../reports/record-report/record-report-api.ts';
import { REPORT_API, SHARED_REPORT_API } from '../reports/report-api.ts';
import { REPORT_LINK_API } from '../reports/report-link-api.ts';
import { SAVED_REPORT_API } from '../reports/saved-report-api.ts';

const ALLOWED_ROUTE = component('AllowedRoute', s.record({ method: s.oneOf(METHODS), path: s.text }), {
  ...{ method: 'GET', path: '/api/campaigns/{id}' },
});

export const DOCUMENT_API = defineRoutes({
  getOpenApiDocument: {
    ...at('GET', '/api/openapi.json', 'delivery', OF_ONESELF),
    summary: 'This document',
    answer: ok('OpenAPI 3.1', s.anyObject()),
  },
  listMyRoutes: {
    ...at('GET', '/api/me/routes', 'people', OF_ONESELF),
    summary: 'The routes that the caller may call. A record that is not its own may be refused all the same.',
    answer: ok('Routes', s.listOf(ALLOWED_ROUTE)),
  },
});

/** The trafficking API, but for the records of the catalog, whose routes each entity has. */
export const TRAFFICKING_API = {
  ...ASSET_API,
  ...DELIVERY_API,
  ...RECORD_REPORT_API,
  ...AUDIT_API,
  ...DIMENSION_API,
  ...DOCUMENT_API,
  ...REPORT_API,
  ...SAVED_REPORT_API,
  ...REPORT_LINK_API,
  ...PROOF_API,
  ...FINANCE_API,
  ...EXPORT_API,
  ...ALERT_API,
  ...COMMENT_API,
  ...MENTION_API,
  ...SAVED_VIEW_API,
  ...EXPLAIN_API,
  ...FORECAST_API,
  ...AVAILABILITY_API,
  ...TRAFFIC_EVENT_API,
  ...BULK_API,
  ...CREATIVE_CHECK_API,
  ...BOOKING_API,
  ...BOOKING_DRAFT_API,
  ...DECLARATION_API,
  ...HISTORY_API,
  ...IMPORT_API,
  ...MEDIA_BUY_API,
  ...PEOPLE_API,
  ...APPROVAL_API,
};

/** What staff may call, by operationId. */
export const STAFF_API: RouteTable = { ...ENTITY_API, ...TRAFFICKING_API };

/** Every route of the service, by operationId. */
export const allRoutes = (allowedEvents: readonly string[]): RouteTable => ({
  ...AD_API,
  ...AUCTION_API,
  ...trackingApi(allowedEvents),
  ...OPERATIONS_API,
  ...STAFF_API,
  ...SHARED_REPORT_API,
  ...SHARED_PROOF_API,
  ...AUTH_API,
});
