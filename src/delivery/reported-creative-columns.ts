import type { ReportedCreative } from '../tracking/report-store.ts';
import type { Columns, Shown } from '../api/columns.ts';
import { boolean, count, countsByName, integer, listOf, moment, orNull, text } from '../base/schema.ts';

/** The fields of a row of GET /api/complaints, which counts quality reports. */
export const REPORTED_CREATIVE_COLUMNS = {
  creative_id: { schema: integer, of: ({ creativeId }) => creativeId },
  line_item_id: { schema: integer, of: ({ lineItemId }) => lineItemId },
  publisher_id: { schema: integer, of: ({ publisherId }) => publisherId },
  total: { schema: count, of: ({ total }) => total },
  reasons: { schema: countsByName, of: ({ reasons }) => reasons },
  last_at: { schema: moment, of: ({ lastAt }) => lastAt.toISOString() },
  blocked_at: { schema: orNull(text), of: ({ blockedAt }) => blockedAt?.toISOString() ?? null },
  deleted: { schema: boolean, of: ({ deleted }) => deleted },
  placement_id: { schema: orNull(text), of: ({ placementId }) => placementId },
  placement_ids: { schema: listOf(text), of: ({ placementIds }) => placementIds },
  line_item: { schema: orNull(text), of: ({ lineItem }) => lineItem },
  advertiser_domain: { schema: orNull(text), of: ({ advertiserDomain }) => advertiserDomain },
} satisfies Columns<ReportedCreative>;

/** A row of GET /api/complaints. */
export type ReportedCreativeRow = Shown<typeof REPORTED_CREATIVE_COLUMNS>;
