import { parseArgs } from 'node:util';
import { parseUrl } from '../base/parse-url.ts';
import { runCommand } from '../base/run-command.ts';
import { openClickHouse } from '../events/sinks/clickhouse/clickhouse-client.ts';
import { clickHouseSchema } from '../events/sinks/clickhouse/clickhouse-schema.ts';

const OPTIONS = {
  clickhouse: { type: 'string' },
  days: { type: 'string', default: '400' },
  print: { type: 'boolean', default: false },
} as const;

/**
 * `node dist/commands/create-clickhouse-tables.js --clickhouse URL [--days 400] [--print]`: makes the table of events and its views,
 * or what a release has added to them. `--print` writes the statements to standard output instead. See docs/sinks/clickhouse.md.
 */
const main = async (): Promise<void> => {
  const { clickhouse = '', days, print } = parseArgs({ options: OPTIONS }).values;
  if (!/^[1-9]\d{0,4}$/.test(days)) throw new Error('--days must be a number of days.');
  const url = parseUrl(clickhouse);
  if (!url) throw new Error('--clickhouse must be the URL of a sink, as in SINKS.');
  const { client, table } = await openClickHouse(url);
  try {
    for (const query of clickHouseSchema(table, Number(days))) {
      if (print) process.stdout.write(`${query};\n\n`);
      else await client.command({ query });
    }
    if (!print) process.stderr.write(`The table ${table} and its views are there\n`);
  } finally {
    await client.close();
  }
};

runCommand(main);
