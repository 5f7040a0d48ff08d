import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { createMetrics } from '../../src/observability/metrics.ts';
import { metricLabels } from '../../src/replica/metric-labels.ts';
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
const expressions = [
  ...alerts.map(({ expr }) => expr),
  ...dashboards.flatMap(({ panels }) => panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))),
];

/**
 * The series that a replica exposes: names as a query writes them, and the values of their labels.
 */
const exposed = async (): Promise<{ readonly names: ReadonlySet<string>; readonly labels: ReadonlySet<string> }> => {
  const metrics = createMetrics(metricLabels(['like']));
  const { body } = await metrics.render();
  const names = new Set(
    [...body.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name, type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name!],
    ),
  );
  const labels = new Set(
    [...body.matchAll(/^(\w+)\{(.*)\} /gm)].flatMap(([, name, list]) =>
      [...list!.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, value]) => `${name} ${label}=${value}`),
    ),
  );
  return { names, labels };
};

test('alerts and dashboards use only series, labels and values that a replica exposes', async () => {
  const { names, labels } = await exposed();
  const used = expressions.flatMap((expr) => [...expr.matchAll(/\b((?:adserver|nodejs|process)_\w+)(?:\{([^}]*)\})?/g)]);
  expect(used.length).toBeGreaterThan(60);
  for (const [, name, selector = ''] of used) {
    expect([...names]).toContain(name);
    for (const [, label, operator, value] of selector.matchAll(/(\w+)(=~|=)"([^"]*)"/g)) {
      if (label === 'namespace') continue;
      for (const one of operator === '=~' ? value!.split('|') : [value]) expect([...labels]).toContain(`${name} ${label}=${one}`);
    }
  }
});

test('every expression has balanced brackets and groups by labels of its series', async () => {
  const { labels } = await exposed();
  const ofSeries = new Set([...labels].map((entry) => entry.split(' ')[1]!.split('=')[0]!));
  for (const expr of expressions) {
    for (const [open, close] of [
      ['(', ')'],
      ['{', '}'],
      ['[', ']'],
    ] as const)
      expect([expr, expr.split(open).length]).toEqual([expr, expr.split(close).length]);
    for (const [, list] of expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g)) {
      // Prometheus adds namespace and pod; bidder exists only once there are bidders.
      for (const label of list!.split(', ')) expect(['namespace', 'pod', 'le', 'bidder', ...ofSeries]).toContain(label);
    }
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
    expect(annotations.runbook_url).toBe(`docs/operations.md#${alert.toLowerCase()}`);
    expect(operations).toMatch(new RegExp(`^### ${alert}\\n\\n[A-Z].{20,}$`, 'm'));
  }
});

test('the panels of a dashboard have names and targets and do not overlap', () => {
  expect(dashboards.map(({ uid }) => uid).sort()).toEqual(['adserver-delivery', 'adserver-dependencies', 'adserver-serving']);
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
