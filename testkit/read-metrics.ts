/** All series of a replica's /metrics, by name with labels. */
export const readMetrics = async ({ url }: { readonly url: string }): Promise<ReadonlyMap<string, number>> => {
  const text = await (await fetch(`${url}/metrics`)).text();
  return new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );
};

/** One series; NaN: there is none. */
export const readMetric = async (replica: { readonly url: string }, series: string): Promise<number> =>
  (await readMetrics(replica)).get(series) ?? NaN;
