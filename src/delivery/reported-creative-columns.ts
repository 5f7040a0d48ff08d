import type { ReportedCreative } from '../tracking/report-store.ts';
import type { Columns, Shown } from '../api/columns.ts';
import * as s from '../base/schema.ts';

/** The fields of a row of GET /api/complaints, which counts quality reports. */
export const REPORTED_CREATIVE_COLUMNS = {
  creative_id: { schema: s.integer, of: ({ creativeId }) => creativeId },
  line_item_id: { schema: s.integer, of: ({ lineItemId }) => lineItemId },
  publisher_id: { schema: s.integer, of: ({ publisherId }) => publisherId },
  total: { schema: s.count, of: ({ total }) => total },
  reasons: { schema: s.countsByName, of: ({ reasons }) => reasons },
  last_at: { schema: s.moment, of: ({ lastAt }) => lastAt.toISOString() },
  blocked_at: { schema: s.orNull(s.text), of: ({ blockedAt }) => blockedAt?.toISOString() ?? null },
  deleted: { schema: s.boolean, of: ({ deleted }) => deleted },
  placement_id: { schema: s.orNull(s.text), of: ({ placementId }) => placementId },
  placement_ids: { schema: s.listOf(s.text), of: ({ placementIds }) => placementIds },
  line_item: { schema: s.orNull(s.text), of: ({ lineItem }) => lineItem },
  advertiser_domain: { schema: s.orNull(s.text), of: ({ advertiserDomain }) => advertiserDomain },
} satisfies Columns<ReportedCreative>;

/** A row of GET /api/complaints. */
export type ReportedCreativeRow = Shown<typeof REPORTED_CREATIVE_COLUMNS>;
