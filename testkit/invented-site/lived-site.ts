import { MS_PER_DAY, MS_PER_HOUR } from '../../src/base/utc-day.ts';
import type { CatalogRow, CatalogTable } from '../../src/catalog/model/catalog-reading.ts';
import type { Snapshot } from '../../src/catalog/snapshot/snapshot.ts';
import { sampleRequest } from '../../src/forecast/sample/sample-request.ts';
import type { SampledRequest } from '../../src/forecast/sample/sampled-request.ts';
import type { AdRequest } from '../../src/serving/ad-request.ts';
import { createShares, isChosen } from '../../src/serving/visitor-shares.ts';
import { readingOf, snapshotOf } from '../catalog-reading.ts';

/** What a forecast knows of days that were lived: the sample, and whole counts by placement and day. */
export const createLivedSite = (sampleWeight: number) => {
  const history = new Map<string, Map<number, number>>();
  const sample: SampledRequest[] = [];
  const hourly = Array.from({ length: 24 }, () => 0);
  const shares = createShares(1);
  shares.adapt(new Map([[1, sampleWeight]]));
  const share = shares.of(1);
  return {
    history,
    sample,
    note: (request: AdRequest): void => {
      const { imps, query, userHash } = request;
      const day = Math.floor(query.atMs / MS_PER_DAY);
      for (const { placementId } of imps) {
        const days = history.get(placementId) ?? new Map<number, number>();
        history.set(placementId, days.set(day, (days.get(day) ?? 0) + 1));
      }
      hourly[Math.floor((query.atMs % MS_PER_DAY) / MS_PER_HOUR)]! += imps.length;
      const chosen = userHash === null ? ++share.passed >= share.weight : isChosen(share, userHash);
      if (!chosen) return;
      if (userHash === null) share.passed = 0;
      sample.push(...sampleRequest(request, share.weight, 'key'));
    },
    /** The catalog of these rows, with the curve of the days until now. */
    snapshotAt: (rows: Readonly<Record<CatalogTable, readonly CatalogRow[]>>, nowMs: number): Promise<Snapshot> =>
      snapshotOf(readingOf({ rows: (table: CatalogTable) => rows[table], hourlyImpressions: new Map([[1, [...hourly]]]) }), { nowMs }),
  };
};
