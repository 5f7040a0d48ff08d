import { Router, type RequestHandler } from 'express';
import type { Knex } from 'knex';
import type { SecretBox } from '../base/secret-box.ts';
import type { RateOf } from '../bidders/currency-rates.ts';
import type { Addresses } from '../creative/absolute-address.ts';
import type { ToAdRequestOptions } from '../http/openrtb/to-ad-request.ts';
import type { DebugGrants } from '../http/request/debug-grants.ts';
import { createAnswerWriter } from '../http/openrtb/write-answer.ts';
import type { LogFields } from '../observability/log.ts';
import { createJudgeLimits, type DryLedgerOptions } from '../ledger/read/dry-ledger.ts';
import type { ServeAd } from '../serving/serve-ad.ts';
import type { Snapshot } from '../catalog/snapshot/snapshot.ts';
import type { DimensionSchema } from '../targeting/dimension-schema.ts';
import { notFound } from '../http/problems/error-handler.ts';
import type { Handlers } from '../api/route.ts';
import { idempotentCalls } from '../api/idempotent-calls.ts';
import { serveRoutes } from '../api/serve-routes.ts';
import { approvalRoutes } from '../approvals/approval-routes.ts';
import { createApprovalMails } from '../approvals/approval-mails.ts';
import type { StaffMail } from '../mail/staff-mail.ts';
import { createApprovalStore } from '../approvals/approval-store.ts';
import { bookingRoutes } from '../bookings/booking-routes.ts';
import { bookingDraftRoutes } from '../bookings/booking-draft-routes.ts';
import { createBookingDraftStore } from '../bookings/booking-draft-store.ts';
import { bulkRoutes } from '../bookings/bulk-routes.ts';
import { creativeCheckRoutes } from '../bookings/creative-check-routes.ts';
import { declarationRoutes } from '../declarations/declaration-routes.ts';
import { historyRoutes } from '../imports/history-routes.ts';
import { importRoutes } from '../imports/import-routes.ts';
import { auditRoutes } from '../bookings/audit-routes.ts';
import { dimensionRoutes } from '../bookings/dimension-routes.ts';
import { deliveryRoutes } from '../delivery/delivery-routes.ts';
import { explainRoutes } from '../delivery/explain/explain-routes.ts';
import { recordReportRoutes } from '../reports/record-report/record-report-routes.ts';
import { documentRoutes } from './document-routes.ts';
import { TRAFFICKING_API } from './trafficking-api.ts';
import { alertRoutes } from '../alerts/alert-routes.ts';
import type { AlertStore } from '../alerts/alert-store.ts';
import { assetRoutes } from '../assets/asset-routes.ts';
import type { CatalogWriter } from '../bookings/catalog-writer.ts';
import { mediaBuyRoutes } from '../buys/media-buy-routes.ts';
import { createBookMediaBuy } from '../buys/book-media-buy.ts';
import { createEntityReader } from '../bookings/entity-reader.ts';
import { createRecordReach } from '../bookings/record-scope.ts';
import { createNoteMentions, mentionRoutes } from '../people/mentions/mention-routes.ts';
import { createMentionStore } from '../people/mentions/mention-store.ts';
import type { People } from '../people/create-people.ts';
import { entityRoutes } from '../bookings/entity-routes.ts';
import { createExplain } from '../delivery/explain/explain.ts';
import { createCheckRecord } from '../bookings/check-record.ts';
import { createDraftBooking } from '../forecast/draft-booking.ts';
import { availabilityRoutes } from '../forecast/availability/availability-routes.ts';
import { createForecastStore } from '../forecast/forecast-store.ts';
import { forecastRoutes } from '../forecast/forecast-routes.ts';
import type { Forecasts } from '../forecast/forecasts.ts';
import { trafficEventRoutes } from '../forecast/traffic-event-routes.ts';
import { exportRoutes } from '../reports/export-routes.ts';
import { reportRoutes } from '../reports/report-routes.ts';
import { createFinance } from '../finance/finance.ts';
import { financeRoutes } from '../finance/finance-routes.ts';
import { savedReportRoutes, type SavedReportRoutesOptions } from '../reports/saved-report-routes.ts';
import { reportLinkRoutes } from '../reports/report-link-routes.ts';
import type { ReportLinkStore } from '../reports/report-link-store.ts';
import type { Reports } from '../reports/run-report.ts';
import type { ProofLinkStore } from '../proofing/proof-link-store.ts';
import { proofRoutes } from '../proofing/proof-routes.ts';
import type { ProofStore } from '../proofing/proof-store.ts';
import type { CountersSource } from '../delivery/read-counters.ts';
import { createReadDelivery } from '../delivery/read-delivery.ts';
import { createReadAttention } from '../delivery/attention/read-attention.ts';
import { commentRoutes } from '../bookings/comment-routes.ts';
import { createCommentStore } from '../bookings/comment-store.ts';
import { savedViewRoutes } from '../bookings/saved-view-routes.ts';
import { createSavedViewStore } from '../bookings/saved-view-store.ts';
import { createReadRefusals } from '../delivery/refusals/read-refusals.ts';
import { createReadPlacementRefusals } from '../delivery/refusals/read-placement-refusals.ts';
import type { RefusalStore } from '../events/postgres/refusal-store.ts';
import { createReadCampaignStatuses, createReadListed, createReadStatuses } from '../delivery/status/read-statuses.ts';
import { createReadFlow } from '../delivery/flow/read-flow.ts';
import { createReadListSums } from '../delivery/sums/read-list-sums.ts';
import { createJudgeList } from '../delivery/status/judge-list.ts';
import { answerStoreFaults } from '../api/store-faults.ts';

export interface TraffickingOptions {
  readonly knex: Knex;
  /** The connections of reports. */
  readonly reportKnex: Knex;
  /** Of the currencies of statements. */
  readonly rateOf: RateOf;
  readonly reports: Reports;
  readonly savedReports: Pick<SavedReportRoutesOptions, 'hasMail' | 'sendNow'>;
  readonly reportLinks: ReportLinkStore;
  readonly proofLinks: ProofLinkStore;
  readonly proofs: ProofStore;
  readonly alerts: AlertStore;
  /** Whether webhooks may be on private addresses. */
  readonly allowPrivateAddresses: boolean;
  readonly dimensions: DimensionSchema;
  readonly secretBox: SecretBox;
  readonly writer: CatalogWriter;
  readonly people: Pick<People, 'gate' | 'handlers'>;
  readonly publicUrl: string;
  /** undefined: SMTP_URL is not set. */
  readonly staffMail: StaffMail | undefined;
  readonly addresses: Addresses;
  /** Bytes of uploaded files that a publisher may have. */
  readonly maxStoredBytes: number;
  readonly allowedEvents: readonly string[];
  readonly currentSnapshot: () => Snapshot | undefined;
  /** Replicas that are running. */
  readonly countReplicas: () => number;
  /** Reads the ledger. */
  readonly counters: DryLedgerOptions & CountersSource;
  /** The decision with a ledger that takes nothing and bidders that get no notices. */
  readonly dryServeAd: ServeAd;
  readonly forecasts: Forecasts;
  readonly refusalStore: Pick<RefusalStore, 'read' | 'recent'>;
  /** How an ad request is parsed. */
  readonly asking: Omit<ToAdRequestOptions, 'dimensions'>;
  readonly debugGrants: DebugGrants;
  readonly onFailure: (fault: Error, fields: LogFields) => void;
}

/** The trafficking API: everything under /api. */
export const createTrafficking = (options: TraffickingOptions): RequestHandler => {
  const { knex, dimensions, people, publicUrl, allowedEvents, staffMail } = options;
  const { currentSnapshot, counters, asking, writer, onFailure } = options;
  const reading = { ...options, now: asking.now };
  const readListed = createReadListed(reading);
  const readStatuses = createReadStatuses(reading);
  const readCampaignStatuses = createReadCampaignStatuses(reading, readStatuses);
  const reader = createEntityReader({ knex });
  const reach = createRecordReach({ knex });
  const finance = createFinance({ knex: options.reportKnex, rateOf: options.rateOf });
  const statusesOf = { line_items: readStatuses, campaigns: readCampaignStatuses };
  const judgeList = createJudgeList({ ...reading, reader, readStatuses: statusesOf, version: () => currentSnapshot()?.version });
  const mentions = createMentionStore({ knex });
  const forecasting = { knex, currentSnapshot, now: asking.now, forecasts: options.forecasts, store: createForecastStore({ knex }) };
  const handlers: Handlers<typeof TRAFFICKING_API> = {
    ...bulkRoutes(writer, reach),
    ...bookingRoutes({ writer, reach, now: asking.now }),
    ...bookingDraftRoutes(createBookingDraftStore({ knex })),
    ...declarationRoutes({ knex, writer, dimensions }),
    ...mediaBuyRoutes({ knex, now: asking.now }),
    ...historyRoutes(options),
    ...importRoutes({ knex, writer, dimensions, maxStoredBytes: options.maxStoredBytes }),
    ...people.handlers,
    ...commentRoutes(createCommentStore({ knex }), createNoteMentions(mentions, staffMail)),
    ...mentionRoutes({ knex, mentions, proofs: options.proofs }),
    ...savedViewRoutes(createSavedViewStore({ knex })),
    ...auditRoutes({ knex }),
    ...dimensionRoutes({ dimensions }),
    ...creativeCheckRoutes({ knex }),
    ...assetRoutes(options),
    ...deliveryRoutes({
      ...{ knex, now: asking.now, readListed, readCampaignStatuses },
      readDelivery: createReadDelivery({ ...counters, ...reading, readListed }),
      readAttention: createReadAttention({ ...reading, readStatuses }),
      readFlow: createReadFlow({ knex }),
      readListSums: createReadListSums({ knex, reader, judgeList }),
      readRefusals: createReadRefusals(options),
      readPlacementRefusals: createReadPlacementRefusals(options),
    }),
    ...explainRoutes({
      ...options,
      ...asking,
      explain: createExplain(createJudgeLimits(counters)),
      writeAnswer: createAnswerWriter({ allowedEvents, tracking: undefined }),
    }),
    ...availabilityRoutes(forecasting),
    ...forecastRoutes({
      ...forecasting,
      checkRecord: createCheckRecord(options),
      draftBooking: createDraftBooking({ writer, reach, now: asking.now }),
    }),
    ...trafficEventRoutes({ knex }),
    ...recordReportRoutes({ knex, now: asking.now }),
    ...reportRoutes(options),
    ...exportRoutes(options),
    ...financeRoutes(finance),
    ...approvalRoutes({
      knex,
      writer,
      reach,
      finance,
      approvals: createApprovalStore({ knex }),
      bookMediaBuy: createBookMediaBuy({ reach, now: asking.now }),
      mails: staffMail && createApprovalMails(knex, staffMail),
    }),
    ...savedReportRoutes({ ...options, ...options.savedReports }),
    ...reportLinkRoutes({ knex, publicUrl, links: options.reportLinks }),
    ...proofRoutes({ knex, publicUrl, links: options.proofLinks, store: options.proofs }),
    ...alertRoutes({ ...options, hasMail: options.savedReports.hasMail }),
    ...documentRoutes({ allowedEvents, publicUrl }),
  };

  const router = Router();
  router.use(
    people.gate,
    idempotentCalls({ knex, now: asking.now, onFailure }),
    ...entityRoutes({ reader, writer, judgeList, reach }),
    serveRoutes(TRAFFICKING_API, handlers, reach),
  );
  router.use(notFound);
  router.use(answerStoreFaults(onFailure));
  return router;
};
