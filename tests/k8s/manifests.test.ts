import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { parseDuration } from '../../src/config/parse-duration.ts';
import { readSettings } from '../../src/config/read-settings.ts';
import { OVERLAYS, pluck, renderedManifests, renderedText, type Manifest, type Overlay } from './rendered.ts';

const ROOT = path.resolve(__dirname, '../..');
/** Resource kinds of the Prometheus operator, which are not part of Kubernetes. */
const OPERATOR = 'monitoring.coreos.com/v1';

const one = (overlay: Overlay, kind: string, name = 'ad-server'): Manifest => {
  const found = renderedManifests(overlay).filter((manifest) => manifest.kind === kind && manifest.metadata.name === name);
  expect([overlay, kind, name, found.length]).toEqual([overlay, kind, name, 1]);
  return found[0]!;
};

const podsOf = (overlay: Overlay): readonly Manifest[] =>
  renderedManifests(overlay).filter(({ kind }) => /^(Deployment|StatefulSet)$/.test(kind));

describe.each(OVERLAYS)('the manifests of %s', (overlay) => {
  test('are rendered from the current sources ("make manifests")', () => {
    const { stdout } = spawnSync(process.execPath, ['scripts/render-manifests.mjs', '--hash'], { cwd: ROOT, encoding: 'utf8' });
    expect(renderedText(overlay)).toContain(`# sources: ${stdout.trim()}\n`);
  });

  test('match the schemas of Kubernetes', async () => {
    for (const manifest of renderedManifests(overlay).filter(({ apiVersion }) => apiVersion !== OPERATOR)) {
      const models = (await import(`kubernetes-models/${manifest.apiVersion}`)) as Record<
        string,
        new (data: Manifest) => { validate(): void }
      >;
      expect(() => new models[manifest.kind]!(manifest).validate()).not.toThrow();
    }
  });

  test('have no fields that Kubernetes does not know', () => {
    const manifests = renderedManifests(overlay).filter(({ apiVersion }) => apiVersion !== OPERATOR);
    const { stdout, stderr } = spawnSync(process.execPath, [path.join(__dirname, 'round-trip.mjs')], {
      input: JSON.stringify(manifests),
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual(manifests);
  });

  test('run every container as non-root, on a read-only file system, without capabilities', () => {
    for (const { spec, metadata } of podsOf(overlay)) {
      const pod = spec.template.spec;
      expect([metadata.name, pod.securityContext]).toMatchObject([
        metadata.name,
        { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      ]);
      expect(pod.automountServiceAccountToken).toBe(false);
      for (const container of [...pod.containers, ...(pod.initContainers ?? [])]) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(container.resources).toMatchObject({ requests: { cpu: expect.any(String) }, limits: { memory: expect.any(String) } });
      }
    }
  });

  test('roll out without reducing the number of replicas, and leave a replica time to drain', () => {
    const { spec } = one(overlay, 'Deployment');
    expect(spec.strategy.rollingUpdate).toMatchObject({ maxUnavailable: 0 });
    expect(spec.replicas).toBeUndefined();
    const config = configOf(overlay);
    expect(spec.template.spec.terminationGracePeriodSeconds * 1000).toBeGreaterThan(parseDuration(config['DRAIN_TIME']!)! + 14_500);
    expect(one(overlay, 'PodDisruptionBudget').spec.maxUnavailable).toBe(1);
    expect(one(overlay, 'HorizontalPodAutoscaler').spec.scaleTargetRef.name).toBe('ad-server');
    expect(pluck(spec.template.spec.topologySpreadConstraints, 'topologyKey')).toEqual([
      'topology.kubernetes.io/zone',
      'kubernetes.io/hostname',
    ]);
  });

  test('probe liveness and readiness with paths that query no store', () => {
    const [container] = one(overlay, 'Deployment').spec.template.spec.containers;
    const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];
    expect(probes.map((probe) => probe.httpGet.path)).toEqual(['/health', '/health', '/ready']);
  });

  test('contain settings that the service accepts, in a config map whose name changes with them', () => {
    const config = configOf(overlay);
    const env = { DATABASE_URL: 'postgres://u:p@h/d', REDIS_URL: 'redis://h', TOKEN_SECRET: 'x'.repeat(32) };
    expect(readSettings({ ...config, ...env })).toMatchObject({ production: true });
  });

  test('migrate the database with the same image before they serve', () => {
    const { initContainers, containers } = one(overlay, 'Deployment').spec.template.spec;
    expect(initContainers).toMatchObject([{ name: 'migrate', image: containers[0].image, command: ['node', 'dist/commands/migrate.js'] }]);
  });
});

const configOf = (overlay: Overlay): Readonly<Record<string, string>> => {
  const [container] = one(overlay, 'Deployment').spec.template.spec.containers;
  const name = container.envFrom[0].configMapRef.name;
  expect(name).toMatch(/^ad-server-config-[a-z0-9]{10}$/);
  return one(overlay, 'ConfigMap', name).data!;
};

test('the round trip detects a field that Kubernetes does not know', () => {
  const deployment = one('production', 'Deployment');
  const misspelt = { ...deployment, spec: { ...deployment.spec, minReadySecond: 5 } };
  const { stdout } = spawnSync(process.execPath, [path.join(__dirname, 'round-trip.mjs')], {
    input: JSON.stringify([misspelt]),
    encoding: 'utf8',
  });
  expect(JSON.parse(stdout)).toEqual([deployment]);
});

test('production exposes the public paths only', () => {
  const { spec } = one('production', 'Ingress');
  expect(
    (spec.rules[0].http.paths as { path: string; pathType: string }[]).map(({ path: open, pathType }) => `${pathType} ${open}`),
  ).toEqual([
    ...['/ad', '/impression', '/click', '/event', '/report'].map((path) => `Exact ${path}`),
    ...['/openrtb2', '/tag'].map((path) => `Prefix ${path}`),
    ...['Exact /ads.txt', 'Exact /sellers.json', 'Prefix /static/assets', 'Prefix /static/sdk'],
  ]);
  expect(renderedManifests('staging').filter(({ kind }) => kind === 'Ingress')).toEqual([]);
});

test('production has no development tools, no secrets in its files, and a versioned image', () => {
  const [container] = one('production', 'Deployment').spec.template.spec.containers;
  const names = pluck(container.env, 'name');
  expect([...names, ...Object.keys(configOf('production'))]).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/ADMIN|MOCK|PRIVATE/)]),
  );
  for (const overlay of ['staging', 'production'] as const)
    expect(renderedManifests(overlay).filter(({ kind }) => kind === 'Secret')).toEqual([]);
  expect(container.image).toMatch(/^ad-server:\d/);
});

test('production has the trafficking tool under a host name of its own, by replicas that serve nothing else', () => {
  const env = (name: string) =>
    Object.fromEntries(
      (one('production', 'Deployment', name).spec.template.spec.containers[0].env as { name: string; value: string }[]).map((each) => [
        each.name,
        each.value,
      ]),
    );
  expect(env('ad-server')).toEqual({ ROLE: 'ads' });
  expect(env('ad-server-tool')).toMatchObject({ ROLE: 'tool', ACCOUNTS: 'true' });
  const { spec } = one('production', 'Ingress', 'ad-server-tool');
  const hosts = pluck(one('production', 'Ingress').spec.rules, 'host');
  expect(pluck(spec.rules, 'host')).toEqual([new URL(env('ad-server-tool')['TOOL_URL']!).host]);
  expect(hosts).not.toEqual(expect.arrayContaining(pluck(spec.rules, 'host')));
  const paths = spec.rules[0].http.paths as { path: string; backend: { service: { name: string } } }[];
  expect(pluck(paths, 'path')).toEqual(['/api', '/auth', '/shared_report', '/shared_proof', '/static']);
  expect(new Set(paths.map(({ backend }) => backend.service.name))).toEqual(new Set(['ad-server-tool']));

  const labels = one('production', 'Deployment', 'ad-server-tool').spec.template.metadata.labels;
  for (const kind of ['Service', 'NetworkPolicy', 'PodDisruptionBudget']) {
    const { selector, podSelector } = one('production', kind, 'ad-server-tool').spec;
    expect([kind, labels]).toMatchObject([kind, (podSelector ?? selector).matchLabels ?? selector]);
    const ads = one('production', kind).spec;
    expect([kind, labels]).not.toMatchObject([kind, (ads.podSelector ?? ads.selector).matchLabels ?? ads.selector]);
  }
  // A provider of sign-in is called from the replicas of the tool, and from no others.
  const opens443 = (name?: string): boolean =>
    (one('production', 'NetworkPolicy', name).spec.egress as { to?: { ipBlock?: { cidr: string } }[]; ports: { port: number }[] }[]).some(
      ({ to = [], ports }) => ports.some(({ port }) => port === 443) && to.some(({ ipBlock }) => ipBlock?.cidr === '0.0.0.0/0'),
    );
  expect(opens443('ad-server-tool')).toBe(true);
  const settings = readSettings({
    ...configOf('production'),
    ...env('ad-server-tool'),
    ...{ DATABASE_URL: 'postgres://u:p@h/d', REDIS_URL: 'redis://h', TOKEN_SECRET: 'x'.repeat(32) },
  });
  expect(settings).toMatchObject({ role: 'tool', adminEnabled: true, accounts: true });
  expect(settings.adminClosedBecause).toBeUndefined();
});

test('the service monitor selects the metrics port of the service', () => {
  const monitor = one('production', 'ServiceMonitor').spec;
  const service = one('production', 'Service');
  expect(service.metadata.labels).toMatchObject(monitor.selector.matchLabels);
  expect(pluck(service.spec.ports, 'name')).toContain(monitor.endpoints[0].port);
  expect(monitor.endpoints[0]).toEqual({ port: 'http', path: '/metrics', interval: '15s', scrapeTimeout: '5s' });
});
