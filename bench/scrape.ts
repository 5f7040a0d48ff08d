import type { Server } from '../testkit/start-process.ts';

/** The service's own counters, by series name with its labels. */
export const scrape = async (server: Server): Promise<ReadonlyMap<string, number>> => {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );
};

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
