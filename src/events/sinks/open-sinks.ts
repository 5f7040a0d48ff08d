import { SettingsError } from '../../config/settings-error.ts';
import type { ClickHouseFigures } from './clickhouse/clickhouse-figures.ts';
import type { EventSink, OpenSink, SinkOptions } from './event-sink.ts';
import type { SinkScheme, SinkSettings } from '../../config/sink-settings.ts';

/** A sink that is written to, with what the settings say of it. */
export interface ConfiguredSink {
  readonly sink: EventSink;
  readonly keepsUserHash: boolean;
}

/** Loaded when a sink of the scheme is configured: a replica without sinks loads none of their packages. */
const OPENERS: Readonly<Record<SinkScheme, () => Promise<OpenSink>>> = {
  kafka: async () => (await import('./kafka/kafka-sink.ts')).openKafkaSink,
  clickhouse: async () => (await import('./clickhouse/clickhouse-sink.ts')).openClickHouseSink,
  s3: async () => (await import('./lake/open-lake.ts')).openLake,
  file: async () => (await import('./file/file-sink.ts')).openFileSink,
};

/** Opens the sinks of SINKS. Rejects when a URL is wrong; a store that is away is found at the first write. */
export const openSinks = (
  settings: readonly SinkSettings[],
  options: Pick<SinkOptions, 'replica' | 'onNotice'>,
): Promise<readonly ConfiguredSink[]> =>
  Promise.all(
    settings.map(async ({ name, scheme, url, keepsUserHash }) => {
      try {
        const open = await OPENERS[scheme]();
        return { sink: await open({ name, url: new URL(url), keepsUserHash, ...options }), keepsUserHash };
      } catch (fault) {
        throw new SettingsError([{ name: 'SINKS', fault: `${name}: ${(fault as Error).message}` }]);
      }
    }),
  );

/** Opens the ClickHouse of REPORTS_URL. Rejects when its URL is wrong; one that is away is found by the first report. */
export const openReportFigures = async (settings: SinkSettings | undefined): Promise<ClickHouseFigures | undefined> => {
  if (settings === undefined) return undefined;
  try {
    const { openClickHouseFigures } = await import('./clickhouse/clickhouse-figures.ts');
    return await openClickHouseFigures(new URL(settings.url));
  } catch (fault) {
    throw new SettingsError([{ name: 'REPORTS_URL', fault: (fault as Error).message }]);
  }
};
