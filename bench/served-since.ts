/** Since `before`: how often ads were asked for, how many were served, and what failed. */
export const servedSince = (before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>) => {
  const since = (series: string): number => (after.get(series) ?? 0) - (before.get(series) ?? 0);
  return {
    requests: since('adserver_ad_requests_total'),
    served: since('adserver_ad_served_total'),
    errors: since('adserver_errors_total'),
    fallbacks: since('adserver_store_fallback_total{store="redis"}'),
  };
};
