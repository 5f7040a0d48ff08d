import { createMetrics } from '../../src/observability/metrics.ts';

const create = () =>
  createMetrics({
    noBidReasons: ['targeting', 'daily_cap'],
    eventTypes: ['like', 'share'],
    hitKinds: ['impression', 'click'],
    invalidReasons: ['prefetch', 'spider'],
    bidOutcomes: ['timeout', 'no_bid'],
    noticeKinds: ['win', 'loss'],
    noticeOutcomes: ['sent', 'failed'],
    deciders: ['lots', 'ledger'],
    circuitStates: ['closed', 'half_open', 'open'],
    bidderSteps: ['calls', 'bids'],
    impressionSteps: ['bids', 'wins'],
    signInMethods: [],
    signInOutcomes: [],
    adminRefusals: ['wrong_token'],
    alertKinds: ['drift'],
    forecastAges: ['1'],
    sinks: [],
    whysPostgres: ['none'],
  });
const seriesOf = async (metrics: ReturnType<typeof create>): Promise<ReadonlyMap<string, number>> =>
  new Map(
    (await metrics.render()).body
      .split('\n')
      .filter((line) => line.startsWith('adserver_'))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );

describe('metrics', () => {
  test('the first scrape has the six named series at zero, without labels', async () => {
    const series = await seriesOf(create());
    for (const name of [
      'ad_requests_total',
      'ad_served_total',
      'impressions_total',
      'clicks_total',
      'errors_total',
      'ad_selection_duration_seconds_count',
    ]) {
      expect([name, series.get(`adserver_${name}`)]).toEqual([name, 0]);
    }
    expect(series.get('adserver_ad_selection_duration_seconds_bucket{le="0.00025"}')).toBe(0);
  });

  test('the format is Prometheus text, and includes process and event loop metrics', async () => {
    const { contentType, body } = await create().render();
    expect(contentType).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(body).toContain('# TYPE adserver_ad_selection_duration_seconds histogram');
    expect(body).toContain('nodejs_eventloop_lag_p99_seconds');
    expect(body).toContain('process_cpu_seconds_total');
  });

  test('a bidder call is counted once, under its outcome, with its duration', async () => {
    const metrics = create();
    metrics.bidderCall('timeout', 0.3);
    const series = await seriesOf(metrics);
    expect(series.get('adserver_bidder_calls_total{outcome="timeout"}')).toBe(1);
    expect(series.get('adserver_bidder_calls_total{outcome="no_bid"}')).toBe(0);
    expect(series.get('adserver_bidder_call_duration_seconds_sum')).toBe(0.3);
    expect(series.get('adserver_bidder_call_duration_seconds_bucket{le="0.2"}')).toBe(0);
    expect(series.get('adserver_bidder_call_duration_seconds_bucket{le="0.3"}')).toBe(1);
  });

  test('invalid traffic is counted by kind and reason, and not as an impression', async () => {
    const metrics = create();
    metrics.invalidTraffic('impression', 'prefetch');
    const series = await seriesOf(metrics);
    expect(series.get('adserver_invalid_traffic_total{kind="impression",reason="prefetch"}')).toBe(1);
    expect(series.get('adserver_invalid_traffic_total{kind="click",reason="prefetch"}')).toBe(0);
    expect(series.get('adserver_impressions_total')).toBe(0);
  });

  test('the circuit of an endpoint is shown until the endpoint is evicted', async () => {
    const metrics = create();
    const circuit = async () => (await seriesOf(metrics)).get('adserver_bidder_circuit{bidder="1a2b3c4d"}');
    const shown: unknown[] = [];
    for (const state of ['closed', 'open', 'half_open', null]) {
      metrics.bidderCircuit('1a2b3c4d', state);
      shown.push(await circuit());
    }
    expect(shown).toEqual([0, 2, 1, undefined]);
  });

  test('steps and the share of calls are those of bidders with a circuit', async () => {
    const metrics = create();
    const ofBidders = async () => [...(await seriesOf(metrics))].filter(([name]) => name.includes('bidder="'));
    metrics.bidderStep('gone', 'bids', 3);
    expect(await ofBidders()).toEqual([]);
    metrics.bidderCircuit('1a2b3c4d', 'closed');
    metrics.bidderStep('1a2b3c4d', 'bids', 3);
    metrics.bidderShare('1a2b3c4d', 0.5);
    expect(Object.fromEntries(await ofBidders())).toEqual({
      'adserver_bidder_circuit{bidder="1a2b3c4d"}': 0,
      'adserver_bidder_steps_total{bidder="1a2b3c4d",step="calls"}': 0,
      'adserver_bidder_steps_total{bidder="1a2b3c4d",step="bids"}': 3,
      'adserver_bidder_asked_ratio{bidder="1a2b3c4d"}': 0.5,
    });
    metrics.bidderCircuit('1a2b3c4d', null);
    expect(await ofBidders()).toEqual([]);
  });

  test('deals and placements have a series each; beyond 200 of them, the further ones count together', async () => {
    const metrics = create();
    for (let i = 0; i < 300; i++) {
      metrics.dealStep(`deal ${i}`, 'bids');
      metrics.placementStep('top', i % 2 ? 'wins' : 'no such step');
    }
    metrics.dealStep('deal 7', 'wins');
    const series = await seriesOf(metrics);
    const deals = [...series].filter(([name]) => name.startsWith('adserver_deal_steps_total'));
    expect(deals).toHaveLength(2 * 201);
    expect(series.get('adserver_deal_steps_total{deal="deal 7",step="wins"}')).toBe(1);
    expect(series.get('adserver_deal_steps_total{deal="other",step="bids"}')).toBe(100);
    expect([...series].filter(([name]) => name.includes('placement="'))).toEqual([
      ['adserver_placement_bid_steps_total{placement="top",step="bids"}', 0],
      ['adserver_placement_bid_steps_total{placement="top",step="wins"}', 150],
    ]);
  });

  test('unknown values do not add series', async () => {
    const metrics = create();
    const before = [...(await seriesOf(metrics)).keys()];
    for (let i = 0; i < 5_000; i++) {
      metrics.noBid(`reason ${i}`);
      metrics.customEvent(`type ${i}`);
      metrics.bid(`outcome ${i}`);
      metrics.invalidTraffic(`kind ${i}`, `reason ${i}`);
      metrics.bidderNotice('win', `outcome ${i}`);
    }
    const after = await seriesOf(metrics);
    expect([...after.keys()]).toEqual(before);
    expect(after.get('adserver_custom_events_total{type="other"}')).toBe(5_000);
    expect(after.get('adserver_invalid_traffic_total{kind="other",reason="other"}')).toBe(5_000);
    expect(after.get('adserver_bidder_notices_total{kind="win",outcome="other"}')).toBe(5_000);
  });

  test('gauges are read at the scrape; one whose reader fails or hangs is NaN and does not affect others', async () => {
    const metrics = create();
    metrics.watch({
      snapshotVersion: () => 41,
      redisUp: () => Promise.resolve(true),
      snapshotQuarantinedRows: () => ({ creatives: 3 }),
      streamLagEntries: () => Promise.reject(new Error('away')),
      pendingHits: () => new Promise<number>(() => {}),
    });
    metrics.watch({ snapshotVersion: () => 42 });
    const series = await seriesOf(metrics);
    expect(series.get('adserver_snapshot_version')).toBe(42);
    expect(series.get('adserver_redis_up')).toBe(1);
    expect(series.get('adserver_postgres_up')).toBe(0);
    expect(series.get('adserver_snapshot_quarantined_rows{table="creatives"}')).toBe(3);
    expect(series.get('adserver_snapshot_quarantined_rows{table="line_items"}')).toBe(0);
    expect(series.get('adserver_stream_lag_entries')).toBeNaN();
    expect(series.get('adserver_pending_hits')).toBeNaN();
  });

  test('two registries are independent', async () => {
    const [one, other] = [create(), create()];
    one.click();
    expect((await seriesOf(other)).get('adserver_clicks_total')).toBe(0);
  });
});
