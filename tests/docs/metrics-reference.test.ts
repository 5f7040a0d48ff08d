import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createMetrics } from '../../src/observability/metrics.ts';
import { metricLabels } from '../../src/replica/metric-labels.ts';

const PAGE = readFileSync(path.resolve(__dirname, '../../docs/metrics.md'), 'utf8');

/** What a replica answers: the series of this service with their type, meaning and label values. */
const exposed = async (): Promise<{ readonly metrics: readonly string[]; readonly values: readonly string[] }> => {
  const metrics = createMetrics(metricLabels(['like'], ['kafka']));
  metrics.bidderCircuit('1a2b3c4d', 'closed');
  metrics.bidderShare('1a2b3c4d', 1);
  metrics.dealStep('gold', 'bids');
  metrics.placementStep('top', 'bids');
  const { body } = await metrics.render();
  const labels = new Map<string, Map<string, string[]>>();
  for (const [, name = '', list = ''] of body.matchAll(/^(adserver_\w+)\{(.*)\} /gm))
    for (const [, label = '', value = ''] of list.matchAll(/(\w+)="([^"]*)"/g)) {
      if (label === 'le') continue;
      const ofMetric = labels.get(name) ?? labels.set(name, new Map()).get(name)!;
      const values = ofMetric.get(label) ?? ofMetric.set(label, []).get(label)!;
      if (value !== 'other' && !values.includes(value)) values.push(value);
    }
  const typeOf = new Map([...body.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]));
  return {
    metrics: [...body.matchAll(/^# HELP (adserver_\S+) (.*)$/gm)].map(([, name = '', help]) => {
      const names = [...(labels.get(name)?.keys() ?? [])].map((label) => `\`${label}\``);
      return `| \`${name}\` | ${typeOf.get(name)} | ${names.join(', ')} | ${help} |`;
    }),
    values: [...labels].flatMap(([name, ofMetric]) =>
      [...ofMetric]
        // Bidders, bookings and settings decide the first ones; docs/api.md has the reasons of the last.
        .filter(
          ([label]) =>
            !['bidder', 'deal', 'placement', 'sink'].includes(label) &&
            name !== 'adserver_custom_events_total' &&
            name !== 'adserver_no_bids_total',
        )
        .map(([label, values]) => `| \`${name}\` | \`${label}\` | ${values.map((value) => `\`${value}\``).join(', ')} |`),
    ),
  };
};

test('docs/metrics.md has a row for each metric of /metrics with its type, labels and meaning, and their values', async () => {
  const { metrics, values } = await exposed();
  const rows = PAGE.split('\n').filter((line) => line.startsWith('| `adserver_'));
  expect(metrics.length).toBeGreaterThan(50);
  expect(rows.sort()).toEqual([...metrics, ...values].sort());
});

test('the queries of docs/metrics.md name metrics that exist', async () => {
  const { metrics } = await exposed();
  const queries = [...PAGE.matchAll(/^\| [^|`]+ \| (`.*\(.*`) .*\|$/gm)].map(([, query = '']) => query);
  expect(queries.length).toBeGreaterThan(4);
  for (const [name] of queries.join(' ').matchAll(/\badserver_\w+/g))
    expect(metrics.join('\n')).toContain(`| \`${name.replace(/_bucket$/, '')}\` |`);
});
