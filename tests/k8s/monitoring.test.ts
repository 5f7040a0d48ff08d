import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { createMetrics } from '../../src/observability/metrics.ts';
import { metricLabels } from '../../src/replica/metric-labels.ts';
import { readPromql } from './read-promql.ts';
import { K8S } from './rendered.ts';

const MONITORING = path.join(K8S, 'components/monitoring');

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook_url: string };
}
interface Panel {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
  readonly fieldConfig?: { readonly defaults: { readonly thresholds?: { readonly steps: readonly { readonly value: number | null }[] } } };
}
interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly panels: readonly Panel[];
}

const alerts = (
  parse(readFileSync(path.join(MONITORING, 'alerts.yaml'), 'utf8')) as { spec: { groups: { rules: Alert[] }[] } }
).spec.groups.flatMap(({ rules }) => rules);
const dashboards = readdirSync(path.join(MONITORING, 'dashboards')).map(
  (name) => JSON.parse(readFileSync(path.join(MONITORING, 'dashboards', name), 'utf8')) as Dashboard,
);
const expressionsOf = (panels: readonly Panel[]): readonly string[] =>
  panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
const expressions = [...alerts.map(({ expr }) => expr), ...dashboards.flatMap(({ panels }) => expressionsOf(panels))];

/** Labels that Prometheus adds to every series. */
const SCRAPED = ['namespace', 'pod'];

/** The series that a replica exposes: by name as a query writes it, the values of each label. */
const exposed = async (): Promise<ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>> => {
  const metrics = createMetrics(metricLabels(['like'], ['kafka']));
  metrics.bidderCircuit('bidder-1', 'closed');
  metrics.bidderShare('bidder-1', 1);
  metrics.dealStep('gold', 'bids');
  metrics.placementStep('top', 'bids');
  const { body } = await metrics.render();
  const series = new Map<string, Map<string, Set<string>>>();
  for (const [, name = '', type] of body.matchAll(/^# TYPE (\S+) (\S+)$/gm))
    for (const suffix of type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']) series.set(name + suffix, new Map());
  for (const [, name = '', list = ''] of body.matchAll(/^(\w+)\{(.*)\} /gm)) {
    const labels = series.get(name)!;
    for (const [, label = '', value = ''] of list.matchAll(/(\w+)="([^"]*)"/g))
      labels.set(label, new Set([...(labels.get(label) ?? []), value]));
  }
  return series;
};

test('every expression parses, and uses only series, labels and values that a replica exposes', async () => {
  const series = await exposed();
  for (const expr of expressions) {
    const { selectors, groupings } = readPromql(expr);
    expect(selectors.length).toBeGreaterThan(0);
    for (const selector of selectors) {
      expect([...series.keys()]).toContain(selector.series);
      for (const { label, values } of selector.matchers.filter((matcher) => matcher.label !== 'namespace')) {
        const known = [...(series.get(selector.series)?.get(label) ?? [])];
        for (const value of values) expect([expr, label, known]).toEqual([expr, label, expect.arrayContaining([value])]);
      }
    }
    for (const { labels, series: below } of groupings) {
      const known = below.flatMap((name) => [...(series.get(name)?.keys() ?? [])]);
      expect([...SCRAPED, ...known]).toEqual(expect.arrayContaining([...labels]));
    }
  }
});

test.each(['sum(adserver_ready', 'sum by namespace (adserver_ready)', 'adserver_ready{pod=}', 'rate(adserver_ready[5 m)'])(
  'an expression that Prometheus would refuse is found: %s',
  (expr) => expect(() => readPromql(expr)).toThrow(SyntaxError),
);

test('every series of the service is on a board', async () => {
  const shown = new Set(
    dashboards.flatMap(({ panels }) => expressionsOf(panels)).flatMap((expr) => readPromql(expr).selectors.map(({ series }) => series)),
  );
  const measured = [...(await exposed()).keys()].filter((name) => name.startsWith('adserver_') && !/_(sum|count)$/.test(name));
  expect(measured.filter((name) => !shown.has(name))).toEqual([]);
});

test('a panel turns red where the alert on its series fires', () => {
  const colored = dashboards.flatMap(({ panels }) => panels).filter(({ fieldConfig }) => fieldConfig?.defaults.thresholds);
  expect(colored.length).toBeGreaterThan(15);
  for (const { title, targets = [], fieldConfig } of colored) {
    const series = targets.flatMap(({ expr }) => readPromql(expr).selectors.map((selector) => selector.series));
    const onSeries = alerts.filter(({ expr }) => readPromql(expr).selectors.some((selector) => series.includes(selector.series)));
    // More than none is one or more.
    const limits = onSeries.flatMap(({ expr }) => [...expr.matchAll(/(?:>|<|==) ([\d.]+)/g)].map(([, limit]) => Number(limit) || 1));
    const steps = fieldConfig!.defaults.thresholds!.steps.flatMap(({ value }) => value ?? []);
    expect([title, limits]).toEqual([title, expect.arrayContaining(steps)]);
  }
});

test('every alert has a severity, a summary and a section of docs/operations.md that its runbook_url leads to, and no section is left over', () => {
  const operations = readFileSync(path.resolve(K8S, '../docs/operations.md'), 'utf8');
  expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
  const sections = [...operations.matchAll(/^### (AdServer\w+)$/gm)].map(([, name]) => name);
  expect(sections.sort()).toEqual(alerts.map(({ alert }) => alert).sort());
  for (const { alert, for: lasting, labels, annotations } of alerts) {
    expect([alert, labels.severity]).toEqual([alert, expect.stringMatching(/^(critical|warning)$/)]);
    expect(lasting).toMatch(/^\d+m$/);
    expect(annotations.summary).toMatch(/^[A-Z].*\.$/);
    expect(annotations.runbook_url).toBe(`https://ads.example.com/static/docs/operations.html#${alert.toLowerCase()}`);
    expect(operations).toMatch(new RegExp(`^### ${alert}\\n\\n[A-Z].{20,}$`, 'm'));
  }
});

test.each(['staging', 'production'] as const)('in %s, runbooks are on the service itself', (overlay) => {
  const rendered = readFileSync(path.join(K8S, `rendered/${overlay}.yaml`), 'utf8');
  const [, publicUrl] = /^ {2}PUBLIC_URL: (\S+)$/m.exec(rendered) ?? [];
  const links = [...rendered.matchAll(/^ +runbook_url: (\S+)$/gm)].map(([, link]) => link);
  expect(links).toEqual(alerts.map(({ alert }) => `${publicUrl}/static/docs/operations.html#${alert.toLowerCase()}`));
});

test('the panels of a dashboard have names and targets and do not overlap', () => {
  expect(dashboards.map(({ uid }) => uid).sort()).toEqual(['adserver-bidders', 'adserver-delivery', 'adserver-serving', 'adserver-stores']);
  for (const { panels } of dashboards) {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const taken = new Set<string>();
    for (const { title, type, targets = [], gridPos } of panels) {
      expect(title).not.toBe('');
      if (type !== 'row') expect(targets.length).toBeGreaterThan(0);
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(taken.has(`${x},${y}`)).toBe(false);
          taken.add(`${x},${y}`);
        }
      }
    }
  }
});
