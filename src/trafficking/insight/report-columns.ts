/** Counts and what follows from them. Money in USD; rates are shares (0.01 is one percent), 0 where nothing was shown. */
export interface ReportFigures {
  readonly serves: number;
  readonly impressions: number;
  readonly clicks: number;
  readonly ctr: number;
  readonly events: Readonly<Record<string, number>>;
  readonly spend: number;
  readonly ecpm: number;
}

export interface ReportRow extends ReportFigures {
  readonly day: string;
  readonly line_item_id: number;
  /** null: it has been deleted since. */
  readonly line_item: string | null;
  readonly creative_id: number;
}

/** The answer of GET /api/campaigns/{id}/report, here and on the trafficking page. */
export interface CampaignReport {
  readonly campaign_id: number;
  readonly from: string;
  readonly to: string;
  readonly rows: readonly ReportRow[];
  readonly totals: ReportFigures;
}
